import type { JournalQuery, Recorded } from '../../kernel/documents.js'
import { type AuditDoc, auditLog } from '../../model/index.js'
import type { Reader } from '../../store/index.js'

/** A group to read, from behind a position on. */
export interface Source {
  name: string
  after: number | undefined
  /** How the caller knows it. */
  place: number
}

/** Entries of several groups as one list, and where each group was left. */
export interface Merged {
  entries: AuditDoc[]
  places: Map<number, number>
  /** There is nothing more in any of them. */
  isOver: boolean
}

const CHUNK = 200

/** One group, read some entries ahead. */
class Ahead {
  #found: Recorded<AuditDoc>[] = []
  #isRead = false
  #looked = 0
  /** Where the next look goes on. */
  #next: number | undefined
  /** The last position that the caller has seen, or need not see. */
  place: number | undefined

  constructor(
    readonly reader: Reader,
    readonly source: Source,
    readonly query: Omit<JournalQuery<AuditDoc>, 'direction' | 'after'>,
  ) {
    this.#next = source.after
  }

  /** The next entry; null where there is none within what may be looked at. */
  async head(): Promise<Recorded<AuditDoc> | null> {
    while (this.#found.length === 0 && !this.#isRead && !this.isSpent) {
      const most = this.query.most === undefined ? {} : { most: this.query.most - this.#looked }
      const after = this.#next === undefined ? {} : { after: this.#next }
      const limit = Math.min(CHUNK, this.query.limit)
      const { records, next, looked } = await this.reader.read(auditLog, this.source.name, { ...this.query, ...most, ...after, limit, direction: 'desc' })
      this.#found = records
      this.#looked += looked
      this.#isRead = next === null
      this.#next = next ?? undefined
      if (records.length === 0 && next !== null) this.place = next
    }
    return this.#found[0] ?? null
  }

  take(): void {
    this.place = this.#found.shift()?.position ?? this.place
    // What was looked at behind the last of them did not fit either.
    if (this.#found.length === 0 && this.#next !== undefined) this.place = this.#next
  }

  /** It may look at no more entries. */
  get isSpent(): boolean {
    return this.query.most !== undefined && this.#looked >= this.query.most
  }
  get isOver(): boolean {
    return this.#isRead && this.#found.length === 0
  }
}

/** Reads groups of the audit log as one list, newest first: at most `limit` entries, looking at `most` of each group. */
export async function newestFirst(reader: Reader, sources: readonly Source[], query: Omit<JournalQuery<AuditDoc>, 'direction' | 'after'>): Promise<Merged> {
  if (query.limit === 0) return { entries: [], places: new Map(), isOver: true }
  const groups = sources.map((source) => new Ahead(reader, source, query))
  const entries: AuditDoc[] = []
  const isDone = (): boolean => entries.length >= query.limit
  while (!isDone()) {
    let newest: { group: Ahead; entry: AuditDoc } | null = null
    let isSpent = false
    for (const group of groups) {
      const entry = (await group.head())?.record
      if (entry && (newest === null || entry.id > newest.entry.id)) newest = { group, entry }
      // What the group has behind that may be newer than what the others have: they wait for the next page.
      isSpent ||= !entry && !group.isOver
    }
    if (!newest || isSpent) break
    newest.group.take()
    entries.push(newest.entry)
  }
  for (const group of groups) await group.head()
  const places = new Map(groups.flatMap(({ place, source }) => (place === undefined ? [] : [[source.place, place] as const])))
  return { entries, places, isOver: groups.every((group) => group.isOver) }
}
