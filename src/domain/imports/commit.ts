/** Writes an import as one commit on its branch, in turn with all other edits of the space. */
import { allows } from '../../access/index.js'
import type { FileChange, Staging } from '../../git/index.js'
import { conflict, notFound, ServiceError } from '../../kernel/errors.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { changeRequests, type ContentImportDoc, contentImports, spaces } from '../../model/index.js'
import type { Reader } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import { type LoadedSpace, loadHead } from '../context/loaded.js'
import { changeRequestRef, MAIN } from '../context/refs.js'
import { commitEdit } from '../commits/edit-batch.js'
import { guardBranch, guardMain, type RefGuard } from '../commits/guards.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { openBatch } from '../commits/plan-content.js'
import { headOf } from '../revisions/main-content.js'
import { spaceRole } from '../roles/access.js'
import type { Gathered } from './gather.js'
import { planImport } from './plan.js'
import { allPages } from './source-page.js'
import { shownUrl } from './shown-url.js'

/** An import with its space and its user. */
export interface ImportRun {
  app: App
  actor: Actor
  space: LoadedSpace
  doc: ContentImportDoc
}

/** Throws 403 or 404 if the user may no longer write the content of the space. */
async function checkMay(reader: Reader, { space, actor }: Pick<ImportRun, 'space' | 'actor'>): Promise<void> {
  const doc = await reader.get(spaces, space.doc.id)
  const role = doc && (await spaceRole(reader, actor.user.id, doc))
  if (!doc || doc.deletedAt !== undefined || role === null) throw notFound('The space')
  if (!allows('space:edit', role))
    throw new ServiceError('forbidden', 'You are no longer allowed to write the content of this space.')
}

/** Returns the run with an app that checks the user's role before the branch moves. */
export const guardedRun = (run: ImportRun): ImportRun => ({
  ...run,
  app: { ...run.app, stillMay: (reader) => checkMay(reader, run) },
})

/**
 * Returns the branch, and its head or start commit. Throws 404, and 409 if the change request can no longer be changed.
 */
export async function branchOf({ app, space, doc }: ImportRun): Promise<{ ref: RefName; start: CommitId }> {
  if (doc.changeRequest === undefined) return { ref: MAIN, start: headOf(space) }
  const changeRequest = await app.store.get(changeRequests, doc.changeRequest)
  if (!changeRequest) throw notFound('The change request')
  if (changeRequest.status === 'merged' || changeRequest.status === 'archived')
    throw conflict(
      `The change request is ${changeRequest.status}, so its content cannot be changed. Import into an open one.`,
    )
  return { ref: changeRequestRef(changeRequest.number), start: loadHead(space, changeRequest).head }
}

/** Returns the guard of the import's branch: role, lock, approvals. */
export const guardOf = ({ app, actor, space, doc }: ImportRun): RefGuard =>
  doc.changeRequest === undefined ? guardMain(app, space, { by: 'edit', actor }) : guardBranch(app, space)

/**
 * Finds the import's commit from before a crash, if its branch contains it. Null if there is none. A merged change
 * request counts.
 */
export async function earlierCommit({ app, space, doc }: ImportRun): Promise<CommitId | null> {
  const now = await app.store.get(contentImports, doc.id)
  if (now?.commit === undefined || !(await space.repo.objects.hasCommit(now.commit))) return null
  const changeRequest = doc.changeRequest === undefined ? null : await app.store.get(changeRequests, doc.changeRequest)
  const head = changeRequest ? loadHead(space, changeRequest).head : headOf(space)
  return (await space.repo.history.isAncestor(now.commit, head)) ? now.commit : null
}

/**
 * Commits the imported content on the head of the branch. The import's document records the commit's ID before the
 * branch moves. After a crash in between, the next run finds that commit and creates no second one.
 */
export async function commitImport(
  given: ImportRun,
  gathered: Gathered,
  counts: Pick<ContentImportDoc, 'importedResources' | 'totalResources'>,
): Promise<CommitId> {
  const run = guardedRun(given)
  const { app, space, doc } = run
  const { ref } = await branchOf(run)
  return commitEdit(app, space, { ref, guard: guardOf(run) }, async () => async (staging, tip) => {
    const done = await earlierCommit(run)
    const head = tip ?? (await branchOf(run)).start
    if (done !== null) return { head, result: done }
    const commit = await createCommit(run, gathered, head, staging)
    await app.store.transact(async (tx) => {
      const now = await tx.get(contentImports, doc.id)
      if (now) await tx.replace(contentImports, { ...now, ...counts, commit, stage: 'writing' })
    })
    return { head: commit, result: commit }
  })
}

async function createCommit(
  { app, actor, space, doc }: ImportRun,
  gathered: Gathered,
  head: CommitId,
  staging: Staging,
): Promise<CommitId> {
  await branchOf({ app, actor, space, doc })
  const { revision, batch } = await openBatch(app, space, head)
  const { workspace } = batch
  const assets = async (folder: string): Promise<Map<string, string>> =>
    new Map((await revision.snapshot.walk(folder)).map(({ oid, path }) => [oid, path]))
  await planImport({ batch, assets }, gathered, doc.page)
  await workspace.structure()
  const pages = allPages(gathered.pages).filter(({ isFolder }) => !isFolder).length
  const from = doc.upload?.name ?? new URL(doc.url).host
  return makeCommit(
    app,
    space,
    {
      parents: [head],
      changes: workspace.changes() as FileChange[],
      message: commitMessage(`Import ${pages} ${pages === 1 ? 'page' : 'pages'} from ${from}`, {
        'Imported-From': doc.upload?.name ?? shownUrl(doc.url),
      }),
      author: actor.user,
      overrides: workspace.overrides,
    },
    staging,
  )
}
