/** Replaces damaged segments of a group by segments with their readable records, for an operator without a backup. */
import { isUtf8 } from 'node:buffer'
import { basename } from 'node:path'
import { crc32 } from 'node:zlib'
import { required } from '../../kernel/defined.js'
import { StoreDamaged } from '../errors.js'
import { readIfThere, replaceFile } from '../file-system.js'
import { copyAside } from '../repair.js'
import type { FileSystem, StoreEvent } from '../types.js'
import { readSegment, type Segment, segmentFile, SegmentGone } from './segment.js'

/** The location of the segments, and of the copies of damaged ones. */
interface MendOptions {
  readonly folder: string
  /** The folder for copies of damaged segments, and the start of their names. */
  readonly damaged: string
  readonly prefix: string
  tell(event: StoreEvent): void
}

/**
 * Returns the segments without unreadable records. The positions of the others do not change. Damaged files stay until
 * the next checkpoint no longer refers to them, so that an interrupted repair can be repeated.
 */
export async function mendSegments(
  fs: FileSystem,
  segments: readonly Segment[],
  options: MendOptions,
): Promise<Segment[]> {
  const mended: Segment[] = []
  for (const segment of segments) {
    const what = await findFault(fs, options.folder, segment)
    if (what === null) mended.push(segment)
    else mended.push(...(await mend(fs, segment, what, options)))
  }
  return mended
}

/** Returns the reason why records of a segment cannot be read; null if all can. */
async function findFault(fs: FileSystem, folder: string, segment: Segment): Promise<string | null> {
  try {
    const lines = await readSegment(fs, folder, segment, (_, intact) =>
      replaceFile(fs, segmentFile(folder, segment), intact),
    )
    const isWhole = lines.length === sizeOf(segment) && lines.every(isRecord)
    return isWhole ? null : 'a record is not valid JSON'
  } catch (thrown) {
    if (thrown instanceof SegmentGone) return 'it is missing'
    if (thrown instanceof StoreDamaged) return thrown.what
    throw thrown
  }
}

const sizeOf = ({ first, last }: Segment): number => last - first + 1

async function mend(
  fs: FileSystem,
  segment: Segment,
  what: string,
  { folder, damaged, prefix, tell }: MendOptions,
): Promise<Segment[]> {
  const file = segmentFile(folder, segment)
  const bytes = await readIfThere(fs, file)
  const kept = bytes && (await copyAside(fs, bytes, damaged, `${prefix}-${basename(file)}`))
  const records = bytes ? readableRecords(bytes, segment) : []
  const mended: Segment[] = []
  for (const run of runsOf(records)) {
    const [first, last] = [required(run[0]).position, required(run.at(-1)).position]
    const content = Buffer.from(run.map(({ line }) => `${line}\n`).join(''))
    // The times of single records are unknown here. Those of the whole segment only make reads of a period look further.
    const { from, to } = segment
    const one: Segment = { first, last, bytes: content.length, crc: crc32(content), from, to }
    await replaceFile(fs, segmentFile(folder, one), content)
    mended.push(one)
  }
  await fs.syncDir(folder)
  tell({ event: 'repaired', file, documents: records.length, records: sizeOf(segment), kept, what })
  return mended
}

interface Line {
  readonly position: number
  readonly line: string
}

/**
 * Returns the readable lines with their positions. If lines were joined or split, only those before the damage are
 * certain, and those after it if the file has its length.
 */
function readableRecords(bytes: Buffer, segment: Segment): Line[] {
  const lines = linesOf(bytes).map((line) => (isUtf8(line) ? line.toString('utf8') : ''))
  const size = sizeOf(segment)
  const all = lines.map((line, n): Line => ({ position: segment.first + n, line }))
  if (lines.length === size) return all.filter(({ line }) => isRecord(line))
  const bad = all.findIndex(({ line }) => !isRecord(line))
  const before = all.slice(0, Math.min(bad === -1 ? all.length : bad, size))
  if (bytes.length !== segment.bytes) return before
  const shift = size - lines.length
  const lastBad = all.findLastIndex(({ line }) => !isRecord(line))
  const after = all.slice(lastBad + 1).map(({ position, line }): Line => ({ position: position + shift, line }))
  const end = before.at(-1)?.position ?? segment.first - 1
  return [...before, ...after.filter(({ position }) => position > end)]
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let from = 0
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
    lines.push(bytes.subarray(from, at))
    from = at + 1
  }
  return from < bytes.length ? [...lines, bytes.subarray(from)] : lines
}

function isRecord(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}

/** Groups lines whose positions follow each other. */
function runsOf(lines: readonly Line[]): Line[][] {
  const runs: Line[][] = []
  for (const line of lines) {
    const last = runs.at(-1)
    if (last?.at(-1)?.position === line.position - 1) last.push(line)
    else runs.push([line])
  }
  return runs
}
