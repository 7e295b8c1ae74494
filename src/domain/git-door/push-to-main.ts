/**
 * Handles a push to main. Its commits become the content of the space, or a change request if main accepts merges only.
 */
import { StaleRef } from '../../git/index.js'
import { ServiceError } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import { guardMain } from '../commits/guards.js'
import { moveRefs } from '../commits/move-branch.js'
import { MAIN } from '../context/refs.js'
import type { Landed, Push } from './push-request.js'
import { putUpForReview } from './push-to-topic.js'
import { checkContent, fetchFirst } from './refused.js'

/** The topic of pushes to main that need a review. */
const MAIN_TOPIC = 'main'

/** Moves main forward. Throws `PushRefused` if main has other commits, and `ServiceError` if the space is locked. */
export function pushToMain(push: Push, { from, to }: { from: CommitId | null; to: CommitId }): Promise<Landed> {
  const { app, actor, space, say } = push
  const { repo } = space
  return app.locks.run(space.doc.id, async (lease) => {
    const main = repo.head(MAIN)
    if (main === null || from !== main || !(await repo.isAncestor(main, to))) throw fetchFirst('main')
    const guard = guardMain(app, space, { by: 'edit', actor })
    try {
      await guard.check()
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'conflict') throw error
      say(
        'The main content of this space accepts only merges that meet its rules, so this push became a change request.',
      )
      return putUpForReview(push, lease, MAIN_TOPIC, to)
    }
    if (to === main) return { became: MAIN, from: main, to }
    await checkContent(push, main, to)
    try {
      await guard.during(async () => {
        await guard.check()
        await moveRefs(repo, [{ ref: MAIN, from: main, to }], 'push', lease)
      })
    } catch (error) {
      throw error instanceof StaleRef ? fetchFirst('main') : error
    }
    guard.moved()
    return { became: MAIN, from: main, to }
  })
}
