// The sync log: what a space has in common with a remote repository. Git's history does not say it all, because an export is a commit of its own
// on the remote's branch, with the content of main but none of its history.
import { remoteKey } from '../../git/index.js'
import { type CommitId, isOid, type RefName } from '../../kernel/ids.js'
import { syncPrefix } from '../context/refs.js'
import type { SyncRemote } from './remote.js'

/**
 * One line of the log. It counts only while main contains `anchor`: not yet after a crash before main moved, or while a conflict is not resolved,
 * and no longer if somebody set main back.
 */
export interface Entry {
  /**
   * `known`: main contains this head of `ref`, by an import or because it was exported from here. `offered`: it is being pushed, or the push broke
   * off, so nobody knows whether it arrived. `dropped`: the remote removed it from a ref's history (a forced push), and main followed; it
   * counts as new if it returns. `left`: a head of another ref contained what was dropped; `local` is that head without it, and is known.
   * `inferred`: the remote's commit `local` repeats an export (a squash or rebase), so each head that contains `local` contains the export.
   */
  kind: 'known' | 'offered' | 'dropped' | 'left' | 'inferred'
  /** The remote's commit. */
  remote: CommitId
  /** The same commit here: itself, or if only a folder is synced, the commit made of that folder (`directory.ts`). */
  theirs: CommitId
  /** The commit here with the same content: the exported one, or `theirs`. For `left`: the head without what was dropped. For `inferred`: the commit that repeats the export. */
  local: CommitId
  /** The commit that main must contain for the entry to count. */
  anchor: CommitId
  /** The remote's ref that it was seen at or pushed to; empty if that was not recorded. */
  ref: string
  /** Of an export commit by commit: how many commits were pushed, of which `remote` is the last; each is the first parent of the next. */
  row?: number
}

/** Whether the entry's content is all that main had at its anchor: an export, or a head with equal content. An import has content of its own. */
export const isWhole = ({ local, anchor }: Entry): boolean => local === anchor

/** Whether the entry's commit was made here and pushed. An imported head that equals main was not, even if it was adopted as main. */
export const isExport = (entry: Entry): boolean =>
  isWhole(entry) && (entry.local !== entry.theirs || entry.row !== undefined)

/** The last part of the name of a log's ref. */
export const LOG = 'log'

/** The ref of the log. A space has one log per repository and folder, for all branches. */
export const logRef = (remote: Pick<SyncRemote, 'url' | 'directory'>): RefName =>
  `${syncPrefix(remoteKey(remote.url, '', remote.directory))}${LOG}` as RefName

const HEADING = 'Common ground with a remote (bindery sync log 1)'
const KINDS: readonly string[] = ['known', 'offered', 'dropped', 'left', 'inferred'] satisfies Entry['kind'][]

/** The log as a commit message, oldest entry first. */
export const writeEntries = (entries: readonly Entry[]): string =>
  `${HEADING}\n\n${entries.map(({ kind, remote, theirs, local, anchor, ref, row }) => `${kind} ${remote} ${theirs} ${local} ${anchor} ${ref}${row === undefined ? '' : ` ${row}`}\n`).join('')}`

/** Reads what `writeEntries` wrote. Skips lines of unknown kinds. */
export function readEntries(message: string): Entry[] {
  return message.split('\n').flatMap((line) => {
    const [kind = '', remote = '', theirs = '', local = '', anchor = '', ref = '', row = ''] = line.split(' ')
    if (!KINDS.includes(kind) || ![remote, theirs, local, anchor].every(isOid)) return []
    const ids = {
      remote: remote as CommitId,
      theirs: theirs as CommitId,
      local: local as CommitId,
      anchor: anchor as CommitId,
    }
    return [
      { kind: kind as Entry['kind'], ...ids, ref, ...(/^[1-9][0-9]{0,5}$/.test(row) ? { row: Number(row) } : {}) },
    ]
  })
}

export const isKnown = (entry: Entry): boolean => entry.kind === 'known'

/**
 * Whether one entry was written after another. A `left` entry tells of the head that its ref had by then: if the ref was seen at another head before main
 * took the entry in (with a conflict), that other head is the last one.
 */
export const isWrittenAfter = (entries: readonly Entry[], one: Entry, other: Entry): boolean =>
  entries.indexOf(one) > entries.indexOf(other)

/** The log of a repository and folder, as it counts for the present main. */
export interface SyncLog {
  ref: RefName
  /** The commit that the log's ref points to. */
  at: CommitId | null
  /** All entries, oldest first. */
  entries: readonly Entry[]
  /** The entries that count, except for `inferred` ones: main contains their anchors. */
  counting: readonly Entry[]
  /** Of these, the known and offered ones that were not dropped later: pairs of a remote commit and its equal here. Oldest first. */
  pairs: readonly Entry[]
  /** Of these, the `left` ones. */
  left: readonly Entry[]
  /** The `inferred` entries that count. Each records an inference that was used, so that it is not made again. */
  inferred: readonly Entry[]
  /** The newest known pair of the ref that is being synced. */
  last: Entry | null
  /** The `left` entry of a head that was seen at that ref after `last`. */
  lastLeft: Entry | null
}
