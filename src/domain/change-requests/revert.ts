/** Reverts a merged change request by opening another one that undoes it. */
import { conflict } from '../../kernel/errors.js'
import { checkUnlocked } from '../commits/guards.js'
import { commitMessage } from '../commits/make-commit.js'
import { mergeCommits } from '../commits/merge/merge.js'
import { conflictError } from '../commits/merge/merged-tree.js'
import { makeMergeCommit } from '../commits/merge/merge-commit.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { headOf } from '../revisions/main-content.js'
import { createChangeRequest } from './change-requests.js'
import { spanOf } from './span.js'

/** Maximum length of a change request's subject in characters. */
const MAX_SUBJECT = 100

/**
 * Opens a change request whose branch undoes exactly the changes of a merged one, with a three-way merge of main and
 * the commit before the merge, based on the merge. Throws 409 if the change request is not merged or has no merge
 * commit, if undoing conflicts with later changes, or if main no longer has any of the changes. Throws 423 if the space
 * is locked.
 */
export async function revertChangeRequest(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
): Promise<LoadedChangeRequest> {
  const { repo } = space
  const { doc } = changeRequest
  if (doc.status !== 'merged')
    throw conflict(`The change request is ${doc.status}. Only a merged change request can be reverted.`)
  checkUnlocked(space)
  const { before, after, merge } = await spanOf(app, space, changeRequest)
  if (!merge)
    throw conflict(
      'The change request has no merge commit in main, so its changes are unknown. Revert its pages in a new change request instead.',
    )
  return app.locks.run(space.doc.id, async (lease) => {
    const main = headOf(space)
    const undone = await mergeCommits(app, space, { ours: main, theirs: before, base: after })
    if (!undone.clean) {
      throw conflictError(
        `The reversal of change request ${doc.number}`,
        undone.conflicts,
        'The same content was changed later. Undo the remaining changes in a new change request.',
      )
    }
    if (undone.tree === (await repo.objects.commit(main)).tree)
      throw conflict(
        `There is nothing to revert: the main content no longer has any changes from change request ${doc.number}.`,
      )
    const title = `Revert #${doc.number}${doc.subject ? `: ${doc.subject}` : ''}`
    const message = commitMessage(`Revert change request #${doc.number}${doc.subject ? `: ${doc.subject}` : ''}`, {
      Reverts: merge,
    })
    const reversal = { ours: main, theirs: before, bases: [after], tree: undone.tree }
    const head = await makeMergeCommit(app, space, reversal, { parents: [main], message, author: actor.user })
    return createChangeRequest(
      app,
      actor,
      space,
      { subject: [...title].slice(0, MAX_SUBJECT).join('') },
      { lease, status: 'open', head },
    )
  })
}
