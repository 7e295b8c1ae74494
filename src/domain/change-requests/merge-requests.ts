/** Merges a change request into main, and main into a change request. */
import { required } from '../../kernel/defined.js'
import { conflict } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import { changeRequests, type Resolution } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import { type LoadedChangeRequest, type LoadedSpace, loadHead } from '../context/loaded.js'
import { changeDocument } from './change-requests.js'
import { commitMessage } from '../commits/make-commit.js'
import { moveBranch } from '../commits/move-branch.js'
import { makeMergeCommit } from '../commits/merge/merge-commit.js'
import { checkExpected, type Expected } from './conflict-state.js'
import { resolveConflicts } from './conflicts.js'
import { mergeOfBranch } from '../commits/merge/branch-merge.js'
import { headOf } from '../revisions/main-content.js'
import { changeRequestRef, MAIN } from '../context/refs.js'
import { guardBranch, guardMain } from '../commits/guards.js'
import { wroteIn } from './writers.js'
import { coAuthors, RESOLVED, writersOf } from '../commits/credits.js'
import { conflictError } from '../commits/merge/merged-tree.js'

/**
 * Merges a change request into main with a merge commit. The move of main is the commit point. The document is updated
 * after it, and repaired from Git after a crash. If the change request is already merged, returns that revision. The
 * required approvals are checked for the merged head, under the lock that reviews also take.
 */
export async function mergeChangeRequest(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
): Promise<{ revision: CommitId }> {
  return app.locks.run(space.doc.id, async (lease) => {
    const { doc, head } = loadHead(space, (await reload(app, changeRequest)).doc)
    if (doc.status === 'merged') return { revision: required(doc.revisionMerged) }
    if (doc.status === 'archived') throw conflict('The change request is archived. Set its status to open to merge it.')
    const mergedBy = { user: actor.user.id, wrote: await wroteIn(app, space, { doc, head }, actor.user) }
    const guard = guardMain(app, space, { by: 'merge', changeRequest: { doc, head, mergedBy } })
    const revision = await moveBranch(
      space.repo,
      { ref: MAIN, reason: `merge change request ${doc.number}`, guard, lease },
      (main) => mergeCommit(app, actor, space, { doc, head }, main ?? headOf(space)),
    )
    const now = app.clock.now().toISOString()
    await changeDocument(
      app,
      doc.id,
      (stored) => ({ ...stored, status: 'merged', revisionMerged: revision, updatedAt: now }),
      actor.user.id,
    )
    return { revision }
  })
}

const reload = async (app: App, changeRequest: LoadedChangeRequest): Promise<LoadedChangeRequest> => {
  return { ...changeRequest, doc: (await app.store.get(changeRequests, changeRequest.doc.id)) ?? changeRequest.doc }
}

async function mergeCommit(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  { doc, head }: LoadedChangeRequest,
  main: CommitId,
): Promise<CommitId> {
  const { repo } = space
  // Main already contains it: it was merged with plain Git, or it has no commits.
  if (await repo.history.isAncestor(head, main)) return main
  const { merged, bases } = await mergeOfBranch(app, space, doc, { main, head, into: 'main' })
  if (!merged.clean)
    throw conflictError(
      `Change request ${doc.number}`,
      merged.conflicts,
      'Update the change request with a resolution for each of its conflicts, then merge again.',
    )
  const message = commitMessage(`Merge change request #${doc.number}${doc.subject ? `: ${doc.subject}` : ''}`, {
    'Change-Request': String(doc.number),
    'Co-authored-by': coAuthors(await writersOf(repo, head, [main]), actor.user),
  })
  return makeMergeCommit(
    app,
    space,
    { ours: main, theirs: head, bases, tree: merged.tree },
    { message, author: actor.user },
  )
}

/**
 * Merges main into the change request with a merge commit on its branch, and returns the branch's head. `resolve` has
 * one resolution for each conflict, and none for other paths. With `expect`, throws 409 if the branch or main has moved
 * from these commits.
 */
export async function updateFromMain(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
  resolve: readonly Resolution[] = [],
  expect?: Expected,
): Promise<{ revision: CommitId }> {
  return app.locks.run(space.doc.id, async (lease) => {
    const { doc } = await reload(app, changeRequest)
    if (doc.status === 'merged' || doc.status === 'archived')
      throw conflict(`The change request is ${doc.status}. Only a draft or open change request can be updated.`)
    const { repo } = space
    const main = headOf(space)
    const move = {
      ref: changeRequestRef(doc.number),
      reason: `update change request ${doc.number}`,
      guard: guardBranch(app, space),
      lease,
    }
    const revision = await moveBranch(repo, move, async (branch) => {
      const head = branch ?? doc.revisionInitial
      if (expect) checkExpected({ revision: head, main }, expect)
      const current = await repo.history.isAncestor(main, head)
      if (current && resolve.length === 0) return head
      const attempt = current
        ? { merged: { clean: true as const, tree: (await repo.objects.commit(head)).tree }, bases: [main] }
        : await mergeOfBranch(app, space, doc, { main, head, into: 'branch' })
      const merged = await resolveConflicts(app, space, attempt.merged, resolve)
      const message = commitMessage(`Update change request #${doc.number} from main`, {
        'Change-Request': String(doc.number),
        ...(resolve.length > 0 ? { [RESOLVED]: String(resolve.length) } : {}),
      })
      const merge = { ours: head, theirs: main, bases: attempt.bases, tree: merged.tree, keeper: 'theirs' as const }
      return makeMergeCommit(app, space, merge, { message, author: actor.user })
    })
    await changeDocument(app, doc.id, (stored) => ({
      ...stored,
      revisionMergedAncestor: main,
      updatedAt: app.clock.now().toISOString(),
    }))
    return { revision }
  })
}
