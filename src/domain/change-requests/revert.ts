import { conflict } from '../../kernel/errors.js'
import { checkUnlocked } from '../commits/guards.js'
import { commitMessage } from '../commits/make-commit.js'
import { conflictError } from '../commits/merge/conflict-error.js'
import { mergeCommits } from '../commits/merge/merge.js'
import { makeMergeCommit } from '../commits/merge/merge-commit.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { headOf } from '../revisions/main-content.js'
import { createChangeRequest } from './change-requests.js'
import { spanOf } from './span.js'

/** Longest subject of a change request: service.md. */
const MAX_SUBJECT = 100

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
  return app.locks.run(space.doc.id, async (lease) => {
    const main = headOf(space)
    const undone = await mergeCommits(app, space, { ours: main, theirs: before, base: merge })
    if (!undone.clean) {
      throw conflictError(
        `The reversal of change request ${doc.number}`,
        undone.conflicts,
        'Its content has been changed since: edit it in a new change request.',
      )
    }
    if (undone.tree === (await repo.commit(main)).tree) throw conflict(`Nothing of change request ${doc.number} is left in the main content.`)
    const title = `Revert #${doc.number}${doc.subject ? `: ${doc.subject}` : ''}`
    const message = commitMessage(`Revert change request #${doc.number}${doc.subject ? `: ${doc.subject}` : ''}`, { Reverts: merge })
    const reversal = { ours: main, theirs: before, bases: [merge], tree: undone.tree }
    const head = await makeMergeCommit(app, space, reversal, { parents: [main], message, author: actor.user })
    return createChangeRequest(lease, app, actor, space, { subject: [...title].slice(0, MAX_SUBJECT).join('') }, { status: 'open', head })
  })
}
