/** Splits a page into units: lines that are translated, kept or corrected together. Joined, they are the page. */
import { createHash } from 'node:crypto'
import { parseMarkdown } from '../blocks/markdown.js'
import { wholeRegion } from '../blocks/region.js'
import { pageLimit } from '../blocks/weight.js'
import { findFrontMatter, MAX_FRONT_MATTER } from '../front-matter.js'
import { readYaml } from '../yaml.js'
import { findLeaves, type Leaf, makeSegment, type Segment } from './segments.js'
import { plainPieces } from './text-pieces.js'

/** One unit. The offsets of its segments refer to `core`. */
export interface Unit {
  /** Whole lines, without the last line end; '' in the first unit of a page. */
  core: string
  /** The text between this unit and the next one: line ends, and lines without content. */
  gap: string
  segments: Segment[]
}

/** The units of a page. `limit` is the reason why the page is too costly to split, and is therefore not translated. */
interface CutPage {
  units: Unit[]
  limit: string | null
}

/** Returns a short hash of a text: 96 bits. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16)

/** Returns the hash that identifies a source unit. It ignores differences in line ends. */
export const sourceHash = (core: string): string => hashOf(core.replace(/\r\n?/g, '\n'))

/** Joins units to a page. */
export const joined = (units: readonly Pick<Unit, 'core' | 'gap'>[]): string =>
  units.map(({ core, gap }) => core + gap).join('')

/** Splits a page. `joined(cut(text).units) === text` for every text. */
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

/** Extends leaves to whole lines. Leaves that share a line form one unit. */
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

/** Returns the end of the line that contains the last character before `offset`. */
function lineEnd(text: string, offset: number): number {
  let at = offset
  while (at > 0 && (text[at - 1] === '\n' || text[at - 1] === '\r')) at--
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at++
  return at
}

const TRANSLATED_KEYS = new Set(['title', 'description'])

/**
 * Returns the keys of the front matter as leaves, each with all its lines. Front matter that is not a valid map is a
 * single leaf.
 */
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

/**
 * Returns the value of a translated key. Its segment spans the key's lines, because a value can be written in many
 * ways.
 */
function keySegments(text: string, start: number, end: number): Segment[] {
  const lines = text.slice(start, lineEnd(text, end))
  const read = readYaml(lines)
  const [entry, ...others] = (read.ok && read.entries) || []
  if (!entry || others.length > 0 || !TRANSLATED_KEYS.has(entry.key) || typeof entry.value !== 'string') return []
  const pieces = plainPieces(entry.value)
  const segment = makeSegment(pieces, 0, entry.value, 'yaml')
  return segment ? [{ ...segment, start, end: start + lines.length }] : []
}
