/** Edits groups, the headings of a table of contents. */
import { required } from '../../kernel/defined.js'
import { encodeHeading } from './encode.js'
import { splice, titleSplice } from './label.js'
import { linesIn } from './lines.js'
import { breakBefore } from './chapters.js'
import { blankAfter, blankBefore, cutLines, insertLines, lineBefore } from './edit-lines.js'
import { locate, type Locator } from './locate.js'
import { summaryOf } from './parse.js'
import { type Block, type Scan, scanSummary } from './scan.js'
import { endOfLists } from './slot.js'

interface NewGroup {
  title: string
  /** Written as an anchor; if absent, the slug is derived from the title. */
  slug?: string
  /** Zero-based index among the top-level nodes; absent for the end. */
  at?: number
}

const anchor = (slug: string): string => {
  const safe = slug.replace(/[<>"'&\s]/g, '-')
  return ` <a href="#${safe}" id="${safe}"></a>`
}

/** Returns the marker for a new group, as in other groups. At the start of a text, the first H1 would be its title. */
function markerOf(scan: Scan, at: number): string {
  const groups = scan.blocks.filter((block) => block.kind === 'group')
  const parts =
    groups.length > 0 && groups.every((group) => group.marker === '#') && (at > 0 || scan.blocks[0]?.marker === '#')
  return parts ? '#' : (groups.find((group) => group.marker.length > 1)?.marker ?? '##')
}

/**
 * Inserts a heading. Top-level entries after it stay at the top level: a thematic break is inserted before them.
 * Without an index, it becomes the last group, but before final chapters outside of lists, because mdBook allows no
 * list after them.
 * @throws RangeError if the index does not exist
 */
export function insertGroup(text: string, { title, slug, at }: NewGroup): string {
  const scan = scanSummary(text)
  const index = at ?? endOfLists(scan.blocks)
  const line = `${markerOf(scan, index)} ${encodeHeading(title)}${slug === undefined ? '' : anchor(slug)}`
  return placeGroup(text, index, [line])
}

function place(text: string, scan: Scan, index: number, lines: readonly string[]): string {
  const broken = breakBefore(text, scan.blocks, index)
  if (broken !== text) return place(broken, scanSummary(broken), index, lines)
  const previous = scan.blocks[index - 1]
  const next = scan.blocks[index]
  if (next?.kind === 'group') return insertLines(text, next.start, [...gap(text, next.start), ...lines, ''])
  const offset = previous?.end ?? next?.start ?? text.length
  const before = gap(text, offset)
  const separated = next === undefined || scan.breaks.some((start) => start >= offset && start < next.start)
  const after = separated ? [] : ['', '***']
  return insertLines(text, offset, [...before, ...lines, ...after, ...(blankAfter(text, offset) === false ? [''] : [])])
}

/**
 * Moves a group with its entries. `at` is an index among the top-level nodes, not counting the group.
 * @throws RangeError if the group or index does not exist
 */
export function moveGroup(text: string, locator: Locator, at: number, scan = scanSummary): string {
  const { block, index } = getGroup(scan(text), locator)
  if (index === at) return text
  const lines = linesIn(text, block.start, block.end)
  return placeGroup(removeGroup(text, locator, {}, scan), at, lines, scan)
}

/**
 * Inserts a group's lines from another position or version of the file.
 * @throws RangeError if the index does not exist
 */
export function placeGroup(text: string, at: number, lines: readonly string[], scan = scanSummary): string {
  const found = scan(text)
  if (!Number.isInteger(at) || at < 0 || at > found.blocks.length)
    throw new RangeError(
      `The table of contents has only ${found.blocks.length} top-level nodes, so there is no index ${at}.`,
    )
  const placed = place(text, found, at, lines)
  // At the start of a text without a title, the first H1 would be the title instead of a group.
  const [first] = scanSummary(placed).blocks
  const isTitle =
    at === 0 && /^#(?!#)/.test(lines[0] ?? '') && !(first && placed.startsWith(required(lines[0]), first.start))
  return isTitle ? place(text, found, at, [`#${lines[0]}`, ...lines.slice(1)]) : placed
}

const gap = (text: string, offset: number): string[] => (blankBefore(text, offset) ? [] : [''])

/**
 * Changes a heading's title. `slug` changes its anchor, or (null) removes it; if undefined, the anchor is preserved.
 * @throws RangeError if the group does not exist
 */
export function retitleGroup(
  text: string,
  locator: Locator,
  title: string,
  slug?: string | null,
  scan = scanSummary,
): string {
  const found = scan(text)
  const { block } = getGroup(found, locator)
  const [node] = summaryOf({ ...found, blocks: [{ ...block, children: [] }] }).nodes
  let done = text
  if (slug !== undefined) {
    const source = text.slice(block.textStart, block.textStart + block.text.length)
    const old = /[ \t]*<a\s[^>]*>(?:<\/a>)?/i.exec(source)
    const start = block.textStart + (old?.index ?? source.length)
    done = splice(done, { start, end: start + (old?.[0].length ?? 0), text: slug === null ? '' : anchor(slug) })
  }
  return required(node).title === title ? done : splice(done, titleSplice(text, block, found.definitions, title))
}

/**
 * Removes a group with its entries; with `nested: 'keep'` only its heading, so that its entries move to the top level.
 * @throws RangeError if the group does not exist
 */
export function removeGroup(
  text: string,
  locator: Locator,
  { nested = 'remove' }: { nested?: 'remove' | 'keep' } = {},
  scan = scanSummary,
): string {
  const { block, siblings, index } = getGroup(scan(text), locator)
  if (nested === 'keep' && block.children.length > 0) {
    const after = siblings[index - 1]?.kind === 'group'
    return after
      ? splice(text, { start: block.start, end: block.start + headLength(text, block), text: '***' })
      : cutLines(text, block.start, blanksAfter(text, block.ownEnd))
  }
  if (!blankBefore(text, block.start)) return cutLines(text, block.start, block.end)
  if (block.end === text.length) return cutLines(text, lineBefore(text, block.start), block.end)
  return cutLines(text, block.start, blanksAfter(text, block.end))
}

function getGroup(scan: Scan, locator: Locator): { block: Block; siblings: Block[]; index: number } {
  const found = locate(scan, locator)
  if (found.block.kind !== 'group') throw new RangeError('This entry of the table of contents is not a group.')
  return found
}

const headLength = (text: string, block: Block): number => text.slice(block.start, block.ownEnd).trimEnd().length

function blanksAfter(text: string, offset: number): number {
  const blank = /(?:[ \t]*(?:\r\n|\n|\r))?/y
  blank.lastIndex = offset
  return offset + (blank.exec(text)?.[0].length ?? 0)
}
