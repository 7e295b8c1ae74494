import { conflict } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import { changeRequests, type Resolution, type UserDoc } from '../../model/index.js'
import type { Repository } from '../../git/index.js'
import type { Actor, App, LoadedSpace } from '../app.js'
import { type LoadedChangeRequest, loadHead, setStatus } from './change-requests.js'
import { commitMessage, makeCommit, moveBranch } from '../writing/commits.js'
import { resumeAfterConflict } from '../git-sync/info.js'
import { mergedOverrides } from '../content/identity.js'
import { conflictError, resolveConflicts } from './conflicts.js'
import { mergeOfBranch } from '../writing/branch-ground.js'
import { headOf } from '../content/main-content.js'
import { checkMergedNames } from '../writing/path-collisions.js'
import { changeRequestRef, MAIN } from '../refs.js'
import { guardBranch, guardMain } from '../main-guard.js'
import { RESOLVED, wroteIn } from '../reviews/writers.js'

/** Everybody who wrote between two commits, as trailers' values, the acting user left out. */
export async function coAuthors(repo: Repository, from: CommitId, not: readonly CommitId[], acting: Pick<UserDoc, 'email'>): Promise<string[]> {
  const commits = await repo.history({ from, not })
  const names = new Map(
    commits
      .filter((one) => one.author.email.toLowerCase() !== acting.email)
      .map((one) => [one.author.email.toLowerCase(), `${one.author.name} <${one.author.email}>`]),
  )
  return [...names.values()]
}

/**
 * Merges a change request into main with a merge commit. The move of main is the commit point; the document follows and
 * can be repaired from Git. Merging a merged one answers its revision again. What the space asks of approvals is checked of
 * the head that is merged, under the lock under which reviews are made.
 */
export async function mergeChangeRequest(app: App, actor: Actor, space: LoadedSpace, changeRequest: LoadedChangeRequest): Promise<{ revision: CommitId }> {
  const merged = await app.locks.run(space.doc.id, async () => {
    const { doc, head } = loadHead(space, (await reload(app, changeRequest)).doc)
    if (doc.status === 'merged') return { revision: doc.revisionMerged as CommitId }
    if (doc.status === 'archived') throw conflict('The change request is archived: set its status to open to merge it.')
    const mergedBy = { user: actor.user.id, wrote: await wroteIn(app, space, { doc, head }, actor.user) }
    const guard = guardMain(app, space, { by: 'merge', changeRequest: { doc, head, mergedBy } })
    const revision = await moveBranch(space.repo, { ref: MAIN, reason: `merge change request ${doc.number}`, guard }, (main) =>
      mergeCommit(app, actor, space, { doc, head }, main ?? headOf(space)),
    )
    const now = app.clock.now().toISOString()
    await setStatus(app, doc.id, (stored) => ({ ...stored, status: 'merged', revisionMerged: revision, updatedAt: now }), actor.user.id)
    return { revision }
  })
  await resumeAfterConflict(app, actor, space, changeRequest.doc)
  return merged
}

const reload = async (app: App, changeRequest: LoadedChangeRequest): Promise<LoadedChangeRequest> => {
  return { ...changeRequest, doc: (await app.store.get(changeRequests, changeRequest.doc.id)) ?? changeRequest.doc }
}

async function mergeCommit(app: App, actor: Actor, space: LoadedSpace, { doc, head }: LoadedChangeRequest, main: CommitId): Promise<CommitId> {
  const { repo } = space
  // A Git user may have merged it himself, or it has no commits of its own: ancestry decides.
  if (await repo.isAncestor(head, main)) return main
  const { merged, bases } = await mergeOfBranch(app, space, doc, { main, head, into: 'main' })
  if (!merged.clean)
    throw conflictError(
      `Change request ${doc.number}`,
      merged.conflicts,
      'Update the change request, resolve what is listed under its conflicts, and merge again.',
    )
  await checkMergedNames(repo, merged.tree, main, head)
  return makeCommit(app, space.doc.id, repo, {
    parents: [main, head],
    tree: merged.tree,
    changes: [],
    message: commitMessage(`Merge change request #${doc.number}${doc.subject ? `: ${doc.subject}` : ''}`, {
      'Change-Request': String(doc.number),
      'Co-authored-by': await coAuthors(repo, head, [main], actor.user),
    }),
    author: actor.user,
    overrides: await mergedOverrides(app, space.doc.id, repo, { bases, ours: main, theirs: head, tree: merged.tree }),
  })
}

/**
 * Pulls main into the change request with a merge commit on its branch; already up to date answers its head. With
 * `resolve` what cannot be merged cleanly is decided path by path: every conflict, and nothing else.
 */
export async function updateFromMain(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
  resolve: readonly Resolution[] = [],
): Promise<{ revision: CommitId }> {
  return app.locks.run(space.doc.id, async () => {
    const { doc } = await reload(app, changeRequest)
    if (doc.status === 'merged' || doc.status === 'archived') throw conflict(`The change request is ${doc.status}: only a draft or an open one can be updated.`)
    const { repo } = space
    const main = headOf(space)
    const move = { ref: changeRequestRef(doc.number), reason: `update change request ${doc.number}`, guard: guardBranch(app, space) }
    const revision = await moveBranch(repo, move, async (branch) => {
      const head = branch ?? (doc.revisionInitial as CommitId)
      const current = await repo.isAncestor(main, head)
      if (current && resolve.length === 0) return head
      const attempt = current
        ? { merged: { clean: true as const, tree: (await repo.commit(head)).tree }, bases: [main] }
        : await mergeOfBranch(app, space, doc, { main, head, into: 'branch' })
      const merged = await resolveConflicts(app, space, attempt.merged, resolve)
      await checkMergedNames(repo, merged.tree, head, main)
      return makeCommit(app, space.doc.id, repo, {
        parents: [head, main],
        tree: merged.tree,
        changes: [],
        message: commitMessage(`Update change request #${doc.number} from main`, {
          'Change-Request': String(doc.number),
          ...(resolve.length > 0 ? { [RESOLVED]: String(resolve.length) } : {}),
        }),
        author: actor.user,
        overrides: await mergedOverrides(app, space.doc.id, repo, { bases: attempt.bases, ours: head, theirs: main, tree: merged.tree, keeper: 'theirs' }),
      })
    })
    await setStatus(app, doc.id, (stored) => ({ ...stored, revisionMergedAncestor: main, updatedAt: app.clock.now().toISOString() }))
    return { revision }
  })
}
