import { atLeast } from '../access/index.js'
import { badRequest, conflict, notFound, ServiceError } from '../kernel/errors.js'
import { newId } from '../kernel/ids.js'
import { type Page, type PageQuery, paginateSorted } from '../kernel/paging.js'
import { collections, type CreateSpace, grants, type SpaceDoc, spaces, type UpdateSpace } from '../model/index.js'
import type { Document, Transaction } from '../store/index.js'
import { contentRole, roleOn, spaceRole, viewerOf } from './access.js'
import type { Actor, App, LoadedOrganization, LoadedSpace } from './app.js'
import { makeCommit, moveBranch } from './commits.js'
import { noOverrides } from './identity.js'
import { MAIN, repositoryName } from './refs.js'
import { markOnSites } from './sites/deleted-spaces.js'
import { rolesOf } from './roles-of-list.js'
import { starterFiles } from './starter.js'

/** How long a deleted space can be restored: service.md, "States and transitions". */
export const RESTORE_MS = 7 * 24 * 60 * 60 * 1000

const DEFAULT_TITLE = 'Untitled'
const DEFAULT_EMOJI = '📖'

/** A new space: its repository with the first commit, then its document. */
export async function createSpace(app: App, actor: Actor, organization: LoadedOrganization, input: CreateSpace): Promise<LoadedSpace> {
  await checkParent(app, actor, organization.doc.id, input.parent)
  const now = app.clock.now().toISOString()
  const title = input.title ?? DEFAULT_TITLE
  const draft: SpaceDoc = {
    id: newId(),
    organization: organization.doc.id,
    title,
    emoji: input.emoji ?? DEFAULT_EMOJI,
    visibility: 'private',
    editMode: input.editMode ?? 'live',
    defaultLevel: 'inherit',
    createdAt: now,
    updatedAt: now,
    nextChangeRequest: 1,
    changeRequests: 0,
    changeRequestsOpen: 0,
    changeRequestsDraft: 0,
    comments: 0,
    createdBy: actor.user.id,
    ...(input.parent === undefined ? {} : { parent: input.parent }),
    ...(input.language === undefined ? {} : { language: input.language }),
  }
  const repo = await app.git.create(repositoryName(draft.id))
  await moveBranch(repo, MAIN, 'create space', () =>
    makeCommit(app, draft.id, repo, {
      parents: [],
      changes: starterFiles(title, input.template ?? 'empty'),
      message: 'Initial commit\n',
      author: actor.user,
      overrides: noOverrides,
    }),
  )
  return loaded(app, actor, await app.store.insert(spaces, draft))
}

/** The new space as its maker sees it. */
async function loaded(app: App, actor: Actor, doc: Document<SpaceDoc>): Promise<LoadedSpace> {
  return { doc, role: (await spaceRole(app.store, actor.user.id, doc)) ?? 'read', repo: await app.git.open(repositoryName(doc.id)) }
}

async function checkParent(app: App, actor: Actor, organization: string, parent: string | undefined): Promise<void> {
  if (parent === undefined) return
  const doc = await app.store.get(collections, parent)
  const role = doc && doc.organization === organization ? await contentRole(app.store, actor.user.id, { ...doc, kind: 'collection' }) : null
  if (role === null) throw badRequest('There is no such collection.', [{ path: '/parent', message: 'must be the ID of a collection of this organization' }])
  if (!atLeast(role, 'create')) throw new ServiceError('forbidden', 'You may not add spaces to this collection: that needs the role create.')
}

/** A space that the caller may see, its repository not opened. */
export type VisibleSpace = Omit<LoadedSpace, 'repo'>

/** The spaces of an organization that the caller may see, oldest first. */
export async function listSpaces(app: App, actor: Actor, organization: LoadedOrganization, query: PageQuery): Promise<Page<VisibleSpace>> {
  const { documents } = await app.store.page(spaces, 'createdAt', organization.doc.id, { limit: Number.POSITIVE_INFINITY, direction: 'asc' })
  return paginateSorted(await visibleSpaces(app, actor, organization.doc.id, documents), query, ({ doc }) => [doc.createdAt, doc.id])
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

/** Changes a space's document in a transaction, from what is stored now, and what must change with it. Throws 404 where it went meanwhile. */
export async function changeSpace(
  app: App,
  id: string,
  change: (doc: Document<SpaceDoc>) => Document<SpaceDoc>,
  also: (tx: Transaction, changed: Document<SpaceDoc>) => Promise<void> = async () => undefined,
): Promise<Document<SpaceDoc>> {
  return app.store.transact(async (tx) => {
    const stored = await tx.get(spaces, id)
    if (!stored) throw notFound('The space')
    const next = change(stored)
    if (next === stored) return stored
    await also(tx, next)
    return tx.replace(spaces, next)
  })
}

/** Changes the settings that are given. */
export async function updateSpace(app: App, space: LoadedSpace, input: UpdateSpace): Promise<LoadedSpace> {
  if (input.visibility === 'in-collection' && space.doc.parent === undefined) {
    throw badRequest('Only a space in a collection can have this visibility.', [
      { path: '/visibility', message: 'in-collection needs a space that is in a collection' },
    ])
  }
  const doc = await changeSpace(app, space.doc.id, (stored) => {
    const { language, ...rest } = input
    const { language: had, ...others } = stored
    const next = language === null ? others : language === undefined ? (had === undefined ? others : { ...others, language: had }) : { ...others, language }
    return { ...next, ...rest, updatedAt: app.clock.now().toISOString() } as Document<SpaceDoc>
  })
  return { ...space, doc }
}

/** Marks a space as deleted; it can be restored for seven days. */
export async function deleteSpace(app: App, space: LoadedSpace): Promise<void> {
  const deletedAt = app.clock.now().toISOString()
  await changeSpace(app, space.doc.id, (stored) => (stored.deletedAt === undefined ? { ...stored, deletedAt } : stored), markOnSites)
}

/** Brings a deleted space back. Throws 404 when the seven days are over, 409 when it is not deleted. */
export async function restoreSpace(app: App, space: LoadedSpace): Promise<LoadedSpace> {
  const doc = await changeSpace(
    app,
    space.doc.id,
    (stored) => {
      if (stored.deletedAt === undefined) throw conflict('The space is not deleted.')
      if (Date.parse(stored.deletedAt) + RESTORE_MS <= app.clock.now().getTime()) throw notFound('The space')
      const { deletedAt: _over, ...rest } = stored
      return { ...rest, updatedAt: app.clock.now().toISOString() } as Document<SpaceDoc>
    },
    markOnSites,
  )
  return { ...space, doc }
}

/**
 * A second space with the same content, page IDs and people; no change requests, and not linked to the remote repository.
 */
export async function duplicateSpace(app: App, actor: Actor, space: LoadedSpace): Promise<LoadedSpace> {
  const id = newId()
  const now = app.clock.now().toISOString()
  await app.locks.run(space.doc.id, () => app.git.duplicate(repositoryName(space.doc.id), repositoryName(id)))
  const { git: _link, deletedAt: _deleted, version: _version, ...rest } = space.doc
  const title = [...`Copy of ${space.doc.title}`].slice(0, 50).join('')
  const counters = { nextChangeRequest: 1, changeRequests: 0, changeRequestsOpen: 0, changeRequestsDraft: 0, comments: 0 }
  const doc = await app.store.transact(async (tx) => {
    for (const { version: _of, ...grant } of await tx.find(grants, 'target', `space:${space.doc.id}`))
      await tx.insert(grants, { ...grant, id: `space:${id}:${grant.principal}`, target: `space:${id}` })
    return tx.insert(spaces, { ...rest, ...counters, id, title, createdAt: now, updatedAt: now, createdBy: actor.user.id })
  })
  return loaded(app, actor, doc)
}

/** Like `checkUnlocked`, by what is stored now: for use under the space's lock, since settings change beside it. */
export async function requireUnlocked(app: App, space: LoadedSpace): Promise<void> {
  checkUnlocked({ doc: (await app.store.get(spaces, space.doc.id)) ?? space.doc })
}

/** Refuses a write of content while the space is locked: spec/gaps.md, `locked`. */
export function checkUnlocked(space: Pick<LoadedSpace, 'doc'>): void {
  if (space.doc.editMode === 'locked') throw new ServiceError('locked', 'The space is locked: set its editMode to live to change its content.')
}
