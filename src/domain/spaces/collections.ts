// Creates, lists and changes collections.
import { notFound } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import {
  type CollectionDoc,
  type CreateCollection,
  collections,
  spaces,
  type UpdateCollection,
} from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import { contentRole, viewerOf } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedCollection, LoadedOrganization, VisibleSpace } from '../context/loaded.js'
import { emit } from '../events/events.js'
import { checkMayAdd } from './location-checks.js'
import { checkDepth } from './nesting-checks.js'
import { rolesOf } from '../roles/roles-of-list.js'
import { positionAtEnd } from './siblings.js'
import { visibleSpaces } from './spaces.js'
import { defined } from '../../kernel/defined.js'

const DEFAULT_TITLE = 'Untitled'

/**
 * Creates a collection at the end of its parent. Throws 400 if the parent does not exist, and 403 if the caller may not
 * add to it.
 */
export async function createCollection(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  input: CreateCollection,
): Promise<LoadedCollection> {
  const location = {
    organization: organization.doc.id,
    ...defined({ parent: input.parent }),
  }
  const doc = await app.store.transact(async (tx) => {
    await checkMayAdd(tx, await viewerOf(tx, actor.user.id, location.organization), location)
    await checkDepth(tx, location.parent, 1)
    const created = await tx.insert(collections, {
      id: newId(),
      ...location,
      title: input.title ?? DEFAULT_TITLE,
      defaultLevel: 'inherit',
      createdAt: app.clock.now().toISOString(),
      createdBy: actor.user.id,
      position: await positionAtEnd(tx, location),
    })
    await emit(app, tx, {
      type: 'collection.created',
      organization: location.organization,
      actor: actor.user.id,
      subject: { collection: created.id },
    })
    return created
  })
  return loadedCollection(app.store, actor, doc)
}

/** Returns a collection that the caller has just created or changed, with their role on it. */
export async function loadedCollection(
  reader: Reader,
  actor: Actor,
  doc: Document<CollectionDoc>,
): Promise<LoadedCollection> {
  return { doc, role: (await contentRole(reader, actor.user.id, { ...doc, kind: 'collection' })) ?? 'read' }
}

/** Lists the collections of an organization that the caller may see: all, or only those at the top level. */
export async function listCollections(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  nested: boolean,
): Promise<LoadedCollection[]> {
  const viewer = await viewerOf(app.store, actor.user.id, organization.doc.id)
  const docs = (await app.store.find(collections, 'organization', organization.doc.id)).filter(
    (doc) => nested || doc.parent === undefined,
  )
  const roles = await rolesOf(app.store, viewer, 'collection', docs)
  return docs.flatMap((doc, n) => {
    const role = roles[n] ?? null
    return role === null ? [] : [{ doc, role }]
  })
}

/** Lists the spaces directly in a collection that the caller may see. */
export async function listSpacesIn(app: App, actor: Actor, collection: LoadedCollection): Promise<VisibleSpace[]> {
  const docs = (await app.store.find(spaces, 'parent', collection.doc.id)).filter((doc) => doc.deletedAt === undefined)
  return visibleSpaces(app, actor, collection.doc.organization, docs)
}

/** Changes the given fields; null removes the description. Throws 404 if the collection was deleted in the meantime. */
export async function updateCollection(
  app: App,
  actor: Actor,
  collection: LoadedCollection,
  input: UpdateCollection,
): Promise<LoadedCollection> {
  const doc = await app.store.transact(async (tx) => {
    const stored = await tx.get(collections, collection.doc.id)
    if (!stored) throw notFound('The collection')
    const { description = stored.description, ...rest } = input
    const { description: _before, ...others } = stored
    const next = {
      ...others,
      ...rest,
      ...(description === undefined || description === null ? {} : { description }),
    }
    const fields = (['title', 'description', 'defaultLevel'] as const).filter((field) => next[field] !== stored[field])
    if (fields.length === 0) return stored
    const subject = { collection: stored.id }
    await emit(app, tx, {
      type: 'collection.updated',
      organization: stored.organization,
      actor: actor.user.id,
      subject,
      data: { fields },
    })
    return tx.replace(collections, next)
  })
  return loadedCollection(app.store, actor, doc)
}
