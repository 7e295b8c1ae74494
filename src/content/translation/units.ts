/** Cuts a page into units: lines that are translated, kept or corrected together. Put together they are the page. */
import { createHash } from 'node:crypto'
import { parseMarkdown } from '../blocks/markdown.js'
import { wholeRegion } from '../blocks/region.js'
import { pageLimit } from '../blocks/weight.js'
import { findFrontMatter, MAX_FRONT_MATTER } from '../front-matter.js'
import { readYaml } from '../yaml.js'
import { findLeaves, type Leaf, makeSegment, type Segment } from './segments.js'
import { plainPieces } from './text-pieces.js'

/** One unit. Its segments stand in `core`, at offsets of it. */
export interface Unit {
  /** Whole lines, without the last line end; '' in the first unit of a page. */
  core: string
  /** What stands between this unit and the next one: line ends, and lines that hold nothing. */
  gap: string
  segments: Segment[]
}

/** The units of a page; `limit` says why it is too costly to be cut, and so is not translated. */
interface CutPage {
  units: Unit[]
  limit: string | null
}

/** A short hash of a text: 96 bits. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16)

/** The hash by which a unit of a source is known again: that its line ends were changed is no change of it. */
export const sourceHash = (core: string): string => hashOf(core.replace(/\r\n?/g, '\n'))

/** The page that units make. */
export const joined = (units: readonly Pick<Unit, 'core' | 'gap'>[]): string =>
  units.map(({ core, gap }) => core + gap).join('')

/** Cuts a page. `joined(cut(text).units) === text` for every text. */
export function cut(text: string): CutPage {
  const whole = (limit: string | null): CutPage => ({
    units: [{ core: '', gap: '', segments: [] }, unitOf(text, 0, text.length, text.length, [])],
    limit,
  })
  const limit = pageLimit(text)
  if (limit !== null) return whole(limit)
  try {
    const front = frontMatterOf(text)
    const bodyStart = front.end
    const region = wholeRegion(text.slice(bodyStart))
    const shift = bodyStart + (region.source[0] ?? 0)
    const leaves = findLeaves(parseMarkdown(region), region.text).map((leaf) => shifted(leaf, shift))
    return { units: unitsOf(text, [...front.leaves, ...leaves]), limit: null }
  } catch {
    // The text exhausted the parser's stack.
    return whole('It is nested too deeply to be parsed. Nest lists and quotes less deeply.')
  }
}

const shifted = ({ start, end, segments }: Leaf, by: number): Leaf => ({
  start: start + by,
  end: end + by,
  segments: segments.map((one) => ({ ...one, start: one.start + by, end: one.end + by })),
})

function unitOf(text: string, start: number, end: number, gapEnd: number, segments: readonly Segment[]): Unit {
  const inside = segments.filter((one) => one.start >= start && one.end <= end)
  return {
    core: text.slice(start, end),
    gap: text.slice(end, gapEnd),
    segments: inside.map((one) => ({ ...one, start: one.start - start, end: one.end - start })),
  }
}

/** Leaves as whole lines; those that share a line are one unit. */
function unitsOf(text: string, leaves: readonly Leaf[]): Unit[] {
  const lines: Leaf[] = []
  for (const { start, end, segments } of leaves) {
    const from = lineStart(text, start)
    const to = lineEnd(text, Math.max(start, end))
    const last = lines.at(-1)
    if (last && from < last.end) {
      last.end = Math.max(last.end, to)
      last.segments.push(...segments)
    } else if (to > from) lines.push({ start: from, end: to, segments: [...segments] })
  }
  const units = [unitOf(text, 0, 0, lines[0]?.start ?? text.length, [])]
  lines.forEach(({ start, end, segments }, index) => {
    units.push(unitOf(text, start, end, lines[index + 1]?.start ?? text.length, segments))
  })
  return units
}

function lineStart(text: string, offset: number): number {
  let at = offset
  while (at > 0 && text[at - 1] !== '\n' && text[at - 1] !== '\r') at--
  return at
}

/** Where the line of the last character before `offset` ends. */
function lineEnd(text: string, offset: number): number {
  let at = offset
  while (at > 0 && (text[at - 1] === '\n' || text[at - 1] === '\r')) at--
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at++
  return at
}

const TRANSLATED_KEYS = new Set(['title', 'description'])

/** The keys of front matter, each with all its lines; with front matter that is no valid map, it is one leaf. */
function frontMatterOf(text: string): { leaves: Leaf[]; end: number } {
  const found = findFrontMatter(text)
  if (!found) return { leaves: [], end: 0 }
  const { yamlStart, yamlEnd, bodyStart } = found
  const yaml = text.slice(yamlStart, yamlEnd)
  const read = readYaml(yaml, MAX_FRONT_MATTER)
  if (read.ok && read.entries === null) return { leaves: [], end: 0 }
  if (!read.ok || /\r(?!\n)/.test(yaml)) return { leaves: [{ start: 0, end: bodyStart, segments: [] }], end: bodyStart }
  const starts = [...yaml.matchAll(/^(?=[^\s#\-\]})&*!|>%@`][^\n]*?:(?:\s|$))/gm)].map(({ index }) => yamlStart + index)
  const edges = [0, ...starts, yamlEnd]
  const leaves = edges.map((start, index): Leaf => {
    const end = edges[index + 1] ?? bodyStart
    return { start, end, segments: index === 0 || index === edges.length - 1 ? [] : keySegments(text, start, end) }
  })
  return { leaves: leaves.filter(({ start, end }) => end > start), end: bodyStart }
}

/** The value of a key that is translated: its segment spans the key's lines, since a value may be written in many ways. */
function keySegments(text: string, start: number, end: number): Segment[] {
  const lines = text.slice(start, lineEnd(text, end))
  const read = readYaml(lines)
  const [entry, ...others] = (read.ok && read.entries) || []
  if (!entry || others.length > 0 || !TRANSLATED_KEYS.has(entry.key) || typeof entry.value !== 'string') return []
  const pieces = plainPieces(entry.value)
  const made = makeSegment(pieces, 0, entry.value, 'yaml')
  return made ? [{ ...made, start, end: start + lines.length }] : []
}
