/** Rolls main back to an earlier revision with a new commit. */
import { badRequest, conflict } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSpace } from '../context/loaded.js'
import { commitMessage, makeCommit } from './make-commit.js'
import { moveBranch } from './move-branch.js'
import { takenOverrides } from '../revisions/identity.js'
import { headOf } from '../revisions/main-content.js'
import { MAIN } from '../context/refs.js'
import { guardMain } from './guards.js'
import { isOid } from '../../kernel/ids.js'

/**
 * Commits the files and page IDs of an earlier revision to main. Later revisions stay in the history. The target must
 * be an ancestor of main, because a revision that was only imported (`standalone`) was never the space's content.
 * Throws 400 for an unknown revision. Throws 409 if the revision is not in main's history, if nothing would change, or
 * if the merge rules forbid a direct edit. Throws 423 if the space is locked.
 */
export async function rollBack(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  id: string,
): Promise<{ revision: CommitId }> {
  const { repo, doc } = space
  if (!isOid(id) || !(await repo.objects.hasCommit(id))) {
    throw badRequest(`There is no revision ${id} in this space.`, [
      { path: '/revision', message: 'must be a revision of the main content' },
    ])
  }
  const target = await repo.objects.commit(id)
  const [subject = ''] = target.message.split('\n')
  const revision = await app.locks.run(doc.id, (lease) =>
    moveBranch(
      repo,
      { ref: MAIN, reason: 'roll back', lease, guard: guardMain(app, space, { by: 'edit', actor }) },
      async () => {
        const main = headOf(space)
        if (!(await repo.history.isAncestor(target.id, main))) {
          throw conflict(`Revision ${id} is not in the history of the main content. Use a change request instead.`)
        }
        if ((await repo.objects.commit(main)).tree === target.tree)
          throw conflict(`The main content is already the same as in revision ${id}. Nothing was changed.`)
        return makeCommit(app, space, {
          parents: [main],
          tree: target.tree,
          changes: [],
          message: commitMessage(`Roll back to ${target.id.slice(0, 10)}: ${subject}`, { 'Rollback-To': target.id }),
          author: actor.user,
          overrides: await takenOverrides(app, space, target.id, main),
        })
      },
    ),
  )
  return { revision }
}
