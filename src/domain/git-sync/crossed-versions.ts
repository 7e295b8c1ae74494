/**
 * Detects crossed versions of a file: one side has a version that the other side also had and then changed. If those
 * later changes restore a part of what the first side had before, neither side is known to be newer.
 */
import { diffArrays } from 'diff'
import type { Snapshot, TreeEntry } from '../../git/index.js'
import { Slices } from '../../kernel/slices.js'

/**
 * Maximum size in bytes of a version that is compared by lines. A larger version counts as crossed, so the conflict
 * stays.
 */
const MAX_BYTES = 1024 * 1024
/** Maximum number of lines in which two versions may differ. Beyond that, they count as crossed. */
const MAX_DIFFERENCES = 1_000

type Blobs = Pick<Snapshot, 'read' | 'sizes'>

/** A version of a file that both sides had, and the versions around it. */
export interface SharedVersion {
  /** The version that one side has now. */
  version: TreeEntry
  /** The other versions that this side has had. */
  before: readonly TreeEntry[]
  /** The versions that the other side has had since. */
  after: readonly TreeEntry[]
}

/**
 * Whether the other side reverted a part of the version: it again has a line that the version had replaced, or lacks a
 * line that the version had added.
 */
export async function haveCrossed(files: Blobs, { version, before, after }: SharedVersion): Promise<boolean> {
  const [earlier, later] = [others(version, before), others(version, after)]
  if (later.some(({ oid }) => earlier.some((one) => one.oid === oid))) return true
  if (earlier.length === 0 || later.length === 0) return false
  const text = await linesOf(files, version)
  if (text === null) return true
  const [present, replaced, lacking] = [new Set(text), new Set<string>(), new Set<string>()]
  const slices = new Slices()
  for (const one of earlier) {
    const lines = await linesOf(files, one)
    if (lines === null) return true
    const had = new Set(lines)
    for (const line of had) if (!present.has(line)) replaced.add(line)
    for (const line of present) if (!had.has(line)) lacking.add(line)
    if (slices.due) await slices.rest()
  }
  for (const one of later) {
    const lines = await linesOf(files, one)
    if (lines === null || goesBack(text, lines, { replaced, lacking })) return true
    if (slices.due) await slices.rest()
  }
  return false
}

/**
 * @param lines `replaced`: lines of earlier versions that the text lacks; `lacking`: lines of the text that an earlier
 * version lacks
 */
function goesBack(
  from: string[],
  to: string[],
  { replaced, lacking }: { replaced: ReadonlySet<string>; lacking: ReadonlySet<string> },
): boolean {
  if (to.some((line) => replaced.has(line))) return true
  const parts = diffArrays(from, to, { maxEditLength: MAX_DIFFERENCES })
  if (!parts) return true
  const kept = new Set(to)
  // A line that was replaced by another line was edited.
  const isEdited = (n: number): boolean => Boolean(parts[n - 1]?.added || parts[n + 1]?.added)
  return parts.some(
    ({ removed, value }, n) => removed && !isEdited(n) && value.some((line) => lacking.has(line) && !kept.has(line)),
  )
}

/** Returns the distinct versions in `entries` other than `version`. */
const others = (version: TreeEntry, entries: readonly TreeEntry[]): TreeEntry[] => [
  ...new Map(entries.filter(({ oid }) => oid !== version.oid).map((entry) => [entry.oid, entry])).values(),
]

/** Returns the non-empty lines of a version. Returns null if it is too large or not a file. */
async function linesOf(files: Blobs, { oid, mode }: TreeEntry): Promise<string[] | null> {
  if (!mode.startsWith('100') || ((await files.sizes([oid]))[0] ?? 0) > MAX_BYTES) return null
  const lines = (await files.read(oid)).toString('latin1').split('\n')
  return lines.map((line) => line.trim()).filter((line) => line !== '')
}
