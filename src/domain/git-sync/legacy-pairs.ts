// Reads what earlier versions recorded about syncs, before there was a log: one ref per pair of a remote commit and its equal here.
import type { RefMove, Repository } from '../../git/index.js'
import { type CommitId, isOid, type RefName } from '../../kernel/ids.js'
import { type Entry, LOG } from './log-entries.js'
import type { SyncRemote } from './remote.js'

/** The refs of one remote: `<remote commit>` points to the commit here, `head` to the last remote head that was in step. */
interface Legacy {
  key: string
  refs: Map<RefName, CommitId>
}

async function legacyRefs(repo: Repository): Promise<Legacy[]> {
  const byKey = new Map<string, Legacy>()
  for (const [ref, commit] of await repo.refs('refs/bindery/sync/')) {
    const [key = '', name] = ref.slice('refs/bindery/sync/'.length).split('/')
    if (name === LOG) continue
    const legacy = byKey.get(key) ?? { key, refs: new Map() }
    byKey.set(key, legacy.refs.set(ref, commit) && legacy)
  }
  return [...byKey.values()]
}

/**
 * The pairs that earlier versions recorded, as the oldest entries of the log. `moves` deletes the refs of this remote, to be done once the log has
 * the pairs. Pairs of other branches and repositories count too if the remote's commit has the content they state: it is the same commit there.
 */
export async function readLegacy(
  repo: Repository,
  remote: SyncRemote,
  main: CommitId,
): Promise<{ entries: Entry[]; moves: RefMove[] }> {
  const entries: Entry[] = []
  const moves: RefMove[] = []
  for (const { key, refs } of await legacyRefs(repo)) {
    const isOwn = key === remote.key
    entries.push(...(await pairsOf(repo, refs, isOwn ? null : remote.directory, isOwn ? remote.ref : '', main)))
    if (isOwn) moves.push(...[...refs].map(([ref, from]) => ({ ref, from, to: null })))
  }
  return { entries, moves }
}

async function pairsOf(
  repo: Repository,
  refs: Legacy['refs'],
  foreign: string | null,
  ref: string,
  main: CommitId,
): Promise<Entry[]> {
  const locals = new Map<string, CommitId>()
  let last: string | null = null
  for (const [name, commit] of refs) {
    const end = name.split('/').at(-1) as string
    if (isOid(end)) locals.set(end, commit)
    else last = commit
  }
  const entries: Entry[] = []
  for (const [remote, local] of locals) {
    if (!(await repo.hasCommit(remote)) || !(await repo.hasCommit(local))) continue
    if (foreign !== null && !(await hasContent(repo, remote as CommitId, foreign, local))) continue
    const theirs =
      foreign === '' || (foreign === null && remote === local)
        ? (remote as CommitId)
        : await ownTree(repo, remote as CommitId, local)
    // It is newer than the last head in step and not an export: the remote was set back after it, and main followed.
    const rewound =
      last !== null &&
      remote !== last &&
      remote === local &&
      (await repo.hasCommit(last)) &&
      (await repo.isAncestor(last as CommitId, local))
    const kind = rewound ? 'dropped' : remote === last ? 'known' : 'offered'
    entries.push({ kind, remote: remote as CommitId, theirs, local, anchor: rewound ? main : local, ref })
  }
  const age: Record<Entry['kind'], number> = { dropped: 0, left: 0, inferred: 0, offered: 1, known: 2 }
  return entries.sort((a, b) => age[a.kind] - age[b.kind])
}

/** The remote's commit itself if it has the same content, else (only a folder is synced) the commit that was recorded. */
const ownTree = async (repo: Repository, remote: CommitId, local: CommitId): Promise<CommitId> =>
  (await repo.commit(remote)).tree === (await repo.commit(local)).tree ? remote : local

async function hasContent(repo: Repository, remote: CommitId, directory: string, local: CommitId): Promise<boolean> {
  const { tree } = await repo.commit(local)
  return (await (await repo.at(remote)).entry(directory))?.oid === tree
}
