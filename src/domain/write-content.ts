import { applyBatch, BatchError } from '../content/edit/apply.js'
import type { Applied, Batch } from '../content/edit/plan.js'
import { Workspace } from '../content/edit/workspace.js'
import { defaultId } from '../content/identity.js'
import { keyBelow } from '../content/paths.js'
import type { FileChange } from '../git/index.js'
import { conflict, ServiceError } from '../kernel/errors.js'
import { type CommitId, isOid, type RefName } from '../kernel/ids.js'
import { type ContentChange, type ContentChanges, changeRequests } from '../model/index.js'
import type { Actor, App, LoadedSpace } from './app.js'
import { type LoadedChangeRequest, loadHead } from './change-requests.js'
import { commitMessage, makeCommit, moveBranch } from './commits.js'
import { mergedOverrides, overridesAt } from './identity.js'
import { mergeCommits } from './merge.js'
import { conflictError } from './conflicts.js'
import { type FetchedFiles, fetchFiles } from './fetch-files.js'
import { headOf } from './main-content.js'
import { changeRequestRef, MAIN } from './refs.js'
import { openRevision } from './revisions.js'
import { checkUnlocked, requireUnlocked } from './spaces.js'

/** What a write of content did. */
export interface Written {
  revision: CommitId
  applied: Applied[]
  insertedFiles: { file: string; name: string; path: string; ref?: string }[]
}

/** Applies changes to a change request, as one commit on its branch, all or nothing. */
export async function writeToChangeRequest(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
  input: ContentChanges,
): Promise<Written> {
  checkUnlocked(space)
  const fetched = await fetchFiles(app, input.changes)
  return app.locks.run(space.doc.id, async () => {
    const doc = (await app.store.get(changeRequests, changeRequest.doc.id)) ?? changeRequest.doc
    if (doc.status === 'merged' || doc.status === 'archived') throw conflict(`The change request is ${doc.status}: its content cannot be changed.`)
    await requireUnlocked(app, space)
    const start = loadHead(space, doc).head
    return write(app, actor, space, changeRequestRef(doc.number), input, { fetched, start, initial: doc.revisionInitial as CommitId })
  })
}

/**
 * Applies changes to the main content. With `ifMatch` they are made on that revision: where main has moved since, they are
 * merged onto it, and refused with 409 where that is not clean.
 */
export async function writeToMain(app: App, actor: Actor, space: LoadedSpace, input: ContentChanges, ifMatch: string | null): Promise<Written> {
  if (ifMatch !== null && !(isOid(ifMatch) && (await space.repo.hasCommit(ifMatch)))) throw conflict(`If-Match names no revision of this space: ${ifMatch}`)
  checkUnlocked(space)
  const fetched = await fetchFiles(app, input.changes)
  return app.locks.run(space.doc.id, async () => {
    await requireUnlocked(app, space)
    return write(app, actor, space, MAIN, input, ifMatch === null ? { fetched } : { fetched, base: ifMatch as CommitId })
  })
}

interface Target {
  fetched: FetchedFiles
  /** Where the branch is to begin when it is not there. */
  start?: CommitId
  /** Revision that `revert_page` takes a page from when none is named. */
  initial?: CommitId
  /** Revision that the changes are made on. */
  base?: CommitId
}

async function write(app: App, actor: Actor, space: LoadedSpace, ref: RefName, input: ContentChanges, target: Target): Promise<Written> {
  checkFileSizes(input.changes, app.settings.maxFileBytes)
  let plan: Plan | null = null
  const revision = await moveBranch(space.repo, ref, 'edit content', async (branch) => {
    const head = branch ?? target.start ?? headOf(space)
    const base = target.base ?? head
    plan = await planChanges(app, space, base, input.changes, target.fetched, target.initial ?? base)
    if (plan.changes.length === 0) return head
    const message = commitMessage(input.message ?? subjectOf(input.changes, plan))
    const commit = await makeCommit(app, space.doc.id, space.repo, {
      parents: [base],
      changes: plan.changes,
      message,
      author: actor.user,
      overrides: plan.batch.workspace.overrides,
    })
    return base === head ? commit : rebased(app, actor, space, commit, base, head, message)
  })
  const { batch, applied } = plan as unknown as Plan
  const { root } = (await batch.workspace.structure()).config
  const insertedFiles = batch.insertedFiles.map(({ path, name, ref: batchRef }) => {
    const key = keyBelow(root, path)
    return { file: batch.workspace.overrides.get(`file\0${key}`) ?? defaultId('file', key), name, path, ...(batchRef === undefined ? {} : { ref: batchRef }) }
  })
  return { revision, applied, insertedFiles }
}

/** Throws 413 where a file that is handed in is larger than the limit. */
function checkFileSizes(changes: readonly ContentChange[], limit: number): void {
  for (const [index, change] of changes.entries()) {
    if (change.operation !== 'insert_files') continue
    for (const [at, { name, base64 }] of change.files.entries()) {
      // three bytes in four characters
      if (((base64?.length ?? 0) / 4) * 3 - 2 <= limit) continue
      throw new ServiceError('too-large', `The file ${name} has more than ${limit} bytes. Nothing was changed.`, {
        details: [{ path: `/changes/${index}/files/${at}/base64`, message: `must have at most ${limit} bytes` }],
      })
    }
  }
}

/** The changes of a commit made on `base`, on top of a head that has moved on. */
async function rebased(app: App, actor: Actor, space: LoadedSpace, commit: CommitId, base: CommitId, head: CommitId, message: string): Promise<CommitId> {
  const { repo, doc } = space
  const merged = await mergeCommits(app, repo, { ours: head, theirs: commit, base })
  if (!merged.clean) throw conflictError('The content has moved on, and your change', merged.conflicts, 'Read the present revision and make the change again.')
  const overrides = await mergedOverrides(app, doc.id, repo, base, head, commit, merged.tree)
  return makeCommit(app, doc.id, repo, { parents: [head], tree: merged.tree, changes: [], message, author: actor.user, overrides })
}

interface Plan {
  batch: Batch
  applied: Applied[]
  changes: FileChange[]
}

async function planChanges(
  app: App,
  space: LoadedSpace,
  base: CommitId,
  changes: readonly ContentChange[],
  fetched: FetchedFiles,
  initial: CommitId,
): Promise<Plan> {
  const revision = await openRevision(app, space, base)
  const workspace = new Workspace(revision.snapshot, revision.structure, await overridesAt(app, space.doc.id, space.repo, base))
  const batch: Batch = {
    workspace,
    pageRefs: new Map(),
    fileRefs: new Map(),
    written: new Set(),
    insertedFiles: [],
    fetched,
    fileIn: async (page, id) => {
      if (id !== undefined && !(await space.repo.hasCommit(id))) return null
      const other = await openRevision(app, space, (id ?? initial) as CommitId)
      const entry = other.structure.byId.get(page)
      const file = entry?.type === 'document' ? await other.snapshot.entry(entry.gitPath) : null
      return file && { oid: file.oid, mode: file.mode }
    },
  }
  try {
    const applied = await applyBatch(batch, changes)
    return { batch, applied, changes: workspace.changes() as FileChange[] }
  } catch (error) {
    if (!(error instanceof BatchError)) throw error
    const { index, reason } = error
    throw new ServiceError('bad-request', `Change ${index} cannot be made: ${reason.message} Nothing was changed.`, {
      details: [{ path: `/changes/${index}${reason.member === undefined ? '' : `/${reason.member}`}`, message: reason.message }],
      cause: error,
    })
  }
}

const verbs: Record<string, string> = { created_page: 'Add', updated_page: 'Edit', deleted_page: 'Delete' }

/** A subject line people can read: what was done to which page, or how much was done. */
function subjectOf(changes: readonly ContentChange[], plan: Plan): string {
  const [change] = changes
  const [done] = plan.applied
  if (!change) return 'Change content'
  const more = changes.length > 1 ? ` and ${changes.length - 1} more ${changes.length === 2 ? 'change' : 'changes'}` : ''
  const path =
    plan.batch.insertedFiles[0]?.path ??
    plan.changes.find((one) => /\.(md|markdown)$/i.test(one.path) && !/SUMMARY\.md$/.test(one.path))?.path ??
    plan.changes[0]?.path ??
    ''
  if (!done || !('page' in change || 'title' in change))
    return `${change.operation.replaceAll('_', ' ').replace(/^./, (c) => c.toUpperCase())} ${path}`.trim() + more
  const title = 'title' in change ? change.title?.replace(/\s+/g, ' ').trim() : undefined
  return `${verbs[done.object] ?? 'Change'} ${title || path}${more}`
}
