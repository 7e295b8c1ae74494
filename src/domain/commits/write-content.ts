/** Applies a client's content changes to main or to a change request, as one commit. */
import type { Applied } from '../../content/edit/batch.js'
import { defaultId } from '../../content/identity.js'
import { keyBelow } from '../../content/paths.js'
import type { Staging } from '../../git/index.js'
import { badRequest, conflict } from '../../kernel/errors.js'
import { type CommitId, isOid } from '../../kernel/ids.js'
import { type ContentChanges, changeRequests } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import { type LoadedChangeRequest, type LoadedSpace, loadHead } from '../context/loaded.js'
import { commitMessage, makeCommit } from './make-commit.js'
import { commitEdit, type EditedBranch } from './edit-batch.js'
import { overridesAt } from '../revisions/identity.js'
import { type FetchedFile, type FetchedFiles, fetchFiles } from './fetch-files.js'
import { headOf } from '../revisions/main-content.js'
import { mergeCommits } from './merge/merge.js'
import { conflictError } from './merge/merged-tree.js'
import { makeMergeCommit } from './merge/merge-commit.js'
import { type ContentPlan, checkFileSizes, planContent, subjectOf } from './plan-content.js'
import { changeRequestRef, MAIN } from '../context/refs.js'
import { guardBranch, guardMain } from './guards.js'
import { defined } from '../../kernel/defined.js'
import type { ContentChange } from '../../model/content-changes.js'

/** The files of a multipart request, by part name. */
type Uploads = ReadonlyMap<string, { content: Buffer }>

/**
 * Returns the uploaded files, by the `insert_files` entry that refers to their part. Throws 400 for a part that no
 * change refers to, so that no file is lost silently.
 */
function uploadedFiles(changes: readonly ContentChange[], uploads: Uploads): FetchedFiles {
  const found = new Map<Parameters<FetchedFiles['get']>[0], FetchedFile>()
  const left = new Set(uploads.keys())
  for (const file of changes.flatMap((change) => (change.operation === 'insert_files' ? change.files : []))) {
    if (file.part === undefined) continue
    const upload = uploads.get(file.part)
    if (!upload) continue
    found.set(file, { name: file.name, content: upload.content })
    left.delete(file.part)
  }
  if (left.size === 0) return found
  throw badRequest(
    `No change uses the part ${[...left].join(', ')}. Name it in the "part" field of a file in insert_files. Nothing was changed.`,
    [...left].map((part) => ({ path: `/${part}`, message: 'is not used by any change' })),
  )
}

/** A request to change content, with its uploaded files. */
interface ContentRequest {
  app: App
  actor: Actor
  space: LoadedSpace
  input: ContentChanges
  uploads: Uploads
}

/** The result of a content write. */
interface Written {
  revision: CommitId
  applied: Applied[]
  insertedFiles: { file: string; name: string; path: string; ref?: string }[]
}

/**
 * Applies all changes to a change request or none, as one commit on its branch. Handles `ifMatch` like `writeToMain`.
 */
export async function writeToChangeRequest(
  request: ContentRequest,
  changeRequest: LoadedChangeRequest,
  ifMatch: string | null,
): Promise<Written> {
  const { app, space } = request
  const revision = await revisionOf(space, ifMatch)
  const branch = {
    ref: changeRequestRef(changeRequest.doc.number),
    guard: guardBranch(app, space, { mayDelete: isDeletion(request) }),
  }
  return writeInBatch(request, branch, async () => {
    const doc = (await app.store.get(changeRequests, changeRequest.doc.id)) ?? changeRequest.doc
    if (doc.status === 'merged' || doc.status === 'archived')
      throw conflict(`The change request is ${doc.status}, so its content cannot be changed.`)
    return { start: loadHead(space, doc).head, initial: doc.revisionInitial, ...revision }
  })
}

/**
 * Applies changes to the main content. If `ifMatch` is given, applies them to that revision and, if main has moved
 * since, merges the result into main. Throws 409 if that merge has conflicts, if the space does not have that revision,
 * or if the merge rules forbid a direct edit.
 */
export async function writeToMain(request: ContentRequest, ifMatch: string | null): Promise<Written> {
  const { app, actor, space } = request
  const revision = await revisionOf(space, ifMatch)
  const main = { ref: MAIN, guard: guardMain(app, space, { by: 'edit', actor, mayDelete: isDeletion(request) }) }
  return writeInBatch(request, main, async () => revision)
}

const isDeletion = ({ input }: ContentRequest): boolean =>
  input.changes.every(({ operation }) => operation.startsWith('delete_'))

/** Reads from `If-Match` the revision that the changes are based on. Throws 409 if the space does not have it. */
async function revisionOf({ repo }: LoadedSpace, ifMatch: string | null): Promise<Pick<EditRevisions, 'base'>> {
  if (ifMatch === null) return {}
  if (isOid(ifMatch) && (await repo.objects.hasCommit(ifMatch))) return { base: ifMatch }
  throw conflict(
    `If-Match is not a revision of this space: ${ifMatch}. Read the content again and use the revision of that response.`,
  )
}

/** The revisions that an edit depends on. */
interface EditRevisions {
  /** The first parent of a new branch; the head of main by default. */
  start?: CommitId
  /** The revision that `revert_page` uses if the change names none. */
  initial?: CommitId
  /** The revision that the changes are based on; the branch's head by default. */
  base?: CommitId
}

/**
 * Commits the changes in the space's next batch. `findRevisions` is called at that time, so it sees the result of
 * earlier edits.
 */
const writeInBatch = (
  { app, actor, space, input, uploads }: ContentRequest,
  branch: EditedBranch,
  findRevisions: () => Promise<EditRevisions>,
): Promise<Written> =>
  commitEdit(app, space, branch, async () => {
    checkFileSizes(input.changes, app.settings.maxFileBytes)
    const uploaded = uploadedFiles(input.changes, uploads)
    const fetched = new Map([...uploaded, ...(await fetchFiles(app, input.changes))])
    return async (staging, tip) => {
      const { start, initial, base } = await findRevisions()
      const head = tip ?? start ?? headOf(space)
      const result = await write(
        { app, actor, space, input, fetched, staging },
        head,
        base ?? head,
        initial ?? base ?? head,
      )
      return { head: result.revision, result }
    }
  })

/**
 * Applies changes to a revision as one commit on top of it, and moves no branch. Returns that revision if nothing
 * changes. The changes name no files. Throws like `writeToChangeRequest`.
 */
export async function commitOn(
  { app, actor, space, input }: Omit<ContentRequest, 'uploads'>,
  head: CommitId,
): Promise<CommitId> {
  const guard = guardBranch(app, space)
  await guard.check()
  checkFileSizes(input.changes, app.settings.maxFileBytes)
  const staging = space.repo.objects.stage()
  const { revision } = await write({ app, actor, space, input, fetched: new Map(), staging }, head, head, head)
  await staging.settle()
  await guard.check([{ ref: MAIN, from: head, to: revision }])
  return revision
}

/** A content request that is being committed: its files are downloaded, and its objects go to `staging`. */
interface Writing extends Omit<ContentRequest, 'uploads'> {
  fetched: FetchedFiles
  staging: Staging
}

async function write(writing: Writing, head: CommitId, base: CommitId, initial: CommitId): Promise<Written> {
  const { app, space, input } = writing
  const plan = await planContent(app, space, { base, initial }, input.changes, writing.fetched)
  const revision = plan.changes.length === 0 ? head : await commitPlan(writing, plan, base, head)
  const { batch, applied } = plan
  const { root } = (await batch.workspace.structure()).config
  const insertedFiles = batch.insertedFiles.map(({ path, name, ref }) => {
    const key = keyBelow(root, path)
    return {
      file: batch.workspace.overrides.get(`file\0${key}`) ?? defaultId('file', key),
      name,
      path,
      ...defined({ ref }),
    }
  })
  return { revision, applied, insertedFiles }
}

/** Commits a plan that is based on `base` on top of `head`. */
async function commitPlan(writing: Writing, plan: ContentPlan, base: CommitId, head: CommitId): Promise<CommitId> {
  const { app, actor, space, input, staging } = writing
  const message = commitMessage(input.message ?? subjectOf(input.changes, plan))
  const { changes } = plan
  const { overrides } = plan.batch.workspace
  if (base !== head && overrides === plan.before && (await filesUnchanged(space, plan, base, head)))
    return makeCommit(
      app,
      space,
      { parents: [head], changes, message, author: actor.user, overrides: await overridesAt(app, space, head) },
      staging,
    )
  const commit = await makeCommit(
    app,
    space,
    { parents: [base], changes, message, author: actor.user, overrides },
    staging,
  )
  return base === head ? commit : rebase(writing, { commit, base, head, message })
}

/**
 * Whether every file of the plan is the same in `head` and `base`. If so, the new files can be committed on `head`
 * without a merge.
 */
async function filesUnchanged(
  { repo }: LoadedSpace,
  plan: ContentPlan,
  base: CommitId,
  head: CommitId,
): Promise<boolean> {
  const [was, is] = await Promise.all([repo.objects.snapshot(base), repo.objects.snapshot(head)])
  for (const { path } of plan.changes) {
    const [before, now] = await Promise.all([was.entry(path), is.entry(path)])
    if (!before || before.oid !== now?.oid || before.mode !== now.mode) return false
  }
  return plan.changes.every((change) => !('delete' in change))
}

/** Merges the changes from `base` to `commit` into the newer `head`. Throws 409 if they conflict. */
async function rebase(
  { app, actor, space, staging }: Writing,
  { commit, base, head, message }: { commit: CommitId; base: CommitId; head: CommitId; message: string },
): Promise<CommitId> {
  // Git can merge only objects that are on disk.
  await staging.settle()
  const merged = await mergeCommits(app, space, { ours: head, theirs: commit, base })
  if (!merged.clean)
    throw conflictError(
      'The content has changed since that revision, and your change',
      merged.conflicts,
      'Read the latest revision and make the change again.',
    )
  const merge = { ours: head, theirs: commit, bases: [base], tree: merged.tree }
  return makeMergeCommit(app, space, merge, { parents: [head], message, author: actor.user }, staging)
}
