/** Lists the merge rules that a change request does not meet for one user. */
import type { UnmetRule } from '../../model/index.js'
import { protectionOf } from '../commits/rules/effective.js'
import { unmetRules } from '../commits/rules/unmet.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { wroteIn } from './writers.js'

/**
 * Returns the rules that keep the caller from merging. The authors are only computed if there are rules, because that
 * reads the history.
 */
export async function unmetBy(
  app: App,
  { user }: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
): Promise<UnmetRule[]> {
  const { status } = changeRequest.doc
  if (status === 'merged' || status === 'archived' || (await protectionOf(app.store, space.doc)) === null) return []
  const wrote = await wroteIn(app, space, changeRequest, user)
  return unmetRules(app.store, space, { ...changeRequest, mergedBy: { user: user.id, wrote } })
}
