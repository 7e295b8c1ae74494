/**
 * Decides whether an export can start without asking the remote for its head. The push checks the expected head anyway.
 */
import type { CommitId } from '../../kernel/ids.js'
import { incomingRef } from '../context/refs.js'
import type { Sided } from './remote-side.js'
import type { Sync } from './sync.js'
import { openState } from './sync-log.js'

/**
 * Returns the last seen head of the remote if an export onto it would have something to push. Returns null if the
 * remote must be asked. The remote rejects the push if its head has changed, so a wrong expectation costs one push and
 * has no other effect.
 */
export async function findExpectedHead(sync: Sided<Sync>): Promise<CommitId | null> {
  const { remote, run } = sync
  const { repo } = sync.space
  if (run.force || repo.refs.head(incomingRef(remote.key)) !== null) return null
  const { main, log } = await openState(sync)
  // After an unconfirmed push, the remote head is unknown. The same applies after a head from which another branch
  // dropped a part.
  const newest = log.syncPoints.findLast((syncPoint) => syncPoint.ref === remote.ref)
  if (
    log.last === null ||
    newest !== log.last ||
    log.lastLeft !== null ||
    !(await sync.side.commits.objects.hasCommit(log.last.remote))
  )
    return null
  const local = await sync.side.local(log, log.last.remote)
  if (local === null || (await repo.objects.commit(local)).tree === (await repo.objects.commit(main)).tree) return null
  return log.last.remote
}
