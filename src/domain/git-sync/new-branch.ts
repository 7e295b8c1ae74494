// Finds the remote commit on which an export creates a new branch.
import type { CommitId, RefName } from '../../kernel/ids.js'
import { ADOPTED } from '../context/refs.js'
import { commonCommits, findMergeBase } from './merge-base.js'
import type { ExportBase } from './export-commit.js'
import type { Sided } from './remote-side.js'
import type { Sync } from './sync.js'
import { openState } from './sync-log.js'
import { type SyncLog, wasEverSynced } from './log-entries.js'

/** Maximum number of other branches that are inspected. */
const MAX_BRANCHES = 4

/** The head of another branch of the remote (`head`), and the equal local commit (`theirs`). */
export interface BranchHead {
  head: CommitId
  theirs: CommitId | null
}

/**
 * Fetches the heads of the remote's other branches. The default branch comes first because branches are merged into it,
 * followed by the most recently synced ones. If none of them exists, any branches are used: the only branch may have
 * been renamed.
 */
export async function findOtherBranches(sync: Sided<Sync>): Promise<BranchHead[]> {
  const { space, remote, connection, side } = sync
  const { repo } = space
  const { log } = await openState(sync)
  // The space was never synced with this repository, so its branches have no merge base with main.
  if (log.syncPoints.length === 0) return []
  const named = [...log.syncPoints].reverse().map((syncPoint) => syncPoint.ref)
  const candidates = distinct([await repo.remote.defaultBranch(connection), ...named], remote.ref)
  const existing = candidates.length === 0 ? new Map() : await repo.remote.heads(connection, candidates)
  const all = existing.size > 0 ? [] : (await repo.remote.branches(connection)).branches.map(({ ref }) => ref)
  const refs = existing.size > 0 ? candidates.filter((ref) => existing.has(ref)) : distinct(all, remote.ref)
  const found: BranchHead[] = []
  for (const ref of refs) {
    const head = await side.fetch(ref)
    found.push({ head, theirs: await side.local(log, head) })
  }
  return found
}

/** Returns the first distinct branch names of a list, except `without`. */
const distinct = (refs: readonly (string | null)[], without: string): RefName[] =>
  [...new Set(refs)]
    .filter((ref): ref is RefName => ref !== null && ref !== '' && ref !== without)
    .slice(0, MAX_BRANCHES)

/**
 * Returns the parent of the first export to a branch that does not exist.
 *
 * If the repository has sync points, the branch starts at a head with the same content. If there is none, it starts at
 * the newest remote commit that main contains, so that it can be merged there. A space that was never synced exports
 * its own history. In all other cases, the export starts a history of one commit, because content that was purged from
 * a remote must not return with the space's history.
 */
export async function firstExportBase(
  sync: Sided<Sync>,
  log: SyncLog,
  main: CommitId,
  branches: readonly BranchHead[],
): Promise<ExportBase> {
  const { space, remote } = sync
  const { repo } = space
  const { tree } = await repo.objects.commit(main)
  for (const { head, theirs } of branches)
    if (theirs !== null && (await repo.objects.commit(theirs)).tree === tree) return { head, local: theirs }
  for (const { head, theirs } of branches) {
    if (theirs === null) continue
    const mergeBase = await findMergeBase(repo, log, { main, theirs })
    if (mergeBase.upToDate) return { head, local: theirs }
    for (const base of await commonCommits(repo, mergeBase.integrated, [theirs])) {
      const found =
        log.syncPoints.findLast((syncPoint) => syncPoint.theirs === base)?.remote ??
        (await sync.side.original(base, head))
      if (found !== null) return { head: found, local: base }
    }
  }
  const met = repo.refs.head(ADOPTED) !== null || (await wasEverSynced(repo, main))
  return met || remote.directory !== '' ? { head: null, local: null } : { head: main, local: main, own: true }
}
