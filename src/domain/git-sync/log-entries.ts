// Defines the entries of the sync log, which records the sync points of a space and a remote repository. Git's history
// is not enough: an export is a separate commit on the remote branch that has main's content but not its history.
import { remoteKey, type Repository } from '../../git/index.js'
import { type CommitId, isOid, type RefName } from '../../kernel/ids.js'
import { syncPrefix } from '../context/refs.js'
import type { SyncRemote } from './remote.js'

/**
 * One entry of the log. It counts only while main contains `anchor`. It does not count if a crash happened before main
 * moved, while a conflict is open, or after main was reset.
 */
export interface Entry {
  /**
   * The kind of the entry:
   * - `known`: main contains this head of `ref`, through an import or because it was exported from here.
   * - `offered`: a push is running or unconfirmed.
   * - `dropped`: a force push removed the commit from a ref, and main followed. It counts as new if it returns.
   * - `left`: a head of another ref contained dropped commits. `local` is its remainder, which is integrated.
   * - `inferred`: the remote commit `local` repeats an export (a squash or rebase), by its changes or by the host's
   *   report. Each head that contains `local` contains the export.
   */
  kind: 'known' | 'offered' | 'dropped' | 'left' | 'inferred'
  /** The remote commit. */
  remote: CommitId
  /**
   * The local form of the remote commit: the commit itself or, if only a folder is synced, the commit made from that
   * folder (`directory.ts`).
   */
  theirs: CommitId
  /**
   * The local commit with the same content: the exported one, or `theirs`. For `left`: the remainder of the head. For
   * `inferred`: the commit that repeats the export.
   */
  local: CommitId
  /** The anchor commit: the commit that main must contain before the entry counts. */
  anchor: CommitId
  /** The remote ref at which the commit was seen or to which it was pushed; empty if it was not recorded. */
  ref: string
  /**
   * The number of commits in an exported commit series. `remote` is the last one, and each commit is the first parent
   * of the next. For `inferred`: the number of commits that repeat the export; `local` is the last one.
   */
  seriesLength?: number
}

/**
 * Whether the entry has main's whole content at its anchor: an export, or a head with equal content. After an
 * import, main may also have other content.
 */
export const isWhole = ({ local, anchor }: Entry): boolean => local === anchor

/**
 * Whether the entry's commit was made here and pushed. An imported head that equals main was not made here, even if
 * main adopted it.
 */
export const isExport = (entry: Entry): boolean =>
  isWhole(entry) && (entry.local !== entry.theirs || entry.seriesLength !== undefined)

/** The last part of the name of a log's ref. */
const LOG = 'log'

/** Returns the ref of the log. A space has one log per repository and folder, for all branches. */
export const logRef = (remote: Pick<SyncRemote, 'url' | 'directory'>): RefName =>
  `${syncPrefix(remoteKey(remote.url, '', remote.directory))}${LOG}`

const HEADING = 'Common ground with a remote (bindery sync log 1)'
const KINDS: readonly string[] = ['known', 'offered', 'dropped', 'left', 'inferred'] satisfies Entry['kind'][]
const isKind = (text: string): text is Entry['kind'] => KINDS.includes(text)

/** Writes the log as a commit message, oldest entry first. */
export const writeEntries = (entries: readonly Entry[]): string =>
  `${HEADING}\n\n${entries.map(({ kind, remote, theirs, local, anchor, ref, seriesLength }) => `${kind} ${remote} ${theirs} ${local} ${anchor} ${ref}${seriesLength === undefined ? '' : ` ${seriesLength}`}\n`).join('')}`

/** Reads a message from `writeEntries`. Skips lines of unknown kinds. */
export function readEntries(message: string): Entry[] {
  return message.split('\n').flatMap((line) => {
    const [kind = '', remote = '', theirs = '', local = '', anchor = '', ref = '', seriesLength = ''] = line.split(' ')
    if (!isKind(kind) || !isOid(remote) || !isOid(theirs) || !isOid(local) || !isOid(anchor)) return []
    return [
      {
        kind,
        remote,
        theirs,
        local,
        anchor,
        ref,
        ...(/^[1-9][0-9]{0,5}$/.test(seriesLength) ? { seriesLength: Number(seriesLength) } : {}),
      },
    ]
  })
}

export const isKnown = (entry: Entry): boolean => entry.kind === 'known'

/**
 * Whether one entry was written after another. A `left` entry describes the head that its ref had when it was written.
 * If another head of the ref was seen before main contained the entry (after a conflict), that other head is the last
 * one.
 */
export const isWrittenAfter = (entries: readonly Entry[], one: Entry, other: Entry): boolean =>
  entries.indexOf(one) > entries.indexOf(other)

/** The log of a repository and folder, evaluated for the current main. */
export interface SyncLog {
  ref: RefName
  /** The commit that the log's ref points to. */
  at: CommitId | null
  /** All entries, oldest first. */
  entries: readonly Entry[]
  /** The entries that count, without `inferred` ones: main contains their anchors. */
  counting: readonly Entry[]
  /** The sync points: counting entries of the kinds `known` and `offered` that were not dropped later, oldest first. */
  syncPoints: readonly Entry[]
  /** The counting `left` entries. */
  left: readonly Entry[]
  /** The `inferred` entries that count. Each records an inference that was used, so it is not made again. */
  inferred: readonly Entry[]
  /** The newest known sync point of the synced ref. */
  last: Entry | null
  /** The `left` entry of a head that was seen at the synced ref after `last`. */
  lastLeft: Entry | null
}

/**
 * Whether the space was ever synced with any remote. Ignores an import that crashed before main moved, and an export
 * that may not have arrived.
 */
export async function wasEverSynced(repo: Repository, main: CommitId): Promise<boolean> {
  for (const [ref, commit] of await repo.refs.list('refs/bindery/sync/')) {
    const anchors = ref.endsWith(`/${LOG}`)
      ? readEntries((await repo.objects.commit(commit)).message)
          .filter(isKnown)
          .map(({ anchor }) => anchor)
      : [commit]
    for (const anchor of anchors)
      if ((await repo.objects.hasCommit(anchor)) && (await repo.history.isAncestor(anchor, main))) return true
  }
  return false
}

/** Returns the commits by which main followed a drop, for all remotes that the space was synced with. */
export async function dropAnchors(repo: Repository, main: CommitId): Promise<CommitId[]> {
  const anchors = new Set<CommitId>()
  for (const [ref, commit] of await repo.refs.list('refs/bindery/sync/'))
    for (const { kind, anchor } of ref.endsWith(`/${LOG}`)
      ? readEntries((await repo.objects.commit(commit)).message)
      : [])
      if (kind === 'dropped' && (await repo.objects.hasCommit(anchor)) && (await repo.history.isAncestor(anchor, main)))
        anchors.add(anchor)
  return [...anchors]
}
