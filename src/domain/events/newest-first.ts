// Reads several groups of the audit log as one list, newest first.
import type { JournalQuery, Recorded } from '../../kernel/documents.js'
import { type AuditDoc, auditLog } from '../../model/index.js'
import type { Reader } from '../../store/index.js'

/** A group of the audit log to read, starting after a position. */
interface GroupStart {
  name: string
  after: number | undefined
  /** The caller's number for the group. */
  index: number
}

/** Entries of several groups as one list. */
interface MergedEntries {
  entries: AuditDoc[]
  /** Position after which the next page starts, by the group's `index`. */
  positions: Map<number, number>
  /** Whether all groups are exhausted. */
  isOver: boolean
}

const CHUNK = 200

/** Reads one group in chunks, ahead of the consumed entries. */
class GroupReader {
  #found: Recorded<AuditDoc>[] = []
  #isRead = false
  #scanned = 0
  /** Position after which the next chunk starts. */
  #next: number | undefined
  /** The last position that was consumed, or scanned without a match. */
  position: number | undefined

  constructor(
    readonly reader: Reader,
    readonly group: GroupStart,
    readonly query: Omit<JournalQuery<AuditDoc>, 'direction' | 'after'>,
  ) {
    this.#next = group.after
  }

  /** Returns the next entry. Null if there is none within `query.most`. */
  async head(): Promise<Recorded<AuditDoc> | null> {
    while (this.#found.length === 0 && !this.#isRead && !this.isSpent) {
      const most = this.query.most === undefined ? {} : { most: this.query.most - this.#scanned }
      const after = this.#next === undefined ? {} : { after: this.#next }
      const limit = Math.min(CHUNK, this.query.limit)
      const { records, next, looked } = await this.reader.read(auditLog, this.group.name, {
        ...this.query,
        ...most,
        ...after,
        limit,
        direction: 'desc',
      })
      this.#found = records
      this.#scanned += looked
      this.#isRead = next === null
      this.#next = next ?? undefined
      if (records.length === 0 && next !== null) this.position = next
    }
    return this.#found[0] ?? null
  }

  take(): void {
    this.position = this.#found.shift()?.position ?? this.position
    // The entries between the last match and the end of the chunk did not match.
    if (this.#found.length === 0 && this.#next !== undefined) this.position = this.#next
  }

  /** Whether the maximum number of entries was scanned. */
  get isSpent(): boolean {
    return this.query.most !== undefined && this.#scanned >= this.query.most
  }
  get isOver(): boolean {
    return this.#isRead && this.#found.length === 0
  }
}

/**
 * Merges groups of the audit log into one list, newest first. It has at most `limit` entries and scans at most `most`
 * entries of each group.
 */
export async function newestFirst(
  reader: Reader,
  starts: readonly GroupStart[],
  query: Omit<JournalQuery<AuditDoc>, 'direction' | 'after'>,
): Promise<MergedEntries> {
  if (query.limit === 0) return { entries: [], positions: new Map(), isOver: true }
  const groups = starts.map((start) => new GroupReader(reader, start, query))
  const entries: AuditDoc[] = []
  const isDone = (): boolean => entries.length >= query.limit
  while (!isDone()) {
    let newest: { group: GroupReader; entry: AuditDoc } | null = null
    let isSpent = false
    for (const group of groups) {
      const entry = (await group.head())?.record
      if (entry && (newest === null || entry.id > newest.entry.id)) newest = { group, entry }
      // Unread entries of this group may be newer than those of the others, so the next page continues here.
      isSpent ||= !entry && !group.isOver
    }
    if (!newest || isSpent) break
    newest.group.take()
    entries.push(newest.entry)
  }
  for (const group of groups) await group.head()
  const positions = new Map(
    groups.flatMap(({ position, group }) => (position === undefined ? [] : [[group.index, position] as const])),
  )
  return { entries, positions, isOver: groups.every((group) => group.isOver) }
}
