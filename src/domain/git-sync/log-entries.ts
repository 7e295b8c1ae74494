import type { RefMove } from '../../git/index.js'
import { type CommitId, isOid, type RefName } from '../../kernel/ids.js'

/**
 * One line of a space's log of what it has in common with a repository. Each says at which commit here it begins to be
 * true: as long as main does not contain `anchor`, it is not (a crash, a conflict not resolved yet, a main set back).
 */
export interface Entry {
  /**
   * `known`: main took this head of `ref` up, or the remote took it from us. `offered`: about to be pushed; whether it
   * arrived is not known. `dropped`: the remote dropped it from a ref's history, and so did main; it is news if it returns.
   * `left`: what was dropped from one ref taken out of the head of another one, `local` is known of that head all the same.
   */
  kind: 'known' | 'offered' | 'dropped' | 'left'
  /** The remote's commit. */
  remote: CommitId
  /** What that commit is here: itself, or where a folder is synchronized the folder's commit (`directory.ts`). */
  theirs: CommitId
  /** The commit here whose content it equals: where it came from, or `theirs`. Of what is `left`: that alone. */
  local: CommitId
  anchor: CommitId
  /** The ref of the remote that it was seen at or pushed to; empty where that was not recorded. */
  ref: string
}

/** Whether a pair has the whole content that main had at its anchor: an export, or content found equal. An import has its own. */
export const isWhole = ({ local, anchor }: Entry): boolean => local === anchor

const HEADING = 'Common ground with a remote (bindery sync log 1)'
const KINDS: readonly string[] = ['known', 'offered', 'dropped', 'left'] satisfies Entry['kind'][]

/** The log as the message of the commit that keeps it, oldest entry first. */
export const writeEntries = (entries: readonly Entry[]): string =>
  `${HEADING}\n\n${entries.map(({ kind, remote, theirs, local, anchor, ref }) => `${kind} ${remote} ${theirs} ${local} ${anchor} ${ref}\n`).join('')}`

/** What `writeEntries` wrote. Lines of a kind that is not known here are left out. */
export function readEntries(message: string): Entry[] {
  return message.split('\n').flatMap((line) => {
    const [kind = '', remote = '', theirs = '', local = '', anchor = '', ref = ''] = line.split(' ')
    if (!KINDS.includes(kind) || ![remote, theirs, local, anchor].every(isOid)) return []
    return [{ kind: kind as Entry['kind'], remote: remote as CommitId, theirs: theirs as CommitId, local: local as CommitId, anchor: anchor as CommitId, ref }]
  })
}

export const isKnown = (entry: Entry): boolean => entry.kind === 'known'

/** What main has in common with a repository (and folder), over all its refs. */
export interface SyncLog {
  ref: RefName
  /** What the log's ref names. */
  at: CommitId | null
  /** All entries, oldest first. */
  entries: readonly Entry[]
  /** Entries that count: main contains what they rest on. */
  counting: readonly Entry[]
  /** Of these, the pairs that hold: known or offered, and not dropped since. Oldest first. */
  pairs: readonly Entry[]
  /** What is left of heads of which another ref dropped a part. */
  left: readonly Entry[]
  /** The head last seen at the ref in question. */
  last: Entry | null
  /** Deletes what earlier versions wrote, once the log holds it. */
  legacy: readonly RefMove[]
}
