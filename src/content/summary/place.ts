import { eolOf, indentation } from './lines.js'
import { type Block, MAX_DEPTH, type Scan } from './scan.js'

/** A node by its indexes from the top (`[2, 0]`: the first child of the third), or by where it begins, as the parser answered it. */
export type Locator = readonly number[] | { start: number }

export interface Located {
  block: Block
  parent: Block | null
  siblings: Block[]
  index: number
  path: number[]
}

/** @throws RangeError when there is no such node. */
export function locate(scan: Scan, locator: Locator): Located {
  const path = 'start' in locator ? pathOf(scan.blocks, locator.start) : [...locator]
  let parent: Block | null = null
  let siblings = scan.blocks
  for (const [depth, index] of (path ?? []).entries()) {
    const block: Block | undefined = siblings[index]
    if (!block) break
    if (depth === path!.length - 1) return { block, parent, siblings, index, path: path! }
    parent = block
    siblings = block.children
  }
  throw new RangeError('The table of contents has no such node.')
}

function pathOf(blocks: readonly Block[], start: number): number[] | null {
  const index = blocks.findIndex((block) => block.start <= start && start < block.end)
  const block = blocks[index]
  if (!block) return null
  if (block.start === start) return [index]
  const rest = pathOf(block.children, start)
  return rest && [index, ...rest]
}

/** Where an entry is written, and how. */
export interface Slot {
  offset: number
  /** White space before the marker, and the marker with the space after it; '' for a paragraph. */
  lead: string
  marker: string
  /** Lines before and after it that set it apart: '' is a blank line. */
  before: string[]
  after: string[]
}

const leadOf = (text: string, block: Block): string => text.slice(block.start, block.start + indentation(text.slice(block.start, block.textStart)).position)

function markerOf(text: string, block: Block): string {
  const written = text.slice(block.start, block.textStart).trimStart()
  return /[ \t]$/.test(written) ? written : `${written} `
}

/** The marker for an entry beside `model`: in a numbered list that counts, the number after or at it. */
function markerBeside(text: string, siblings: readonly Block[], index: number, after: boolean): string {
  const marker = markerOf(text, siblings[index]!)
  const number = /^\d+/.exec(marker)?.[0]
  if (number === undefined) return marker
  const before = siblings[index - 1]?.marker
  return after && before !== siblings[index]!.marker ? marker.replace(number, String(Number(number) + 1)) : marker
}

/** What one level of nesting adds, as the nearest nested entry of the file writes it. */
function unitOf(text: string, scan: Scan, near: number): string | null {
  let best: { distance: number; unit: string } | null = null
  const visit = (blocks: readonly Block[]): void => {
    for (const block of blocks) {
      const child = block.children[0]
      if (child && block.kind === 'item') {
        const [outer, inner] = [leadOf(text, block), leadOf(text, child)]
        const distance = Math.abs(block.start - near)
        if (inner.startsWith(outer) && (!best || distance < best.distance)) best = { distance, unit: inner.slice(outer.length) }
      }
      visit(block.children)
    }
  }
  visit(scan.blocks)
  return (best as { unit: string } | null)?.unit ?? null
}

/**
 * Where an entry goes (`asChapter`: one that may stand outside of lists beside another such) that shall be `parent`'s child number `at` (`null`: a top-level node).
 * @throws RangeError when `at` is no index, the parent cannot have children, or the nesting is too deep.
 */
export function slotFor(text: string, scan: Scan, parent: Located | null, at: number | undefined, asChapter: boolean): Slot {
  const siblings = parent ? parent.block.children : scan.blocks
  const index = at ?? siblings.length
  if (!Number.isInteger(index) || index < 0 || index > siblings.length) throw new RangeError('There is no such place in the table of contents.')
  if (parent && parent.block.kind === 'paragraph') throw new RangeError('A chapter outside of lists cannot have subpages.')
  if (parent && parent.path.length >= MAX_DEPTH) throw new RangeError('The entry would be nested too deep.')
  const previous = siblings[index - 1]
  const next = siblings[index]
  if (previous && previous.kind !== 'group') return beside(text, siblings, index - 1, previous.end, asChapter)
  if (next && next.kind !== 'group') return beside(text, siblings, index, next.start, asChapter)
  if (parent?.block.kind === 'item') return firstChild(text, scan, parent.block)
  return firstOfList(text, scan, parent?.block ?? null, previous, next)
}

function beside(text: string, siblings: readonly Block[], index: number, offset: number, asChapter: boolean): Slot {
  const model = siblings[index]!
  const after = offset > model.start
  if (model.kind === 'item') return { offset, lead: leadOf(text, model), marker: markerBeside(text, siblings, index, after), before: [], after: [] }
  if (asChapter) return { offset, lead: '', marker: '', before: [], after: [] }
  return { offset, lead: '', marker: '* ', before: after ? [''] : [], after: blankAfter(text, offset) === false ? [''] : [] }
}

function firstChild(text: string, scan: Scan, parent: Block): Slot {
  const lead = leadOf(text, parent)
  const wished = lead + (unitOf(text, scan, parent.start) ?? '  ')
  const { column } = indentation(wished)
  const fits = column >= parent.content && column < parent.content + 4
  const marker = /^\d/.test(parent.marker) ? `1${parent.marker.slice(-1)} ` : `${parent.marker} `
  return { offset: parent.ownEnd, lead: fits ? wished : lead + ' '.repeat(parent.content - parent.indent), marker, before: [], after: [] }
}

/** The first entry under a heading, at the top before the first group, or at the top after a group (which a break must end). */
function firstOfList(text: string, scan: Scan, group: Block | null, previous: Block | undefined, next: Block | undefined): Slot {
  const model = topItem(scan.blocks)
  const bullet = model && !/^\d/.test(model.marker)
  const style = { lead: bullet ? leadOf(text, model) : '', marker: bullet ? markerOf(text, model) : '* ' }
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

/** The first item that is nested in no other. */
function topItem(blocks: readonly Block[]): Block | undefined {
  for (const block of blocks) {
    const found = block.kind === 'item' ? block : block.kind === 'group' ? topItem(block.children) : undefined
    if (found) return found
  }
  return undefined
}

/** Whether the line before `offset` is blank, or there is none. */
export function blankBefore(text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - 400), offset).replace(/(?:\r\n|\n|\r)$/, '')
  return /(?:^|[\r\n])[\ufeff \t]*$/.test(before)
}

/** Where the line before the one at `offset` begins. */
export function lineBefore(text: string, offset: number): number {
  const ending = /(?:\r\n|\n|\r)$/.exec(text.slice(Math.max(0, offset - 2), offset))?.[0].length ?? 0
  const before = text.slice(0, offset - ending)
  return Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r'), text.charCodeAt(0) === 0xfeff ? 0 : -1) + 1
}

/** Whether the line at `offset` is blank; `null` at the end of the text. */
export function blankAfter(text: string, offset: number): boolean | null {
  return offset >= text.length ? null : /^[ \t]*(?:\r|\n|$)/.test(text.slice(offset, offset + 200))
}

/** Blank lines that set a list apart from the heading or break before it and from what follows. */
function apart(text: string, offset: number): { before: string[]; after: string[] } {
  const following = blankAfter(text, offset)
  return { before: [''], after: following === false ? [''] : [] }
}

/** Writes whole lines at a line's beginning. A text without a final line feed stays without one. */
export function insertLines(text: string, offset: number, lines: readonly string[]): string {
  const eol = eolOf(text)
  const body = lines.join(eol)
  const atLine = offset === 0 || /[\r\n\ufeff]$/.test(text.slice(0, offset).slice(-1))
  return atLine ? text.slice(0, offset) + body + eol + text.slice(offset) : text.slice(0, offset) + eol + body + text.slice(offset)
}

/** Cuts whole lines out. A text without a final line feed stays without one. */
export function cutLines(text: string, start: number, end: number): string {
  const rest = text.slice(0, start) + text.slice(end)
  if (end !== text.length || start === 0 || /[\r\n]/.test(text.slice(-1))) return rest
  return rest.slice(0, rest.length - (/(?:\r\n|\n|\r)$/.exec(rest.slice(-2))?.[0].length ?? 0))
}
