import type { RefMove, Repository } from '../../git/index.js'
import { type CommitId, isOid, type RefName } from '../../kernel/ids.js'
import type { Entry } from './log-entries.js'
import { LOG } from './log-ref.js'
import type { SyncRemote } from './remote.js'

/** What the refs of one remote said before there was a log: `<remote commit>` → the commit here, `head` → the last one in step. */
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
 * Pairs that earlier versions recorded as refs of their own, oldest knowledge of all; `moves` delete those of this remote,
 * for when the log holds them. Pairs of other refs and repositories count where the remote's commit has the content that
 * they say: a commit is the same wherever it lies.
 */
export async function readLegacy(repo: Repository, remote: SyncRemote, main: CommitId): Promise<{ entries: Entry[]; moves: RefMove[] }> {
  const entries: Entry[] = []
  const moves: RefMove[] = []
  for (const { key, refs } of await legacyRefs(repo)) {
    const mine = key === remote.key
    entries.push(...(await pairsOf(repo, refs, mine ? null : remote.directory, mine ? remote.ref : '', main)))
    if (mine) moves.push(...[...refs].map(([ref, from]) => ({ ref, from, to: null })))
  }
  return { entries, moves }
}

async function pairsOf(repo: Repository, refs: Legacy['refs'], foreign: string | null, ref: string, main: CommitId): Promise<Entry[]> {
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
    const theirs = foreign === '' || (foreign === null && remote === local) ? (remote as CommitId) : await ownTree(repo, remote as CommitId, local)
    // Newer than the head last in step and no export of ours: the remote was rewound since, and main with it.
    const rewound = last !== null && remote !== last && remote === local && (await repo.hasCommit(last)) && (await repo.isAncestor(last as CommitId, local))
    const kind = rewound ? 'dropped' : remote === last ? 'known' : 'offered'
    entries.push({ kind, remote: remote as CommitId, theirs, local, anchor: rewound ? main : local, ref })
  }
  const age: Record<Entry['kind'], number> = { dropped: 0, left: 0, offered: 1, known: 2 }
  return entries.sort((a, b) => age[a.kind] - age[b.kind])
}

/** A commit of a whole repository stands for itself, one of a folder for the commit here that was recorded. */
const ownTree = async (repo: Repository, remote: CommitId, local: CommitId): Promise<CommitId> =>
  (await repo.commit(remote)).tree === (await repo.commit(local)).tree ? remote : local

async function hasContent(repo: Repository, remote: CommitId, directory: string, local: CommitId): Promise<boolean> {
  const { tree } = await repo.commit(local)
  return (await (await repo.at(remote)).entry(directory))?.oid === tree
}
