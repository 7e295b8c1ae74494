// Creates, lists, deletes, restores and copies spaces.
import { isRepositoryFault, type Repository } from '../../git/index.js'
import { conflict, notFound, ServiceError } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import { orderKey } from '../../kernel/order.js'
import { type Page, type PageQuery, paginate, paginateSorted } from '../../kernel/paging.js'
import { type CreateSpace, type EventType, grants, placeKey, type SpaceDoc, spaces } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import { spaceRole, viewerOf } from '../roles/access.js'
import type { App } from '../context/app.js'
import { countMainFiles } from '../context/file-count.js'
import { noteSpaces } from '../context/measures.js'
import { checkByteQuota, checkFileQuota, checkRoomFor, checkSpaceQuota } from '../context/quotas.js'
import type { Actor } from '../context/actor.js'
import type { ListedSpace, LoadedOrganization, LoadedSpace, VisibleSpace } from '../context/loaded.js'
import { makeCommit } from '../commits/make-commit.js'
import { moveBranch } from '../commits/move-branch.js'
import { emit } from '../events/events.js'
import { noOverrides } from '../revisions/identity.js'
import { copyLfs } from '../revisions/lfs-files.js'
import { checkMayAdd, checkMayAddBeside } from './location-checks.js'
import { unguarded } from '../commits/guards.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { updateHiddenOnSites } from './sites-of-space.js'
import { rolesOf } from '../roles/roles-of-list.js'
import { itemsAt, makeRoom, positionAtEnd } from './siblings.js'
import { starterFiles } from './starter-files.js'
import { defined, required } from '../../kernel/defined.js'

/** Period in which a deleted space can be restored, in milliseconds. It is then purged. */
export const RESTORE_MS = 7 * 24 * 60 * 60 * 1000

const DEFAULT_TITLE = 'Untitled'
const DEFAULT_EMOJI = '📖'

/**
 * Creates a space at the end of its parent: first the repository with an initial commit, then the document. Throws 400
 * if the parent or the template does not exist, and 403 if the caller may not add to it.
 * @param also creates further documents in the same transaction
 */
export async function createSpace(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  input: CreateSpace,
  also: (tx: Transaction, made: Document<SpaceDoc>) => Promise<void> = async () => undefined,
): Promise<LoadedSpace> {
  const location = {
    organization: organization.doc.id,
    ...defined({ parent: input.parent }),
  }
  await checkMayAdd(app.store, await viewerOf(app.store, actor.user.id, location.organization), location)
  await checkSpaceQuota(app.store, app.settings.quotas, location.organization)
  const now = app.clock.now().toISOString()
  const title = input.title ?? DEFAULT_TITLE
  const draft: SpaceDoc = {
    id: newId(),
    ...location,
    title,
    emoji: input.emoji ?? DEFAULT_EMOJI,
    visibility: 'private',
    editMode: input.editMode ?? 'live',
    defaultLevel: 'inherit',
    createdAt: now,
    updatedAt: now,
    ...newCounters,
    createdBy: actor.user.id,
    ...defined({ language: input.language }),
  }
  const starter = await starterFiles(app, title, input.template ?? 'empty')
  await checkByteQuota(app, location.organization)
  await checkFileQuota(app, location.organization, starter.length)
  await createRepository(app, actor, draft, starter)
  const doc = await recordOrRemoveRepository(app, draft.id, () =>
    app.store.transact(async (tx) => {
      await checkMayAdd(tx, await viewerOf(tx, actor.user.id, location.organization), location)
      await checkSpaceQuota(tx, app.settings.quotas, location.organization)
      const position = await positionAtEnd(tx, location)
      await emit(app, tx, {
        type: 'space.created',
        organization: location.organization,
        actor: actor.user.id,
        subject: { space: draft.id },
      })
      const made = await tx.insert(spaces, { ...draft, position })
      await also(tx, made)
      return made
    }),
  )
  noteSpaces(app, location.organization)
  return openSpace(app, actor, doc)
}

/** Creates the repository of a new space, with an initial commit. */
async function createRepository(
  app: App,
  actor: Actor,
  doc: SpaceDoc,
  changes: Awaited<ReturnType<typeof starterFiles>>,
): Promise<void> {
  const repo = await app.git.create(repositoryName(doc.id))
  const initial = { parents: [], changes, message: 'Initial commit\n', author: actor.user, overrides: noOverrides }
  await app.locks.run(doc.id, (lease) =>
    moveBranch(repo, { ref: MAIN, reason: 'create space', guard: unguarded, lease }, () =>
      makeCommit(app, { doc, repo }, initial),
    ),
  )
}

const newCounters = {
  nextChangeRequest: 1,
  changeRequests: 0,
  changeRequestsOpen: 0,
  changeRequestsDraft: 0,
  comments: 0,
}

/** Stores a space whose repository already exists. If the space is rejected, removes the repository. */
async function recordOrRemoveRepository<T>(app: App, id: string, record: () => Promise<T>): Promise<T> {
  try {
    return await record()
  } catch (error) {
    // After any other failure, the document may have been written.
    if (error instanceof ServiceError) await app.git.remove(repositoryName(id))
    throw error
  }
}

/** Returns a space that the caller has just created or changed, with their role on it and its repository. */
export async function openSpace(app: App, actor: Actor, doc: Document<SpaceDoc>): Promise<LoadedSpace> {
  return {
    doc,
    role: (await spaceRole(app.store, actor.user.id, doc)) ?? 'read',
    repo: await app.git.open(repositoryName(doc.id)),
  }
}

/**
 * Lists the spaces of an organization that the caller may see: all, oldest first, or only those at the top level, in
 * their order.
 */
export async function listSpaces(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  query: PageQuery & { nested: boolean },
): Promise<Page<VisibleSpace>> {
  const { id } = organization.doc
  if (query.nested) {
    const { documents } = await app.store.page(spaces, 'createdAt', id, {
      limit: Number.POSITIVE_INFINITY,
      direction: 'asc',
    })
    return paginateSorted(await visibleSpaces(app, actor, id, documents), query, ({ doc }) => [doc.createdAt, doc.id])
  }
  const top = (await app.store.find(spaces, 'place', placeKey({ organization: id }))).filter(
    (doc) => doc.deletedAt === undefined,
  )
  return paginate(await visibleSpaces(app, actor, id, top), query, ({ doc }) => [orderKey(doc), doc.id])
}

/**
 * Lists the deleted spaces of an organization that can still be restored and that the caller may see, last deleted
 * first.
 */
export async function listDeletedSpaces(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  query: PageQuery,
): Promise<Page<VisibleSpace>> {
  const { id } = organization.doc
  const oldest = app.clock.now().getTime() - RESTORE_MS
  const deleted = (await app.store.find(spaces, 'deleted', 'yes')).filter(
    (doc) => doc.organization === id && doc.deletedAt !== undefined && Date.parse(doc.deletedAt) > oldest,
  )
  return paginate(
    await visibleSpaces(app, actor, id, deleted),
    query,
    ({ doc }) => [doc.deletedAt ?? '', doc.id],
    'desc',
  )
}

/** Filters spaces of an organization to those that the caller may see, with their role. */
export async function visibleSpaces(
  app: App,
  actor: Actor,
  organization: string,
  docs: readonly Document<SpaceDoc>[],
): Promise<VisibleSpace[]> {
  const viewer = await viewerOf(app.store, actor.user.id, organization)
  const roles = await rolesOf(app.store, viewer, 'space', docs)
  return docs.flatMap((doc, n) => {
    const role = roles[n] ?? null
    return role === null ? [] : [{ doc, role }]
  })
}

/** Opens the repositories of listed spaces. Cut the list to one page first. */
export const openSpaces = (app: App, seen: readonly VisibleSpace[]): Promise<ListedSpace[]> =>
  Promise.all(seen.map(async (one) => ({ ...one, repo: await openIfSound(app, one.doc.id) })))

/** Opens the repository of a space. Null if it is missing or damaged. */
async function openIfSound(app: App, space: string): Promise<Repository | null> {
  try {
    return await app.git.open(repositoryName(space))
  } catch (error) {
    if (!isRepositoryFault(error)) throw error
    return null
  }
}

/** A change of a space's document, and the event that reports it. */
interface SpaceChange {
  type: EventType
  /** Returns the stored document itself if nothing changes. Nothing is then written or emitted. */
  change: (stored: Document<SpaceDoc>) => Document<SpaceDoc>
  /** Data of the event. */
  data?: (before: SpaceDoc, after: SpaceDoc) => Record<string, unknown>
  /** Further changes in the same transaction. */
  also?: (tx: Transaction, changed: Document<SpaceDoc>) => Promise<void>
}

/** Changes a space, based on the stored version. Throws 404 if the space was purged in the meantime. */
export async function changeSpace(
  app: App,
  actor: Actor,
  id: string,
  { type, change, data, also }: SpaceChange,
): Promise<Document<SpaceDoc>> {
  return app.store.transact(async (tx) => {
    const stored = await tx.get(spaces, id)
    if (!stored) throw notFound('The space')
    const next = change(stored)
    if (next === stored) return stored
    await also?.(tx, next)
    const subject = { space: id }
    await emit(app, tx, {
      type,
      organization: stored.organization,
      actor: actor.user.id,
      subject,
      data: data?.(stored, next) ?? {},
    })
    return tx.replace(spaces, next)
  })
}

/** Marks a space as deleted. It can be restored for seven days. */
export async function deleteSpace(app: App, actor: Actor, space: LoadedSpace): Promise<void> {
  const deletedAt = app.clock.now().toISOString()
  const change = (stored: Document<SpaceDoc>) => (stored.deletedAt === undefined ? { ...stored, deletedAt } : stored)
  await changeSpace(app, actor, space.doc.id, { type: 'space.deleted', change, also: updateHiddenOnSites })
  noteSpaces(app, space.doc.organization)
}

/**
 * Restores a deleted space to its collection (or to the location to which the content of that collection moved). Throws
 * 404 after seven days, 403 if the caller may not add to that location, and 409 if the space is not deleted.
 */
export async function restoreSpace(app: App, actor: Actor, space: LoadedSpace): Promise<LoadedSpace> {
  if (space.doc.deletedAt !== undefined) await checkSpaceQuota(app.store, app.settings.quotas, space.doc.organization)
  const { organization } = space.doc
  if (space.doc.deletedAt !== undefined) await checkFileQuota(app, organization, await countMainFiles(space.repo))
  const change = (stored: Document<SpaceDoc>): Document<SpaceDoc> => {
    if (stored.deletedAt === undefined) throw conflict('The space is not deleted.')
    if (Date.parse(stored.deletedAt) + RESTORE_MS <= app.clock.now().getTime()) throw notFound('The space')
    const { deletedAt: _over, ...rest } = stored
    return { ...rest, updatedAt: app.clock.now().toISOString() }
  }
  const also = async (tx: Transaction, changed: Document<SpaceDoc>): Promise<void> => {
    await checkMayAddBeside(tx, actor.user.id, changed)
    await updateHiddenOnSites(tx, changed)
  }
  const doc = await changeSpace(app, actor, space.doc.id, { type: 'space.restored', change, also })
  noteSpaces(app, organization)
  return openSpace(app, actor, doc)
}

/**
 * Copies a space. The copy follows it directly, with the same content, page IDs and grants, but without change requests
 * and the link to a remote. Throws 403 if the caller may not add to the location of the space, and 404 if it was
 * deleted in the meantime.
 */
export async function duplicateSpace(app: App, actor: Actor, space: LoadedSpace): Promise<LoadedSpace> {
  const id = newId()
  const now = app.clock.now().toISOString()
  // Checked before the repository is copied, and again in the transaction that stores the copy.
  await checkMayAddBeside(app.store, actor.user.id, space.doc)
  const { organization } = space.doc
  await checkRoomFor(app, { from: organization, to: organization, moved: [space.doc.id] })
  await app.locks.run(space.doc.id, () => app.git.duplicate(repositoryName(space.doc.id), repositoryName(id)))
  const doc = await recordOrRemoveRepository(app, id, () =>
    app.store.transact(async (tx) => {
      const stored = await tx.get(spaces, space.doc.id)
      if (!stored || stored.deletedAt !== undefined) throw notFound('The space')
      await checkMayAddBeside(tx, actor.user.id, stored)
      await checkSpaceQuota(tx, app.settings.quotas, stored.organization)
      for (const { version: _of, ...grant } of await tx.find(grants, 'target', `space:${stored.id}`))
        await tx.insert(grants, { ...grant, id: `space:${id}:${grant.principal}`, target: `space:${id}` })
      await copyLfs(tx, stored.id, id)
      const siblings = await itemsAt(tx, stored)
      const [position] = await makeRoom(tx, siblings, siblings.findIndex((one) => one.doc.id === stored.id) + 1)
      const { git: _link, version: _version, awaitedSpecs: _awaited, ...rest } = stored
      const title = [...`Copy of ${stored.title}`].slice(0, 50).join('')
      const subject = { space: id }
      await emit(app, tx, {
        type: 'space.created',
        organization: stored.organization,
        actor: actor.user.id,
        subject,
        data: { duplicateOf: stored.id },
      })
      return tx.insert(spaces, {
        ...rest,
        ...newCounters,
        id,
        title,
        createdAt: now,
        updatedAt: now,
        createdBy: actor.user.id,
        position: required(position),
      })
    }),
  )
  noteSpaces(app, organization)
  return openSpace(app, actor, doc)
}
