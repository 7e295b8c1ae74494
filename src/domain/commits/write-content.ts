import type { Applied } from '../../content/edit/batch.js'
import { defaultId } from '../../content/identity.js'
import { keyBelow } from '../../content/paths.js'
import type { Staging } from '../../git/index.js'
import { conflict } from '../../kernel/errors.js'
import { type CommitId, isOid } from '../../kernel/ids.js'
import { type ContentChanges, changeRequests } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import { type LoadedChangeRequest, type LoadedSpace, loadHead } from '../context/loaded.js'
import { commitMessage, makeCommit } from './make-commit.js'
import { conflictError } from './merge/conflict-error.js'
import { type Edit, makeEdits } from './edit-batch.js'
import { overridesAt } from '../revisions/identity.js'
import { type FetchedFiles, fetchFiles } from './fetch-files.js'
import { headOf } from '../revisions/main-content.js'
import { mergeCommits } from './merge/merge.js'
import { makeMergeCommit } from './merge/merge-commit.js'
import { type ContentPlan, checkFileSizes, planContent, subjectOf } from './plan-content.js'
import { changeRequestRef, MAIN } from '../context/refs.js'
import { checkUnlocked, guardBranch, guardMain } from './guards.js'
import { type Uploads, uploadedFiles } from './uploads.js'

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
  uploads: Uploads,
): Promise<Written> {
  const branch = { ref: changeRequestRef(changeRequest.doc.number), guard: guardBranch(app, space) }
  return inTurn(app, actor, space, branch, input, uploads, async () => {
    const doc = (await app.store.get(changeRequests, changeRequest.doc.id)) ?? changeRequest.doc
    if (doc.status === 'merged' || doc.status === 'archived') throw conflict(`The change request is ${doc.status}: its content cannot be changed.`)
    return { start: loadHead(space, doc).head, initial: doc.revisionInitial as CommitId }
  })
}

/**
 * Applies changes to the main content. With `ifMatch` they are made on that revision: where main has moved since, they are
 * merged onto it, and refused with 409 where that is not clean, or where merges need approvals.
 */
export async function writeToMain(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  input: ContentChanges,
  uploads: Uploads,
  ifMatch: string | null,
): Promise<Written> {
  if (ifMatch !== null && !(isOid(ifMatch) && (await space.repo.hasCommit(ifMatch)))) throw conflict(`If-Match names no revision of this space: ${ifMatch}`)
  const main = { ref: MAIN, guard: guardMain(app, space, { by: 'edit', actor }) }
  await main.guard.check()
  return inTurn(app, actor, space, main, input, uploads, async () => (ifMatch === null ? {} : { base: ifMatch as CommitId }))
}

interface Target {
  /** Where the branch is to begin when it is not there. */
  start?: CommitId
  /** Revision that `revert_page` takes a page from when none is named. */
  initial?: CommitId
  /** Revision that the changes are made on. */
  base?: CommitId
}

/** Makes an edit when the space is free, together with all others that wait for it; `target` looks, then, at what it is made on. */
async function inTurn(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  branch: Pick<Edit<Written>, 'ref' | 'guard'>,
  input: ContentChanges,
  uploads: Uploads,
  target: () => Promise<Target>,
): Promise<Written> {
  checkUnlocked(space)
  checkFileSizes(input.changes, app.settings.maxFileBytes)
  const uploaded = uploadedFiles(input.changes, uploads)
  const fetched = new Map([...uploaded, ...(await fetchFiles(app, input.changes))])
  return new Promise((resolve, reject) => {
    const make: Edit<Written>['make'] = async (staging, tip) => {
      const { start, initial, base } = await target()
      const head = tip ?? start ?? headOf(space)
      const result = await write({ app, actor, space, input, fetched, staging }, head, base ?? head, initial ?? base ?? head)
      return { head: result.revision, result }
    }
    app.edits.add<Edit<Written>>(space.doc.id, { ...branch, make, resolve, reject }, (edits, lease) => makeEdits(lease, space.repo, edits))
  })
}

interface Writing {
  app: App
  actor: Actor
  space: LoadedSpace
  input: ContentChanges
  fetched: FetchedFiles
  staging: Staging
}

async function write(writing: Writing, head: CommitId, base: CommitId, initial: CommitId): Promise<Written> {
  const { app, space, input } = writing
  const plan = await planContent(app, space, base, input.changes, writing.fetched, initial)
  const revision = plan.changes.length === 0 ? head : await commitPlan(writing, plan, base, head)
  const { batch, applied } = plan
  const { root } = (await batch.workspace.structure()).config
  const insertedFiles = batch.insertedFiles.map(({ path, name, ref }) => {
    const key = keyBelow(root, path)
    return { file: batch.workspace.overrides.get(`file\0${key}`) ?? defaultId('file', key), name, path, ...(ref === undefined ? {} : { ref }) }
  })
  return { revision, applied, insertedFiles }
}

async function commitPlan({ app, actor, space, input, staging }: Writing, plan: ContentPlan, base: CommitId, head: CommitId): Promise<CommitId> {
  const { repo, doc } = space
  const message = commitMessage(input.message ?? subjectOf(input.changes, plan))
  const { changes } = plan
  const { overrides } = plan.batch.workspace
  const before = await overridesAt(app, doc.id, repo, base)
  if (base !== head && overrides === before && (await sameThere(space, plan, base, head)))
    return makeCommit(
      app,
      doc.id,
      repo,
      { parents: [head], changes, message, author: actor.user, overrides: await overridesAt(app, doc.id, repo, head) },
      staging,
    )
  const commit = await makeCommit(app, doc.id, repo, { parents: [base], changes, message, author: actor.user, overrides }, staging)
  return base === head ? commit : rebased(app, actor, space, staging, { commit, base, head, message })
}

/** Whether every file of the plan is in the head as the plan found it: then the merge is the head with those files replaced. */
async function sameThere({ repo }: LoadedSpace, plan: ContentPlan, base: CommitId, head: CommitId): Promise<boolean> {
  const [was, is] = await Promise.all([repo.at(base), repo.at(head)])
  for (const { path } of plan.changes) {
    const [before, now] = await Promise.all([was.entry(path), is.entry(path)])
    if (!before || before.oid !== now?.oid || before.mode !== now.mode) return false
  }
  return plan.changes.every((change) => !('delete' in change))
}

/** The changes of a commit made on `base`, on top of a head that has moved on. */
async function rebased(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  staging: Staging,
  { commit, base, head, message }: { commit: CommitId; base: CommitId; head: CommitId; message: string },
): Promise<CommitId> {
  // Git merges what it can read, and that is what is on the disk.
  await staging.settle()
  const merged = await mergeCommits(app, space, { ours: head, theirs: commit, base })
  if (!merged.clean) throw conflictError('The content has moved on, and your change', merged.conflicts, 'Read the present revision and make the change again.')
  const merge = { ours: head, theirs: commit, bases: [base], tree: merged.tree }
  return makeMergeCommit(app, space, merge, { parents: [head], message, author: actor.user }, staging)
}
