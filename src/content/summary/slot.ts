// Finds the position, indentation and marker of a new entry in the table of contents.
import { required } from '../../kernel/defined.js'
import type { Block, Scan } from './block.js'
import { breakBefore } from './chapters.js'
import { blankAfter, blankBefore, indentation } from './edit-lines.js'
import { locate, type Located } from './locate.js'
import { MAX_DEPTH, scanSummary } from './scan.js'

/** The position and form of a new entry. */
interface Slot {
  /** The text to insert into. It differs from the given text if a line with several chapters had to be split. */
  text: string
  offset: number
  /** The white space before the marker, and the marker with the white space after it; both '' for a paragraph. */
  lead: string
  marker: string
  /** Lines to insert before and after it; '' is a blank line. */
  before: string[]
  after: string[]
}

const leadOf = (text: string, block: Block): string =>
  text.slice(block.start, block.start + indentation(text.slice(block.start, block.textStart)).position)

function markerOf(text: string, block: Block): string {
  const written = text.slice(block.start, block.textStart).trimStart()
  return /[ \t]$/.test(written) ? written : `${written} `
}

/**
 * Returns the marker for a new sibling. In a numbered list that counts, it is the next number (`after`), or the
 * sibling's own.
 */
function siblingMarker(text: string, siblings: readonly Block[], index: number, after: boolean): string {
  const marker = markerOf(text, required(siblings[index]))
  const number = /^\d+/.exec(marker)?.[0]
  if (number === undefined) return marker
  const before = siblings[index - 1]?.marker
  return after && before !== required(siblings[index]).marker
    ? marker.replace(number, String(Number(number) + 1))
    : marker
}

/** Returns the indentation of one level, as in the nearest nested entry of the file; null if there is none. */
function unitOf(text: string, scan: Scan, near: number): string | null {
  let best: { distance: number; unit: string } | null = null
  const visit = (blocks: readonly Block[]): void => {
    for (const block of blocks) {
      const child = block.children[0]
      if (child && block.kind === 'item') {
        const [outer, inner] = [leadOf(text, block), leadOf(text, child)]
        const distance = Math.abs(block.start - near)
        if (inner.startsWith(outer) && (!best || distance < best.distance))
          best = { distance, unit: inner.slice(outer.length) }
      }
      visit(block.children)
    }
  }
  visit(scan.blocks)
  return (best as { unit: string } | null)?.unit ?? null
}

/**
 * Returns the index after the last sibling that is not a paragraph. If all siblings are paragraphs (chapters outside
 * lists), returns the number of siblings.
 */
export function endOfLists(siblings: readonly Block[]): number {
  const last = siblings.findLastIndex((block) => block.kind !== 'paragraph')
  return last < 0 ? siblings.length : last + 1
}

/**
 * Finds the slot for an entry that becomes child `at` of `parent` (null = a top-level node).
 * @param asChapter the entry may be written outside of lists, next to others that are
 * @throws RangeError if the index does not exist, the parent cannot have children, or the nesting is too deep
 */
export function slotFor(
  text: string,
  scan: Scan,
  parent: Located | null,
  at: number | undefined,
  asChapter: boolean,
): Slot {
  const siblings = parent ? parent.block.children : scan.blocks
  const index = at ?? (asChapter ? siblings.length : endOfLists(siblings))
  if (!Number.isInteger(index) || index < 0 || index > siblings.length)
    throw new RangeError(`The parent has only ${siblings.length} entries, so there is no index ${index}.`)
  if (parent && parent.block.kind === 'paragraph')
    throw new RangeError('A chapter outside of a list cannot have subpages. Make it a list item first.')
  if (parent && parent.path.length >= MAX_DEPTH)
    throw new RangeError(`The entry would be nested more than ${MAX_DEPTH} levels deep. Choose another parent.`)
  const broken = breakBefore(text, siblings, index)
  if (broken !== text) {
    const rescan = scanSummary(broken)
    return slotFor(broken, rescan, parent && locate(rescan, parent.path), index, asChapter)
  }
  const previous = siblings[index - 1]
  const next = siblings[index]
  if (parent?.block.marker === '#' && next?.kind === 'paragraph' && !asChapter)
    throw new RangeError('A part has its chapters outside of lists first. Put the entry after them.')
  if (previous && previous.kind !== 'group') return nextToSibling(text, siblings, index - 1, previous.end, asChapter)
  // A list right after the list of a group would belong to that group.
  const joins = previous?.kind === 'group' && next?.kind === 'paragraph' && !asChapter
  if (next && next.kind !== 'group' && !joins) return nextToSibling(text, siblings, index, next.start, asChapter)
  if (parent?.block.kind === 'item') return firstChild(text, scan, parent.block)
  return firstOfList(text, scan, parent?.block ?? null, previous, next)
}

function nextToSibling(
  text: string,
  siblings: readonly Block[],
  index: number,
  offset: number,
  asChapter: boolean,
): Slot {
  const model = required(siblings[index])
  const after = offset > model.start
  if (model.kind === 'item')
    return {
      text,
      offset,
      lead: leadOf(text, model),
      marker: siblingMarker(text, siblings, index, after),
      before: [],
      after: [],
    }
  if (asChapter) return { text, offset, lead: '', marker: '', before: [], after: [] }
  return {
    text,
    offset,
    lead: '',
    marker: '* ',
    before: after ? [''] : [],
    after: blankAfter(text, offset) === false ? [''] : [],
  }
}

function firstChild(text: string, scan: Scan, parent: Block): Slot {
  const lead = leadOf(text, parent)
  const wished = lead + (unitOf(text, scan, parent.start) ?? '  ')
  const { column } = indentation(wished)
  const fits = column >= parent.content && column < parent.content + 4
  const marker = /^\d/.test(parent.marker) ? `1${parent.marker.slice(-1)} ` : `${parent.marker} `
  return {
    text,
    offset: parent.ownEnd,
    lead: fits ? wished : lead + ' '.repeat(parent.content - parent.indent),
    marker,
    before: [],
    after: [],
  }
}

/**
 * Returns the slot for the first entry of a list: under a heading, at the top level before the first group, or after a
 * group, which a break must end.
 */
function firstOfList(
  text: string,
  scan: Scan,
  group: Block | null,
  previous: Block | undefined,
  next: Block | undefined,
): Slot {
  const model = topItem(scan.blocks)
  const bullet = model && !/^\d/.test(model.marker)
  const style = { text, lead: bullet ? leadOf(text, model) : '', marker: bullet ? markerOf(text, model) : '* ' }
  if (group) return { ...style, offset: group.ownEnd, ...apart(text, group.ownEnd) }
  if (!previous) {
    const offset = next?.start ?? text.length
    return { ...style, offset, before: blankBefore(text, offset) ? [] : [''], after: next ? [''] : [] }
  }
  const limit = next?.start ?? text.length
  const ending = scan.breaks.find((start) => start >= previous.end && start < limit)
  if (ending !== undefined) {
    const line = /.*(?:\r\n|\n|\r|$)/y
    line.lastIndex = ending
    const offset = ending + (line.exec(text)?.[0].length ?? 0)
    return { ...style, offset, ...apart(text, offset) }
  }
  const { before, after } = apart(text, previous.end)
  return { ...style, offset: previous.end, before: ['', '***', ''], after: before.length > 0 ? after : [''] }
}

/** Returns the first item that is not nested in another one. */
function topItem(blocks: readonly Block[]): Block | undefined {
  for (const block of blocks) {
    const found = block.kind === 'item' ? block : block.kind === 'group' ? topItem(block.children) : undefined
    if (found) return found
  }
  return undefined
}

/** Returns the blank lines between a list and the preceding heading or break, and the following lines. */
function apart(text: string, offset: number): { before: string[]; after: string[] } {
  const following = blankAfter(text, offset)
  return { before: [''], after: following === false ? [''] : [] }
}
