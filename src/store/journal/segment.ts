// The files with the records of a group.
import { isUtf8 } from 'node:buffer'
import { required } from '../../kernel/defined.js'
import { crc32 } from 'node:zlib'
import { StoreDamaged } from '../errors.js'
import { correctBit } from '../flipped-bit.js'
import { hasCode, replaceFile } from '../file-system.js'
import type { FileSystem } from '../types.js'

/** A file with records of a group, one per line. It is written once as a whole and never changed. */
export interface Segment {
  readonly first: number
  readonly last: number
  readonly bytes: number
  /** CRC-32 of the file. */
  readonly crc: number
  /** Times of the earliest and the latest record. */
  readonly from: string
  readonly to: string
}

/** A record in memory that is not in a segment yet. */
export interface JournalEntry {
  readonly position: number
  readonly at: string
  readonly record: object
}

/** Maximum size of a segment in bytes. A new segment is also started for each day. */
const FULL_BYTES = 512 * 1024
/** Length of the date at the start of an ISO 8601 time. */
const DATE_LENGTH = 10

export const segmentFile = (folder: string, { first, last }: Segment): string =>
  `${folder}/${String(first).padStart(12, '0')}-${String(last).padStart(12, '0')}.jsonl`

/** The file was removed: its segment was dropped, or became part of a longer one. */
export class SegmentGone extends Error {}

/**
 * Returns the lines of a segment, oldest first. One flipped bit is corrected with the checksum. Throws `SegmentGone`, and
 * `StoreDamaged` if the file was changed otherwise.
 * @param flipped called with the position of a bit that was corrected, and the content of the intact file
 */
export async function readSegment(
  fs: FileSystem,
  folder: string,
  segment: Segment,
  flipped: (at: number, intact: Buffer) => Promise<void> = async () => {},
): Promise<string[]> {
  const path = segmentFile(folder, segment)
  let bytes: Buffer
  try {
    bytes = await fs.readLater(path)
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT')) throw new SegmentGone(path, { cause: thrown })
    throw thrown
  }
  if (bytes.length !== segment.bytes || crc32(bytes) !== segment.crc) {
    const corrected = bytes.length === segment.bytes ? correctBit(bytes, segment.crc) : null
    if (corrected === null || !isUtf8(corrected.bytes))
      throw new StoreDamaged(path, 0, 'its checksum is wrong: it was changed or truncated').asRepairable()
    bytes = corrected.bytes
    await flipped(corrected.at, bytes)
  }
  return bytes.toString('utf8', 0, bytes.length - 1).split('\n')
}

function unlessDamaged(thrown: unknown): null {
  if (thrown instanceof StoreDamaged || thrown instanceof SegmentGone) return null
  throw thrown
}

/**
 * Writes records into new segments, and returns the new list of segments. If the last segment is short and of the same
 * day, it is rewritten under another name together with the new records. Does not sync the folder.
 */
export async function writeSegments(
  fs: FileSystem,
  folder: string,
  before: readonly Segment[],
  added: readonly JournalEntry[],
): Promise<Segment[]> {
  const segments = [...before]
  const dayOf = (at: string): string => at.slice(0, DATE_LENGTH)
  for (let next = 0; next < added.length; ) {
    const begin = required(added[next])
    const last = segments.at(-1)
    const extendsLast =
      last !== undefined &&
      last.last + 1 === begin.position &&
      last.bytes < FULL_BYTES &&
      dayOf(last.from) === dayOf(begin.at)
    let text = ''
    let [first, from, to] = [begin.position, begin.at, begin.at]
    // A damaged segment stays as it is. It must not stop the checkpoints of everything else.
    const former = extendsLast ? await readSegment(fs, folder, last).catch(unlessDamaged) : null
    if (last && former !== null) {
      text = `${former.join('\n')}\n`
      ;[first, from, to] = [last.first, last.from, last.to]
      segments.pop()
    }
    let end = begin.position - 1
    for (
      let one = added[next];
      one && one.position === end + 1 && text.length < FULL_BYTES && dayOf(one.at) === dayOf(from);
      one = added[++next]
    ) {
      text += `${JSON.stringify(one.record)}\n`
      end = one.position
      if (one.at < from) from = one.at
      if (one.at > to) to = one.at
    }
    const bytes = Buffer.from(text)
    const segment: Segment = { first, last: end, bytes: bytes.length, crc: crc32(bytes), from, to }
    await replaceFile(fs, segmentFile(folder, segment), bytes)
    segments.push(segment)
  }
  return segments
}
