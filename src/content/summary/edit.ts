import { encodeEntry, habitOf, type TargetHabit } from './encode.js'
import { splice, targetSplice, titleSplice } from './label.js'
import { summaryOf } from './parse.js'
import { type Locator, type Located, blankAfter, blankBefore, cutLines, insertLines, lineBefore, locate, slotFor } from './place.js'
import { type Block, MAX_DEPTH, type Scan, scanSummary } from './scan.js'
import { keepSiblings, shifted } from './shift.js'
import type { SummaryNode } from '../types.js'

export type { Locator } from './place.js'
export { insertGroup, moveGroup, removeGroup, retitleGroup } from './groups.js'

export interface NewEntry {
  title: string
  /** As the parser answers it; null: an item without a link. */
  href: string | null
  /** null: top level. */
  parent: Locator | null
  /** Zero-based index among the parent's children; absent: at the end. */
  at?: number
}

/**
 * Writes one line. Bullet, indent and line ending are those of the siblings, or of the file. An entry at the top after a group
 * needs a thematic break before it, which is written too. Removing the entry again gives the same bytes except for that break,
 * and except for blank lines that the first entry of an empty list needed where none were.
 * @throws RangeError when the parent or place does not exist, or cannot take an entry.
 */
export function insertEntry(text: string, { title, href, parent, at }: NewEntry): string {
  const scan = scanSummary(text)
  const slot = slotFor(text, scan, parent === null ? null : locate(scan, parent), at, href !== null)
  const content = encodeEntry(title, href, habitOf(summaryOf(scan).nodes))
  return insertLines(text, slot.offset, [...slot.before, slot.lead + slot.marker + content, ...slot.after])
}

/** What a series of edits need not find out anew for each. */
export interface Tools {
  /** As `scanSummary` answers; may change what it answered before. */
  scan: (text: string) => Scan
  habit?: TargetHabit
}

const anew: Tools = { scan: scanSummary }

/** The text and its scan at a located entry. */
function open(text: string, locator: Locator, tools: Tools): { scan: Scan; place: Located; node: SummaryNode } {
  const scan = tools.scan(text)
  const place = locate(scan, locator)
  const { nodes } = summaryOf({ ...scan, blocks: [{ ...place.block, children: [] }] })
  return { scan, place, node: nodes[0]! }
}

/**
 * Changes an entry's text alone. The same text changes nothing, whatever its markup.
 * @throws RangeError when there is no such node.
 */
export function retitleEntry(text: string, locator: Locator, title: string, tools = anew): string {
  const { scan, place, node } = open(text, locator, tools)
  if (node.title === title) return text
  return splice(text, titleSplice(text, place.block, scan.definitions, title))
}

/**
 * Changes an entry's target alone; `null` leaves a plain item.
 * @throws RangeError when there is no such node, or it is a group or computed.
 */
export function retargetEntry(text: string, locator: Locator, href: string | null, tools = anew): string {
  const { scan, place, node } = open(text, locator, tools)
  if (node.type !== 'entry') throw new RangeError('Only an entry has a target.')
  if (node.href === href) return text
  return splice(text, targetSplice(text, place.block, scan.definitions, node.title, href, tools.habit ?? habitOf(summaryOf(scan).nodes)))
}

/**
 * Cuts an entry out, with all that is nested in it, or (`nested: 'lift'`) with its children in its place.
 * Where it was the only one of its list, one of the blank lines around it goes too.
 * @throws RangeError when there is no such node.
 */
export function removeEntry(text: string, locator: Locator, { nested = 'remove' }: { nested?: 'remove' | 'lift' } = {}, tools = anew): string {
  const scan = tools.scan(text)
  const place = locate(scan, locator)
  const { block } = place
  const settled = keepSiblings(text, place, nested === 'lift' ? block.children : [])
  if (nested === 'lift' && block.children.length > 0) return cutLines(settled, block.start, block.ownEnd)
  return cutLines(settled, onlyOne(place) && spareBlank(text, block) ? lineBefore(text, block.start) : block.start, block.end)
}

const onlyOne = ({ siblings, index, parent }: Located): boolean => {
  const alone = (neighbour: Block | undefined): boolean => !neighbour || neighbour.kind === 'group'
  return parent?.kind !== 'item' && alone(siblings[index - 1]) && alone(siblings[index + 1])
}
const spareBlank = (text: string, block: Block): boolean => block.start > 0 && blankBefore(text, block.start) && blankAfter(text, block.end) !== false

const depthOf = (block: Block): number => 1 + block.children.reduce((most, child) => Math.max(most, depthOf(child)), 0)

/**
 * Moves an entry with all that is nested in it. `at` counts the children of the new parent without the entry.
 * Moving it back gives the same bytes where bullets, indents and blank lines were those of its siblings, and no break was needed.
 * @throws RangeError when there is no such node or place, or the place lies in the entry itself.
 */
export function moveEntry(text: string, locator: Locator, to: { parent: Locator | null; at?: number }, tools = anew): string {
  const { scan, place: from, node } = open(text, locator, tools)
  if (from.block.kind === 'group') throw new RangeError('A group is moved by moveGroup.')
  const parent = to.parent === null ? null : locate(scan, to.parent)
  if (parent && from.path.every((index, depth) => parent.path[depth] === index)) throw new RangeError('An entry cannot be moved into itself.')
  if ((parent?.block ?? null) === from.parent && (to.at ?? from.siblings.length - 1) === from.index) return text
  if ((parent?.path.length ?? 0) + depthOf(from.block) > MAX_DEPTH) throw new RangeError('The entry would be nested too deep.')
  const block = structuredClone(from.block)
  const rest = removeEntry(text, locator, {}, tools)
  return placeEntry(rest, { text, block, linked: node.href !== null }, parent && pathWithout(parent.path, from.path), to.at, tools)
}

/** Writes a block's lines, as another place or version of the file has them, in the style of the new place. @throws RangeError */
export function placeEntry(text: string, from: { text: string; block: Block; linked: boolean }, parent: Locator | null, at?: number, tools = anew): string {
  const scan = tools.scan(text)
  const asChapter = from.block.yaml === undefined && from.block.children.length === 0 && from.linked
  const slot = slotFor(text, scan, parent && locate(scan, parent), at, asChapter)
  return insertLines(text, slot.offset, [...slot.before, ...shifted(from.text, from.block, slot.lead, slot.marker), ...slot.after])
}

/** The path of a node once the one at `gone` is cut out. */
function pathWithout(path: readonly number[], gone: readonly number[]): number[] {
  const last = gone.length - 1
  const touched = path.length > last && gone.slice(0, last).every((index, depth) => path[depth] === index) && path[last]! > gone[last]!
  return path.map((index, depth) => (touched && depth === last ? index - 1 : index))
}
