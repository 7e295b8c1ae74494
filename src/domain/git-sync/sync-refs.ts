import type { RefMove, Repository } from '../../git/index.js'
import { type CommitId, isOid, type RefName } from '../../kernel/ids.js'
import { syncPrefix, syncRef } from '../refs.js'

/** The head of the remote that was last in step with this space; the commit itself, so that it is kept. */
const lastRef = (key: string): RefName => `${syncPrefix(key)}head` as RefName

/** What is known of one remote: all of it stands in refs. */
export interface SyncState {
  key: string
  /** The remote's head that was last in step with main, and the commit here that it equals. */
  last: { remote: CommitId; local: CommitId } | null
  /** Remote commit → the commit here that it equals. */
  equals: ReadonlyMap<string, CommitId>
}

export async function readSyncState(repo: Repository, key: string): Promise<SyncState> {
  const equals = new Map<string, CommitId>()
  for (const [ref, commit] of await repo.refs(syncPrefix(key))) {
    const name = ref.slice(syncPrefix(key).length)
    if (isOid(name)) equals.set(name, commit)
  }
  const remote = repo.head(lastRef(key))
  const local = remote === null ? undefined : equals.get(remote)
  return { key, last: remote !== null && local !== undefined ? { remote, local } : null, equals }
}

/** Moves that record `remote` ≡ `local` as the state last in step. */
export function recordMoves(repo: Repository, state: SyncState, remote: CommitId, local: CommitId): RefMove[] {
  const moves: RefMove[] = []
  const known = state.equals.get(remote) ?? null
  if (known !== local) moves.push({ ref: syncRef(state.key, remote), from: known, to: local })
  const last = repo.head(lastRef(state.key))
  if (last !== remote) moves.push({ ref: lastRef(state.key), from: last, to: remote })
  return moves
}

/**
 * Whether main has `head` already: it is the head last in step, or one exported by us whose push was never confirmed.
 * A head that lies behind the last one is a rewound remote, and news.
 */
export async function isInStep(repo: Repository, state: SyncState, head: CommitId): Promise<boolean> {
  if (state.last?.remote === head) return true
  if (!state.equals.has(head)) return false
  return state.last === null || ((await repo.hasCommit(head)) && (await repo.isAncestor(state.last.remote, head)))
}
