import type { CommitId, RefName } from '../../kernel/ids.js'
import { ADOPTED } from '../context/refs.js'
import { commonCommits, findCommonGround } from './common-ground.js'
import { localCommit } from './directory.js'
import type { Ground } from './export-commit.js'
import { fetchHead, type Sync } from './sync.js'
import { hasMetRemote, readSyncLog } from './sync-log.js'
import type { SyncLog } from './log-entries.js'
import { requireMain } from './take-up.js'

/** Refs beside the default branch that are asked for something to stand on. */
const MOST = 4

/** A head of the remote that a new branch may stand on. */
export interface Foundation {
  head: CommitId
  theirs: CommitId | null
}

/** Heads of the repository's other branches: the default one first, where branches are merged to, then those synchronized last. */
export async function findFoundations(sync: Sync): Promise<Foundation[]> {
  const { space, remote, connection } = sync
  const { repo } = space
  const log = await readSyncLog(repo, remote, requireMain(sync))
  // Nothing is known of the repository: what it holds is no ground of ours.
  if (log.pairs.length === 0) return []
  const named = [...log.pairs].reverse().map((pair) => pair.ref)
  const refs = [...new Set([await repo.remoteDefault(connection), ...named])].filter((ref) => ref !== null && ref !== '' && ref !== remote.ref).slice(0, MOST)
  const found: Foundation[] = []
  for (const ref of refs as RefName[]) {
    if ((await repo.remoteHead(connection, ref)) === null) continue
    const head = await fetchHead(sync, ref)
    found.push({ head, theirs: await localCommit(repo, log, remote.directory, head) })
  }
  return found
}

/**
 * What the first export to a ref that does not exist stands on. A branch of a repository that is known begins at the newest
 * commit there that is known here (of the same content, if there is one), so that it can be merged there. A space that never met a remote takes its own history
 * along. Else the export begins a history of one commit: what was purged from a remote must not come back by ours.
 */
export async function firstGround(sync: Sync, log: SyncLog, main: CommitId, foundations: readonly Foundation[]): Promise<Ground> {
  const { space, remote } = sync
  const { repo } = space
  const { tree } = await repo.commit(main)
  for (const { head, theirs } of foundations) if (theirs !== null && (await repo.commit(theirs)).tree === tree) return { head, local: theirs }
  for (const { head, theirs } of foundations) {
    if (theirs === null) continue
    const ground = await findCommonGround(repo, log, { main, theirs })
    if (ground.inStep) return { head, local: theirs }
    for (const base of await commonCommits(repo, ground.known, [theirs])) {
      const found = remote.directory === '' ? base : log.pairs.findLast((pair) => pair.theirs === base)?.remote
      if (found !== undefined) return { head: found, local: base }
    }
  }
  const met = repo.head(ADOPTED) !== null || (await hasMetRemote(repo, main))
  return met || remote.directory !== '' ? { head: null, local: null } : { head: main, local: main, own: true }
}
