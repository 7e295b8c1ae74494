/**
 * Finds the dropped commits that were written here. A reset of the remote may revert the work of people there, but not
 * the work of authors here.
 */
import { required } from '../../kernel/defined.js'
import type { CommitInfo, Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { PAGE_IDS } from '../revisions/identity.js'
import type { DroppedPart } from './remainder-commit.js'
import type { SyncLog } from './log-entries.js'

/** Maximum number of dropped commits that are read. */
const MAX_COMMITS = 2_000

/**
 * Maximum number of exports that are removed from the dropped head one by one. If there are more, the whole reset
 * becomes a conflict.
 */
const MAX_PARTS = 50

/** Trailer of the commit on main that records the merge of a change request on the host: the resulting commits there. */
export const MERGED_AS = 'Merged-As'
const NAMED = `${MERGED_AS}: `

/** The dropped commits that were written here. */
export interface DroppedExports {
  /** The change that each commit made, newest first; null if all dropped commits count as written here. */
  parts: DroppedPart[] | null
  /** The authors as `Name <address>`, newest first. */
  authors: string[]
}

/**
 * Finds the commits that were made here, in the history of the dropped head but not in `past`: exports, the space's own
 * history that an export pushed, and remote commits that repeat an export. Returns null if there are none.
 * @param past the new head, and the exports that it contains
 */
export async function droppedExports(
  repo: Repository,
  log: SyncLog,
  { main, droppedHead }: { main: CommitId; droppedHead: CommitId },
  past: readonly CommitId[],
): Promise<DroppedExports | null> {
  const repeats = new Set([...(await repeatingCommits(repo, log)), ...(await recordedMerges(repo, main))])
  // Remainders were also made here, but only for merges.
  const remainders = new Set<string>(log.left.map(({ local }) => local))
  const dropped = (await repo.history.log({ from: droppedHead, not: [...new Set(past)], limit: MAX_COMMITS })).filter(
    ({ id }) => !remainders.has(id),
  )
  const own = dropped.filter(({ id, headers }) => repeats.has(id) || headers[PAGE_IDS] !== undefined)
  if (own.length === 0) return null
  const whole =
    own.length === dropped.length || own.length > MAX_PARTS || dropped.length >= MAX_COMMITS - remainders.size
  return { parts: whole ? null : own.flatMap(partOf), authors: [...new Set(own.flatMap(authorsOf))] }
}

/** Returns the commits that the log records as repeating exports. */
async function repeatingCommits(repo: Repository, { inferred }: SyncLog): Promise<ReadonlySet<string>> {
  const commits = new Set<string>()
  for (const { local, seriesLength = 1 } of inferred)
    for (const one of seriesLength === 1 ? [local] : (await repo.history.firstParents(local)).slice(0, seriesLength))
      commits.add(one)
  return commits
}

/**
 * Returns the commits of the remote that the newest merges of change requests on main name. The log lacks them if it
 * was pruned, or if an earlier release recorded the merge.
 */
async function recordedMerges(repo: Repository, main: CommitId): Promise<string[]> {
  const merges = await repo.history.log({ from: main, firstParent: true, limit: MAX_COMMITS })
  const lines = merges.flatMap(({ message }) => message.split('\n'))
  return lines.filter((line) => line.startsWith(NAMED)).map((line) => line.slice(NAMED.length))
}

const partOf = ({ id, parents: [to] }: CommitInfo): DroppedPart[] => (to === undefined ? [] : [{ from: id, to }])

const authorsOf = ({ author, message }: CommitInfo): string[] => [
  `${author.name} <${author.email}>`,
  ...[...message.matchAll(/^Co-authored-by: (.+)$/gim)].map(([, name]) => required(name)),
]
