import type { FoundRecords, Journal, JournalQuery, Recorded } from '../../kernel/documents.js'
import { StoreDamaged } from '../errors.js'
import { deepFreeze } from '../json.js'
import type { FileSystem } from '../types.js'
import type { Group } from './group.js'
import { type Added, readSegment, type Segment, SegmentGone } from './segment.js'

/** A reading that is overtaken this often by checkpoints is given up: something else is wrong. */
const MOST_TRIES = 20

/** What a look has found so far. */
interface Look<T extends object> {
  readonly query: JournalQuery<T>
  readonly timeOf: (record: T) => string
  readonly records: Recorded<T>[]
  /** The last position looked at; null = none yet. */
  at: number | null
  looked: number
}

/** Reads a group, with `more` behind what is durable. Throws `StoreDamaged`. */
export async function readGroup<T extends object>(
  fs: FileSystem,
  of: Journal<T>,
  group: Group,
  more: readonly Added[],
  query: JournalQuery<T>,
): Promise<FoundRecords<T>> {
  const look: Look<T> = { query, timeOf: of.at, records: [], at: query.after ?? null, looked: 0 }
  for (let tries = 0; ; tries++) {
    // As it is now: a checkpoint may put others in the place of these, and the same records are in those.
    const { segments, tail, first } = group
    const memory = [...tail, ...more]
    try {
      const isOver = await lookThrough(fs, group.folder, segments, memory, first, look)
      return { records: look.records, next: isOver ? look.at : null, looked: look.looked }
    } catch (thrown) {
      if (!(thrown instanceof SegmentGone)) throw thrown
      // What was dropped meanwhile is gone; a group that is as it was has lost a file.
      if (group.segments === segments || tries === MOST_TRIES) throw new StoreDamaged(thrown.message, 0, 'it is missing')
    }
  }
}

/** Answers whether it ended because it had enough, with something left to look at. */
async function lookThrough<T extends object>(
  fs: FileSystem,
  folder: string,
  segments: readonly Segment[],
  memory: readonly Added[],
  first: number,
  look: Look<T>,
): Promise<boolean> {
  const { direction, from = '', to } = look.query
  const down = direction === 'desc'
  const parts: (Segment | readonly Added[])[] = [...segments, memory]
  if (down) parts.reverse()
  for (const part of parts) {
    if (!isSegment(part)) {
      for (const one of restOf(part, look.at, down)) if (take(look, first, one.position, () => one.record as T)) return true
      continue
    }
    const isBefore = look.at !== null && (down ? part.first >= look.at : part.last <= look.at)
    if (isBefore || part.last < first || part.to < from || (to !== undefined && part.from > to)) continue
    if (isFull(look)) return true
    const lines = await readSegment(fs, folder, part)
    for (let i = 0; i < lines.length; i++) {
      const n = down ? lines.length - 1 - i : i
      if (take(look, first, part.first + n, () => deepFreeze(JSON.parse(lines[n] as string) as T))) return true
    }
  }
  return false
}

/** Records, sorted by position, that a look has not seen yet, in its direction. */
function restOf(part: readonly Added[], at: number | null, down: boolean): readonly Added[] {
  if (at === null) return down ? [...part].reverse() : part
  const bound = down ? at : at + 1
  let from = 0
  for (let end = part.length; from < end; ) {
    const middle = (from + end) >>> 1
    if ((part[middle] as Added).position < bound) from = middle + 1
    else end = middle
  }
  return down ? part.slice(0, from).reverse() : part.slice(from)
}

const isSegment = (part: Segment | readonly Added[]): part is Segment => !Array.isArray(part)

const isFull = <T extends object>({ query, records, looked }: Look<T>): boolean =>
  records.length >= query.limit || looked >= (query.most ?? Number.POSITIVE_INFINITY)

/** Looks at one record; answers true where there was no room for it any more. */
function take<T extends object>(look: Look<T>, first: number, position: number, parse: () => T): boolean {
  const { direction, from, to, matches } = look.query
  if (position < first || (look.at !== null && (direction === 'desc' ? position >= look.at : position <= look.at))) return false
  if (isFull(look)) return true
  const record = parse()
  look.at = position
  look.looked++
  const time = look.timeOf(record)
  if ((from !== undefined && time < from) || (to !== undefined && time > to)) return false
  if (matches === undefined || matches(record)) look.records.push({ position, record })
  return false
}
