/** Finds the broken links that a change request introduces. */
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { spanOf } from '../change-requests/span.js'
import { headOf } from '../revisions/main-content.js'
import { openRevision } from '../revisions/revisions.js'
import { LinkReport } from './report.js'

/**
 * Returns the keys of links that are broken without the change request: on main (or in the revision before its merge),
 * or where it branched off. The change request introduced its other broken links.
 */
export async function brokenWithout(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
): Promise<Set<string>> {
  const { before, merge } = await spanOf(app, space, changeRequest)
  const other = merge === null ? headOf(space) : ((await space.repo.mergeBase(before, changeRequest.head)) ?? before)
  const broken = new Set<string>()
  for (const commit of new Set([before, other]))
    for (const key of await (await LinkReport.of(app, actor, await openRevision(app, space, commit))).broken())
      broken.add(key)
  return broken
}
