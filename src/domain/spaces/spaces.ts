import { badRequest, conflict, notFound, ServiceError } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import { orderKey } from '../../kernel/order.js'
import { type Page, type PageQuery, paginate, paginateSorted } from '../../kernel/paging.js'
import { type CreateSpace, type EventType, grants, placeKey, type SpaceDoc, spaces, type UpdateSpace } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import { spaceRole, viewerOf } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedOrganization, LoadedSpace, VisibleSpace } from '../context/loaded.js'
import { makeCommit } from '../commits/make-commit.js'
import { moveBranch } from '../commits/move-branch.js'
import { emit } from '../events/events.js'
import { noOverrides } from '../revisions/identity.js'
import { checkMayAdd, checkMayAddBeside } from './places.js'
import { unguarded } from '../commits/guards.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { markOnSites } from './on-sites.js'
import { rolesOf } from '../roles/roles-of-list.js'
import { itemsAt, makeRoom, positionAtEnd } from './siblings.js'
import { starterFiles } from './starter.js'

/** How long a deleted space can be restored: service.md, "States and transitions". */
export const RESTORE_MS = 7 * 24 * 60 * 60 * 1000

const DEFAULT_TITLE = 'Untitled'
const DEFAULT_EMOJI = '📖'

/**
 * A new space, the last of its parent: its repository with the first commit, then its document. Throws 400 for a parent
 * that is not there, 403 where the caller may not add to it.
 * @param also what must come into being with it, in the same transaction
 */
export async function createSpace(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  input: CreateSpace,
  also: (tx: Transaction, made: Document<SpaceDoc>) => Promise<void> = async () => undefined,
): Promise<LoadedSpace> {
  const place = { organization: organization.doc.id, ...(input.parent === undefined ? {} : { parent: input.parent }) }
  await checkMayAdd(app.store, await viewerOf(app.store, actor.user.id, place.organization), place)
  const now = app.clock.now().toISOString()
  const title = input.title ?? DEFAULT_TITLE
  const draft: SpaceDoc = {
    id: newId(),
    ...place,
    title,
    emoji: input.emoji ?? DEFAULT_EMOJI,
    visibility: 'private',
    editMode: input.editMode ?? 'live',
    defaultLevel: 'inherit',
    createdAt: now,
    updatedAt: now,
    ...newCounters,
    createdBy: actor.user.id,
    ...(input.language === undefined ? {} : { language: input.language }),
  }
  const repo = await app.git.create(repositoryName(draft.id))
  await app.locks.run(draft.id, (lease) =>
    moveBranch(repo, { ref: MAIN, reason: 'create space', guard: unguarded, lease }, () =>
      makeCommit(
        app,
        { doc: draft, repo },
        {
          parents: [],
          changes: starterFiles(title, input.template ?? 'empty'),
          message: 'Initial commit\n',
          author: actor.user,
          overrides: noOverrides,
        },
      ),
    ),
  )
  const doc = await orWithoutRepository(app, draft.id, () =>
    app.store.transact(async (tx) => {
      await checkMayAdd(tx, await viewerOf(tx, actor.user.id, place.organization), place)
      const position = await positionAtEnd(tx, place)
      await emit(app, tx, { type: 'space.created', organization: place.organization, actor: actor.user.id, subject: { space: draft.id } })
      const made = await tx.insert(spaces, { ...draft, position })
      await also(tx, made)
      return made
    }),
  )
  return openSpace(app, actor, doc)
}

const newCounters = { nextChangeRequest: 1, changeRequests: 0, changeRequestsOpen: 0, changeRequestsDraft: 0, comments: 0 }

/** Records a space whose repository is there already; where that is refused, the repository goes as well. */
async function orWithoutRepository<T>(app: App, id: string, record: () => Promise<T>): Promise<T> {
  try {
    return await record()
  } catch (error) {
    // Any other failure may have come after the document was written.
    if (error instanceof ServiceError) await app.git.remove(repositoryName(id))
    throw error
  }
}

/** A space as somebody sees it who has just been let do something with it. */
export async function openSpace(app: App, actor: Actor, doc: Document<SpaceDoc>): Promise<LoadedSpace> {
  return { doc, role: (await spaceRole(app.store, actor.user.id, doc)) ?? 'read', repo: await app.git.open(repositoryName(doc.id)) }
}

/** The spaces of an organization that the caller may see: all, oldest first, or those at its top level, in their order there. */
export async function listSpaces(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  query: PageQuery & { nested: boolean },
): Promise<Page<VisibleSpace>> {
  const { id } = organization.doc
  if (query.nested) {
    const { documents } = await app.store.page(spaces, 'createdAt', id, { limit: Number.POSITIVE_INFINITY, direction: 'asc' })
    return paginateSorted(await visibleSpaces(app, actor, id, documents), query, ({ doc }) => [doc.createdAt, doc.id])
  }
  const top = (await app.store.find(spaces, 'place', placeKey({ organization: id }))).filter((doc) => doc.deletedAt === undefined)
  return paginate(await visibleSpaces(app, actor, id, top), query, ({ doc }) => [orderKey(doc), doc.id])
}

/** Those of an organization's spaces that the caller may see. */
export async function visibleSpaces(app: App, actor: Actor, organization: string, docs: readonly Document<SpaceDoc>[]): Promise<VisibleSpace[]> {
  const viewer = await viewerOf(app.store, actor.user.id, organization)
  const roles = await rolesOf(app.store, viewer, 'space', docs)
  return docs.flatMap((doc, n) => {
    const role = roles[n] ?? null
    return role === null ? [] : [{ doc, role }]
  })
}

/** Opens the repositories of what a list shows: after it was cut to a page. */
export const openSpaces = (app: App, seen: readonly VisibleSpace[]): Promise<LoadedSpace[]> =>
  Promise.all(seen.map(async (one) => ({ ...one, repo: await app.git.open(repositoryName(one.doc.id)) })))

/**
 * Changes a space's document from what is stored now, and tells of it. Throws 404 where it went meanwhile.
 * @param change answers the stored document itself where nothing changes: then nothing is written or told
 * @param also what must change with it
 */
async function changeSpace(
  app: App,
  actor: Actor,
  id: string,
  type: EventType,
  change: (doc: Document<SpaceDoc>) => Document<SpaceDoc>,
  data: (before: SpaceDoc, after: SpaceDoc) => Record<string, unknown> = () => ({}),
  also: (tx: Transaction, changed: Document<SpaceDoc>) => Promise<void> = async () => undefined,
): Promise<Document<SpaceDoc>> {
  return app.store.transact(async (tx) => {
    const stored = await tx.get(spaces, id)
    if (!stored) throw notFound('The space')
    const next = change(stored)
    if (next === stored) return stored
    await also(tx, next)
    await emit(app, tx, { type, organization: stored.organization, actor: actor.user.id, subject: { space: id }, data: data(stored, next) })
    return tx.replace(spaces, next)
  })
}

const settings = ['title', 'emoji', 'language', 'editMode', 'defaultLevel', 'visibility', 'requiredApprovals', 'visitorAuth'] as const

/** Changes the settings that are given; `null` removes a language or the way visitors are authenticated. Throws 400, 404. */
export async function updateSpace(app: App, actor: Actor, space: LoadedSpace, input: UpdateSpace): Promise<LoadedSpace> {
  if (input.visitorAuth?.backend === 'integration')
    throw badRequest('There is no such integration.', [
      { path: '/visitorAuth/integration', message: 'this service has no integrations: use the backend custom' },
    ])
  const changed = (before: SpaceDoc, after: SpaceDoc) => settings.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
  const change = (stored: Document<SpaceDoc>): Document<SpaceDoc> => {
    if (stored.deletedAt !== undefined) throw notFound('The space')
    if (input.visibility === 'in-collection' && stored.parent === undefined) {
      throw badRequest('Only a space in a collection can have this visibility.', [
        { path: '/visibility', message: 'in-collection needs a space that is in a collection' },
      ])
    }
    const given = Object.entries({ ...stored, ...input }).filter(([, value]) => value !== undefined)
    const next = Object.fromEntries(given.filter(([field, value]) => value !== null || field === 'defaultLevel')) as unknown as Document<SpaceDoc>
    return changed(stored, next).length === 0 ? stored : { ...next, updatedAt: app.clock.now().toISOString() }
  }
  const doc = await changeSpace(app, actor, space.doc.id, 'space.updated', change, (before, after) => ({ fields: changed(before, after) }))
  return openSpace(app, actor, doc)
}

/** Marks a space as deleted; it can be restored for seven days. */
export async function deleteSpace(app: App, actor: Actor, space: LoadedSpace): Promise<void> {
  const deletedAt = app.clock.now().toISOString()
  const change = (stored: Document<SpaceDoc>) => (stored.deletedAt === undefined ? { ...stored, deletedAt } : stored)
  await changeSpace(app, actor, space.doc.id, 'space.deleted', change, undefined, markOnSites)
}

/**
 * Brings a deleted space back, to the collection it was in (or where that one's content went). Throws 404 when the seven
 * days are over, 403 where the caller may not add to that place, 409 when it is not deleted.
 */
export async function restoreSpace(app: App, actor: Actor, space: LoadedSpace): Promise<LoadedSpace> {
  const change = (stored: Document<SpaceDoc>): Document<SpaceDoc> => {
    if (stored.deletedAt === undefined) throw conflict('The space is not deleted.')
    if (Date.parse(stored.deletedAt) + RESTORE_MS <= app.clock.now().getTime()) throw notFound('The space')
    const { deletedAt: _over, ...rest } = stored
    return { ...rest, updatedAt: app.clock.now().toISOString() } as Document<SpaceDoc>
  }
  const doc = await changeSpace(app, actor, space.doc.id, 'space.restored', change, undefined, async (tx, changed) => {
    await checkMayAddBeside(tx, actor.user.id, changed)
    await markOnSites(tx, changed)
  })
  return openSpace(app, actor, doc)
}

/**
 * A second space right after the first, with the same content, page IDs and people; no change requests, and not linked to
 * the remote repository. Throws 403 where the caller may not add to the place of the first, 404 where that went meanwhile.
 */
export async function duplicateSpace(app: App, actor: Actor, space: LoadedSpace): Promise<LoadedSpace> {
  const id = newId()
  const now = app.clock.now().toISOString()
  // Asked before a repository is copied, and again of what is stored when the copy gets its place.
  await checkMayAddBeside(app.store, actor.user.id, space.doc)
  await app.locks.run(space.doc.id, () => app.git.duplicate(repositoryName(space.doc.id), repositoryName(id)))
  const doc = await orWithoutRepository(app, id, () =>
    app.store.transact(async (tx) => {
      const stored = await tx.get(spaces, space.doc.id)
      if (!stored || stored.deletedAt !== undefined) throw notFound('The space')
      await checkMayAddBeside(tx, actor.user.id, stored)
      for (const { version: _of, ...grant } of await tx.find(grants, 'target', `space:${stored.id}`))
        await tx.insert(grants, { ...grant, id: `space:${id}:${grant.principal}`, target: `space:${id}` })
      const siblings = await itemsAt(tx, stored)
      const [position] = await makeRoom(tx, siblings, siblings.findIndex((one) => one.doc.id === stored.id) + 1)
      const { git: _link, version: _version, ...rest } = stored
      const title = [...`Copy of ${stored.title}`].slice(0, 50).join('')
      const subject = { space: id }
      await emit(app, tx, { type: 'space.created', organization: stored.organization, actor: actor.user.id, subject, data: { duplicateOf: stored.id } })
      return tx.insert(spaces, { ...rest, ...newCounters, id, title, createdAt: now, updatedAt: now, createdBy: actor.user.id, position: position as string })
    }),
  )
  return openSpace(app, actor, doc)
}
