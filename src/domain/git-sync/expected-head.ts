/** Says when an export may begin without asking the remote for its head: the push asks anyway, under a lease. */
import type { CommitId } from '../../kernel/ids.js'
import { incomingRef } from '../context/refs.js'
import { requireMain } from './apply-arrival.js'
import type { Sided } from './remote-side.js'
import type { Sync } from './sync.js'
import { readSyncLog } from './sync-log.js'

/**
 * The head that the remote had when it was last seen, if an export onto it would have something to push; null if the remote has to be asked. The push is refused
 * if the remote has another head by now. So a wrong presumption costs one push, and nothing is concluded from it.
 */
export async function presumedHead(sync: Sided<Sync>): Promise<CommitId | null> {
  const { remote, run } = sync
  const { repo } = sync.space
  if (run.force || repo.head(incomingRef(remote.key)) !== null) return null
  const main = requireMain(sync)
  const log = await readSyncLog(repo, remote, main)
  // After an export whose push may have arrived, nobody knows where the remote is. The same holds after a head of which another branch dropped a part.
  const newest = log.pairs.findLast((pair) => pair.ref === remote.ref)
  if (
    log.last === null ||
    newest !== log.last ||
    log.lastLeft !== null ||
    !(await sync.side.commits.hasCommit(log.last.remote))
  )
    return null
  const local = await sync.side.local(log, log.last.remote)
  if (local === null || (await repo.commit(local)).tree === (await repo.commit(main)).tree) return null
  return log.last.remote
}
