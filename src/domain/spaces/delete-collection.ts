/** Deletes a collection without deleting its content or changing access to it. */
import { required } from '../../kernel/defined.js'
import { atLeast } from '../../access/index.js'
import { ServiceError } from '../../kernel/errors.js'
import { type CollectionDoc, collections, type DefaultLevel, type GrantDoc, grants } from '../../model/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'
import { type Viewer, viewerOf } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedCollection } from '../context/loaded.js'
import { emit } from '../events/events.js'
import { locationIn, locationOf, movedTo } from './move.js'
import { removeGrantsOn } from '../roles/permissions.js'
import { checkMayAdd, checkMayMove } from './location-checks.js'
import { collectionsFrom } from './nesting-checks.js'
import { collectionItem, type Item, itemsAt, makeRoom, type Location, replaceItem, spaceItem } from './siblings.js'

/**
 * Deletes a collection. Its content, including deleted spaces, moves to the parent (or the top level), to the position
 * of the collection and in the same order. All users keep their access: the default level and the grants of the
 * collection are copied to its content. Throws 403 if the caller may not add to the parent. Does nothing if the
 * collection no longer exists.
 */
export async function deleteCollection(app: App, actor: Actor, collection: LoadedCollection): Promise<void> {
  await app.store.transact(async (tx) => {
    const stored = await tx.get(collections, collection.doc.id)
    if (!stored) return
    const viewer = await viewerOf(tx, actor.user.id, stored.organization)
    await checkMayMove(tx, viewer, collectionItem(stored))
    const location = locationOf(collectionItem(stored))
    const children = await itemsAt(tx, locationIn(stored.organization, stored.id))
    if (children.length > 0) await checkMayAddContent(tx, viewer, location)
    const siblings = await itemsAt(tx, location)
    const index = siblings.findIndex(({ doc }) => doc.id === stored.id)
    const positions = await makeRoom(tx, siblings, index + 1, children.length)
    const inherited = await inheritedFrom(tx, stored)
    const now = app.clock.now().toISOString()
    for (const [i, child] of children.entries()) {
      await copyGrants(tx, inherited.grants, child)
      await replaceItem(tx, movedTo(withoutCollection(child, inherited), location, required(positions[i]), now))
      await emitMoved(app, tx, actor, child, stored)
    }
    await removeGrantsOn(tx, { kind: 'collection', id: stored.id })
    await tx.remove(collections, stored.id)
    const subject = { collection: stored.id }
    const data = { title: stored.title, contentMovedTo: stored.parent ?? null }
    await emit(app, tx, {
      type: 'collection.deleted',
      organization: stored.organization,
      actor: actor.user.id,
      subject,
      data,
    })
  })
}

async function checkMayAddContent(tx: Reader, viewer: Viewer, location: Location): Promise<void> {
  try {
    await checkMayAdd(tx, viewer, location)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new ServiceError(
      'forbidden',
      'The content of the collection would move to its parent, where you are not allowed to add anything. Move the content elsewhere first.',
    )
  }
}

/** The access that a collection adds to its content. */
interface Inherited {
  /** Its own default level; `inherit` = none. */
  level: DefaultLevel
  /** The effective level in it: its own, or the nearest above; `inherit` = members have their own role. */
  effective: DefaultLevel
  grants: readonly Document<GrantDoc>[]
}

async function inheritedFrom(tx: Reader, collection: Document<CollectionDoc>): Promise<Inherited> {
  const decides = (await collectionsFrom(tx, collection.id)).find(({ defaultLevel }) => defaultLevel !== 'inherit')
  return {
    level: collection.defaultLevel,
    effective: decides === undefined ? 'inherit' : decides.defaultLevel,
    grants: await tx.find(grants, 'target', `collection:${collection.id}`),
  }
}

/**
 * Makes the collection's default level the item's own. A space with visibility `in-collection` becomes private, since
 * other users may see the parent. Its new default level preserves the access of its previous readers.
 */
function withoutCollection(item: Item, { level, effective }: Inherited): Item {
  const own = item.doc.defaultLevel
  const defaultLevel = own === 'inherit' ? level : own
  if (item.kind === 'collection') return collectionItem({ ...item.doc, defaultLevel })
  if (item.doc.visibility !== 'in-collection') return spaceItem({ ...item.doc, defaultLevel })
  const readers = effective === null ? null : 'read'
  return spaceItem({ ...item.doc, visibility: 'private', defaultLevel: own === null ? readers : defaultLevel })
}

/**
 * Grants all principals with a role on the collection the same role on the item, unless they have a more powerful one.
 */
async function copyGrants(tx: Transaction, from: readonly Document<GrantDoc>[], { kind, doc }: Item): Promise<void> {
  for (const { principal, role } of from) {
    const [target, id] = [`${kind}:${doc.id}`, `${kind}:${doc.id}:${principal}`]
    const own = await tx.get(grants, id)
    if (!own) await tx.insert(grants, { id, target, principal, role })
    else if (!atLeast(own.role, role)) await tx.replace(grants, { ...own, role })
  }
}

const emitMoved = (
  app: App,
  tx: Transaction,
  actor: Actor,
  { kind, doc }: Item,
  { id, parent, organization }: CollectionDoc,
) =>
  emit(app, tx, {
    type: `${kind}.moved`,
    organization,
    actor: actor.user.id,
    subject: { [kind]: doc.id },
    data: { from: id, to: parent ?? null, because: 'the collection was deleted' },
  })
