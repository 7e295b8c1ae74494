// Reads the records of a group while checkpoints continue.
import { required } from '../../kernel/defined.js'
import type { JournalPage, Journal, JournalQuery, Recorded } from '../../kernel/documents.js'
import { StoreDamaged } from '../errors.js'
import { deepFreeze } from '../json.js'
import type { FileSystem } from '../types.js'
import type { Group } from './group.js'
import { type JournalEntry, readSegment, type Segment, SegmentGone } from './segment.js'

/**
 * Maximum number of repetitions of a read because a checkpoint replaced the segments. More of them would mean another
 * problem.
 */
const MAX_TRIES = 20

/** A read in progress, and its results so far. */
interface Search<T extends object> {
  readonly query: JournalQuery<T>
  readonly timeOf: (record: T) => string
  readonly records: Recorded<T>[]
  /** The last position read; null = none yet. */
  at: number | null
  looked: number
}

/** Reads a group. The records of `more` follow the durable ones. Throws `StoreDamaged`. */
export async function readGroup<T extends object>(
  fs: FileSystem,
  of: Journal<T>,
  group: Group,
  more: readonly JournalEntry[],
  query: JournalQuery<T>,
): Promise<JournalPage<T>> {
  const search: Search<T> = { query, timeOf: of.at, records: [], at: query.after ?? null, looked: 0 }
  for (let tries = 0; ; tries++) {
    // A checkpoint may replace these segments during the read by others with the same records.
    const { segments, tail, first } = group
    const memory = [...tail, ...more]
    try {
      const hasMore = await searchParts(fs, { folder: group.folder, segments, memory, first }, search)
      return { records: search.records, next: hasMore ? search.at : null, looked: search.looked }
    } catch (thrown) {
      if (!(thrown instanceof SegmentGone)) throw thrown
      // If the segments were replaced or dropped during the read, try again. Otherwise, a file was lost.
      if (group.segments === segments || tries === MAX_TRIES)
        throw new StoreDamaged(thrown.message, 0, 'it is missing').asRepairable()
    }
  }
}

/** The locations of a group's records at one moment. */
interface GroupParts {
  readonly folder: string
  readonly segments: readonly Segment[]
  readonly memory: readonly JournalEntry[]
  /** Records before this position were dropped. */
  readonly first: number
}

/** Reads until the search is full. Returns whether there are more records. */
async function searchParts<T extends object>(
  fs: FileSystem,
  { folder, segments, memory, first }: GroupParts,
  search: Search<T>,
): Promise<boolean> {
  const { direction, from = '', to } = search.query
  const down = direction === 'desc'
  const parts: (Segment | readonly JournalEntry[])[] = [...segments, memory]
  if (down) parts.reverse()
  for (const part of parts) {
    if (!isSegment(part)) {
      for (const one of restOf(part, search.at, down))
        if (take(search, first, one.position, () => one.record as T)) return true
      continue
    }
    const isBefore = search.at !== null && (down ? part.first >= search.at : part.last <= search.at)
    if (isBefore || part.last < first || part.to < from || (to !== undefined && part.from > to)) continue
    if (isFull(search)) return true
    const lines = await readSegment(fs, folder, part)
    for (let i = 0; i < lines.length; i++) {
      const n = down ? lines.length - 1 - i : i
      if (take(search, first, part.first + n, () => deepFreeze<T>(JSON.parse(required(lines[n]))))) return true
    }
  }
  return false
}

/** Returns the records (sorted by position) that were not read yet, in the direction of the search. */
function restOf(part: readonly JournalEntry[], at: number | null, down: boolean): readonly JournalEntry[] {
  if (at === null) return down ? [...part].reverse() : part
  const bound = down ? at : at + 1
  let from = 0
  for (let end = part.length; from < end; ) {
    const middle = (from + end) >>> 1
    if (required(part[middle]).position < bound) from = middle + 1
    else end = middle
  }
  return down ? part.slice(0, from).reverse() : part.slice(from)
}

const isSegment = (part: Segment | readonly JournalEntry[]): part is Segment => !Array.isArray(part)

const isFull = <T extends object>({ query, records, looked }: Search<T>): boolean =>
  records.length >= query.limit || looked >= (query.most ?? Number.POSITIVE_INFINITY)

/** Reads one record. If the search is full, returns true without reading it. */
function take<T extends object>(search: Search<T>, first: number, position: number, parse: () => T): boolean {
  const { direction, from, to, matches } = search.query
  if (
    position < first ||
    (search.at !== null && (direction === 'desc' ? position >= search.at : position <= search.at))
  )
    return false
  if (isFull(search)) return true
  const record = parse()
  search.at = position
  search.looked++
  const time = search.timeOf(record)
  if ((from !== undefined && time < from) || (to !== undefined && time > to)) return false
  if (matches === undefined || matches(record)) search.records.push({ position, record })
  return false
}
