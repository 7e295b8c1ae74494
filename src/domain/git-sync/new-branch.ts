// Finds the commit of the remote on which an export creates a new branch.
import type { CommitId, RefName } from '../../kernel/ids.js'
import { ADOPTED } from '../context/refs.js'
import { commonCommits, findCommonGround } from './merge-base.js'
import type { ExportBase } from './export-commit.js'
import type { Sided } from './remote-side.js'
import type { Sync } from './sync.js'
import { readSyncLog } from './sync-log.js'
import { hasMetRemote } from './anchor-commits.js'
import type { SyncLog } from './log-entries.js'
import { requireMain } from './apply-arrival.js'

/** Most other branches that are looked at. */
const MOST = 4

/** The head of another branch of the remote (`head`), and the same commit here (`theirs`). */
export interface BranchHead {
  head: CommitId
  theirs: CommitId | null
}

/**
 * Fetches the heads of the remote's other branches: the default branch first, since branches are merged into it, then those synced last. If the remote has none
 * of these, any of its branches: the only one may have been renamed.
 */
export async function findOtherBranches(sync: Sided<Sync>): Promise<BranchHead[]> {
  const { space, remote, connection, side } = sync
  const { repo } = space
  const log = await readSyncLog(repo, remote, requireMain(sync))
  // The space was never synced with this repository, so its branches have nothing in common with it.
  if (log.pairs.length === 0) return []
  const named = [...log.pairs].reverse().map((pair) => pair.ref)
  const wanted = distinct([await repo.remoteDefault(connection), ...named], remote.ref)
  const there = wanted.length === 0 ? new Map() : await repo.remoteHeads(connection, wanted)
  const all = there.size > 0 ? [] : (await repo.remoteBranches(connection)).branches.map(({ ref }) => ref)
  const refs = there.size > 0 ? wanted.filter((ref) => there.has(ref)) : distinct(all, remote.ref)
  const found: BranchHead[] = []
  for (const ref of refs) {
    const head = await side.fetch(ref)
    found.push({ head, theirs: await side.local(log, head) })
  }
  return found
}

/** The first names of branches in a list, each once, without one. */
const distinct = (refs: readonly (string | null)[], without: string): RefName[] =>
  [...new Set(refs)].filter((ref): ref is RefName => ref !== null && ref !== '' && ref !== without).slice(0, MOST)

/**
 * The parent of the first export to a branch that does not exist. If the repository is known, the branch begins at a head with the same content, or else
 * at the newest commit there that main contains, so that it can be merged there. A space that was never synced exports its own history. Otherwise the
 * export begins a history of one commit: what was purged from a remote must not return with the space's history.
 */
export async function firstExportBase(
  sync: Sided<Sync>,
  log: SyncLog,
  main: CommitId,
  branches: readonly BranchHead[],
): Promise<ExportBase> {
  const { space, remote } = sync
  const { repo } = space
  const { tree } = await repo.commit(main)
  for (const { head, theirs } of branches)
    if (theirs !== null && (await repo.commit(theirs)).tree === tree) return { head, local: theirs }
  for (const { head, theirs } of branches) {
    if (theirs === null) continue
    const ground = await findCommonGround(repo, log, { main, theirs })
    if (ground.inStep) return { head, local: theirs }
    for (const base of await commonCommits(repo, ground.known, [theirs])) {
      const found = log.pairs.findLast((pair) => pair.theirs === base)?.remote ?? (await sync.side.original(base, head))
      if (found !== null) return { head: found, local: base }
    }
  }
  const met = repo.head(ADOPTED) !== null || (await hasMetRemote(repo, main))
  return met || remote.directory !== '' ? { head: null, local: null } : { head: main, local: main, own: true }
}
