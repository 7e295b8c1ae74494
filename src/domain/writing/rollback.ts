import { badRequest, conflict } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import type { Actor, App, LoadedSpace } from '../app.js'
import { type LoadedChangeRequest, createChangeRequest } from '../change-requests/change-requests.js'
import { commitMessage, makeCommit, moveBranch } from './commits.js'
import { mergedOverrides, takenOverrides } from '../content/identity.js'
import { headOf } from '../content/main-content.js'
import { mergeCommits } from './merge.js'
import { conflictError } from '../change-requests/conflicts.js'
import { spanOf } from './merge-span.js'
import { checkMergedNames } from './path-collisions.js'
import { MAIN } from '../refs.js'
import { checkUnlocked, guardMain } from '../main-guard.js'

/** Longest subject of a change request: service.md. */
const MAX_SUBJECT = 100

/**
 * A commit on main with the files and page IDs of an earlier revision. What came since stays in the history. Only
 * revisions that main has are taken: one that was imported by itself was never the space's content. Throws 400 where there
 * is no such revision, 409 where it is not in main, nothing would change or merges need approvals, 423.
 */
export async function rollBack(app: App, actor: Actor, space: LoadedSpace, id: string): Promise<{ revision: CommitId }> {
  const { repo, doc } = space
  if (!(await repo.hasCommit(id))) {
    throw badRequest(`There is no revision ${id} in this space.`, [{ path: '/revision', message: 'must be a revision of the main content' }])
  }
  const target = await repo.commit(id as CommitId)
  const [subject = ''] = target.message.split('\n')
  const revision = await app.locks.run(doc.id, () =>
    moveBranch(repo, { ref: MAIN, reason: 'roll back', guard: guardMain(app, space, { by: 'edit', actor }) }, async () => {
      const main = headOf(space)
      if (!(await repo.isAncestor(target.id, main))) {
        throw conflict(`Revision ${id} is not part of the main content's history: merge it with a change request instead.`)
      }
      if ((await repo.commit(main)).tree === target.tree) throw conflict(`The main content is that of revision ${id} already.`)
      return makeCommit(app, doc.id, repo, {
        parents: [main],
        tree: target.tree,
        changes: [],
        message: commitMessage(`Roll back to ${target.id.slice(0, 10)}: ${subject}`, { 'Rollback-To': target.id }),
        author: actor.user,
        overrides: await takenOverrides(app, doc.id, repo, target.id, main),
      })
    }),
  )
  return { revision }
}

/**
 * Opens a change request whose branch takes back what a merged one changed, and nothing else. Throws 409 where it is not
 * merged, came in without a merge commit, cannot be taken back cleanly, or has nothing left in main; 423.
 */
export async function revertChangeRequest(app: App, actor: Actor, space: LoadedSpace, changeRequest: LoadedChangeRequest): Promise<LoadedChangeRequest> {
  const { repo } = space
  const { doc } = changeRequest
  if (doc.status !== 'merged') throw conflict(`The change request is ${doc.status}: only a merged one can be reverted.`)
  checkUnlocked(space)
  const { before, merge } = await spanOf(app, space, changeRequest)
  if (!merge) throw conflict('The change request did not come in by a merge commit, so what belongs to it is not known. Revert its pages in a new one.')
  return app.locks.run(space.doc.id, async () => {
    const main = headOf(space)
    const undone = await mergeCommits(app, space, { ours: main, theirs: before, base: merge })
    if (!undone.clean) {
      throw conflictError(
        `The reversal of change request ${doc.number}`,
        undone.conflicts,
        'Its content has been changed since: edit it in a new change request.',
      )
    }
    await checkMergedNames(repo, undone.tree, main, before)
    if (undone.tree === (await repo.commit(main)).tree) throw conflict(`Nothing of change request ${doc.number} is left in the main content.`)
    const title = `Revert #${doc.number}${doc.subject ? `: ${doc.subject}` : ''}`
    const head = await makeCommit(app, space.doc.id, repo, {
      parents: [main],
      tree: undone.tree,
      changes: [],
      message: commitMessage(`Revert change request #${doc.number}${doc.subject ? `: ${doc.subject}` : ''}`, { Reverts: merge }),
      author: actor.user,
      overrides: await mergedOverrides(app, space.doc.id, repo, { bases: [merge], ours: main, theirs: before, tree: undone.tree }),
    })
    return createChangeRequest(app, actor, space, { subject: [...title].slice(0, MAX_SUBJECT).join('') }, { status: 'open', head })
  })
}
