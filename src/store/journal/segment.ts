import { crc32 } from 'node:zlib'
import { StoreDamaged } from '../errors.js'
import { hasCode, replaceFile } from '../file-system.js'
import type { FileSystem } from '../types.js'

/** Records of a group that lie in one file, a line each: written once, as a whole, and never changed. */
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

/** A record in memory: not yet in a segment. */
export interface Added {
  readonly position: number
  readonly at: string
  readonly record: object
}

/** A segment is begun anew when it has this many bytes, or on another day. */
const FULL_BYTES = 512 * 1024
const DAY = 10

export const segmentFile = (folder: string, { first, last }: Segment): string =>
  `${folder}/${String(first).padStart(12, '0')}-${String(last).padStart(12, '0')}.jsonl`

/** The file was taken away: its segment was dropped, or became part of a longer one. */
export class SegmentGone extends Error {}

/** The lines of a segment, oldest first. Throws `SegmentGone`, `StoreDamaged` where it is not what was written. */
export async function readSegment(fs: FileSystem, folder: string, segment: Segment): Promise<string[]> {
  const path = segmentFile(folder, segment)
  let bytes: Buffer
  try {
    bytes = await fs.readLater(path)
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT')) throw new SegmentGone(path, { cause: thrown })
    throw thrown
  }
  if (bytes.length !== segment.bytes || crc32(bytes) !== segment.crc) throw new StoreDamaged(path, 0, 'its checksum does not fit: it was changed or cut')
  return bytes.toString('utf8', 0, bytes.length - 1).split('\n')
}

/**
 * Writes records behind the segments that are there, and answers the new list; a last segment that is short and of the same
 * day is written again with what follows, under another name. The folder is not synced.
 */
export async function writeSegments(fs: FileSystem, folder: string, before: readonly Segment[], added: readonly Added[]): Promise<Segment[]> {
  const segments = [...before]
  const dayOf = (at: string): string => at.slice(0, DAY)
  for (let next = 0; next < added.length; ) {
    const begin = added[next] as Added
    const last = segments.at(-1)
    const goesOn = last !== undefined && last.last + 1 === begin.position && last.bytes < FULL_BYTES && dayOf(last.from) === dayOf(begin.at)
    let text = ''
    let [first, from, to] = [begin.position, begin.at, begin.at]
    if (goesOn) {
      text = `${(await readSegment(fs, folder, last)).join('\n')}\n`
      ;[first, from, to] = [last.first, last.from, last.to]
      segments.pop()
    }
    let end = begin.position - 1
    for (let one = added[next]; one && one.position === end + 1 && text.length < FULL_BYTES && dayOf(one.at) === dayOf(from); one = added[++next]) {
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
