/**
 * Edits SUMMARY.md line by line: inserts, retitles, retargets, moves and removes entries, and preserves the rest as
 * written.
 */
import { required } from '../../kernel/defined.js'
import { cutChapter, isChapter, withoutNeighbors } from './chapters.js'
import { encodeEntry, targetStyleOf, nestedGroup, nestedGroupMark, type TargetStyle } from './encode.js'
import { splice, targetSplice, titleSplice } from './label.js'
import { summaryOf } from './parse.js'
import { blankAfter, blankBefore, cutLines, indentation, insertLines, lineBefore } from './edit-lines.js'
import { locate, type Located, type Locator } from './locate.js'
import { slotFor } from './slot.js'
import { type Block, MAX_DEPTH, type Scan, scanSummary } from './scan.js'
import { contentAfter, keepSiblings, shifted } from './shift.js'
import type { SummaryNode } from '../types.js'

export type { Locator } from './locate.js'
export { insertGroup, moveGroup, removeGroup, retitleGroup } from './groups.js'

interface NewEntry {
  title: string
  /** As the parser returns it; null for an item without a link. */
  href: string | null
  /** null for the top level. */
  parent: Locator | null
  /** Zero-based index among the parent's children; absent for the end. */
  at?: number
}

/**
 * Inserts one line. Its bullet, indentation and line end are those of its siblings, or of the file. A top-level entry
 * after a group needs a thematic break before it, which is inserted too. Removing the entry again restores the bytes,
 * except for that break and for blank lines that were inserted around the first entry of a list.
 * @throws RangeError if the parent or index does not exist, or the parent cannot have children
 */
export function insertEntry(text: string, { title, href, parent, at }: NewEntry): string {
  const scan = scanSummary(text)
  const slot = slotFor(text, scan, parent === null ? null : locate(scan, parent), at, href !== null)
  const content = encodeEntry(title, href, targetStyleOf(summaryOf(scan).nodes))
  return insertLines(slot.text, slot.offset, [...slot.before, slot.lead + slot.marker + content, ...slot.after])
}

/** An entry to insert, with the entries below it. */
export interface EntryTree {
  title: string
  href: string | null
  children: readonly EntryTree[]
}

/**
 * Inserts entries with all their descendants as the last children of `parent` (null = the top level).
 * @throws RangeError if the parent does not exist, cannot have children, or the entries would be nested too deeply
 */
export function insertEntries(
  text: string,
  { entries, parent }: { entries: readonly EntryTree[]; parent: Locator | null },
): string {
  const scan = scanSummary(text)
  const located = parent === null ? null : locate(scan, parent)
  if ((located?.path.length ?? 0) + heightOf(entries) > MAX_DEPTH)
    throw new RangeError(`The entries would be nested more than ${MAX_DEPTH} levels deep.`)
  const slot = slotFor(text, scan, located, undefined, false)
  const habit = targetStyleOf(summaryOf(scan).nodes)
  const linesOf = (trees: readonly EntryTree[], lead: string): string[] =>
    trees.flatMap(({ title, href, children }) => [
      lead + slot.marker + encodeEntry(title, href, habit),
      // Nested entries start at the column of their parent's text.
      ...linesOf(children, lead + ' '.repeat(contentAfter(lead, slot.marker) - indentation(lead).column)),
    ])
  return insertLines(text, slot.offset, [...slot.before, ...linesOf(entries, slot.lead), ...slot.after])
}

const heightOf = (entries: readonly EntryTree[]): number =>
  entries.reduce((most, { children }) => Math.max(most, 1 + heightOf(children)), 0)

/** The helpers that a series of edits can share, so that not every edit has to compute their results. */
export interface EditHelpers {
  /** Returns the result of `scanSummary`. May modify its previous result. */
  scan: (text: string) => Scan
  habit?: TargetStyle
}

const noneShared: EditHelpers = { scan: scanSummary }

/** Finds an entry in the scan of a text, and parses it. */
function open(text: string, locator: Locator, tools: EditHelpers): { scan: Scan; located: Located; node: SummaryNode } {
  const scan = tools.scan(text)
  const located = locate(scan, locator)
  const { nodes } = summaryOf({ ...scan, blocks: [{ ...located.block, children: [] }] })
  return { scan, located, node: required(nodes[0]) }
}

/**
 * Changes only an entry's title. If it already has that title, its markup is preserved.
 * @throws RangeError if the node does not exist
 */
export function retitleEntry(text: string, locator: Locator, title: string, tools = noneShared): string {
  const { scan, located, node } = open(text, locator, tools)
  if (node.title === title) return text
  return splice(text, titleSplice(text, located.block, scan.definitions, title))
}

/**
 * Changes the slug of a nested group; undefined: no change.
 * @throws RangeError if the node does not exist or is not a nested group
 */
export function remarkEntry(text: string, locator: Locator, slug: string | undefined, tools = noneShared): string {
  if (slug === undefined) return text
  const { block } = open(text, locator, tools).located
  const mark = nestedGroup(block.text)
  if (!mark) throw new RangeError('This entry of the table of contents is not a group.')
  return splice(text, {
    start: block.textStart + mark.start,
    end: block.textStart + block.text.length,
    text: nestedGroupMark(slug),
  })
}

/**
 * Changes only an entry's target; `null` removes the link.
 * @throws RangeError if the node does not exist, or is a group or computed
 */
export function retargetEntry(text: string, locator: Locator, href: string | null, tools = noneShared): string {
  const { scan, located, node } = open(text, locator, tools)
  if (node.type !== 'entry') throw new RangeError('A group or computed page has no target that could be changed.')
  if (node.href === href) return text
  const habit = tools.habit ?? targetStyleOf(summaryOf(scan).nodes)
  return splice(text, targetSplice(text, located.block, scan.definitions, { title: node.title, href, habit }))
}

/**
 * Removes an entry with everything nested in it; with `nested: 'lift'`, its children take its place. If it was the only
 * entry of its list, one of the blank lines around it is removed too.
 * @throws RangeError if the node does not exist
 */
export function removeEntry(
  text: string,
  locator: Locator,
  { nested = 'remove' }: { nested?: 'remove' | 'lift' } = {},
  tools = noneShared,
): string {
  const scan = tools.scan(text)
  const located = locate(scan, locator)
  const { block } = located
  if (block.shared) return cutChapter(text, located.siblings, located.index)
  const settled = keepSiblings(text, located, nested === 'lift' ? block.children : [])
  if (nested === 'lift' && block.children.length > 0) return cutLines(settled, block.start, block.ownEnd)
  return cutLines(
    settled,
    isOnlyEntry(located) && spareBlank(text, block) ? lineBefore(text, block.start) : block.start,
    block.end,
  )
}

const isOnlyEntry = ({ siblings, index, parent }: Located): boolean => {
  const alone = (neighbour: Block | undefined): boolean => !neighbour || neighbour.kind === 'group'
  return parent?.kind !== 'item' && alone(siblings[index - 1]) && alone(siblings[index + 1])
}
const spareBlank = (text: string, block: Block): boolean =>
  block.start > 0 && blankBefore(text, block.start) && blankAfter(text, block.end) !== false

const depthOf = (block: Block): number => 1 + block.children.reduce((most, child) => Math.max(most, depthOf(child)), 0)

/**
 * Moves an entry with everything nested in it. `at` is an index among the children of the new parent, not counting the
 * entry. Moving it back restores the bytes if its bullet, indentation and blank lines were like those of its siblings,
 * and no break was needed.
 * @throws RangeError if the node, parent or index does not exist, or the parent is in the entry itself
 */
export function moveEntry(
  text: string,
  locator: Locator,
  to: { parent: Locator | null; at?: number },
  tools = noneShared,
): string {
  const { scan, located: from, node } = open(text, locator, tools)
  if (from.block.kind === 'group') throw new RangeError('A group cannot be moved as an entry.')
  const parent = to.parent === null ? null : locate(scan, to.parent)
  if (parent && from.path.every((index, depth) => parent.path[depth] === index))
    throw new RangeError('An entry cannot be moved under itself.')
  if ((parent?.block ?? null) === from.parent && (to.at ?? from.siblings.length - 1) === from.index) return text
  if ((parent?.path.length ?? 0) + depthOf(from.block) > MAX_DEPTH)
    throw new RangeError(`The entry would be nested more than ${MAX_DEPTH} levels deep. Choose another parent.`)
  const block = structuredClone(from.block)
  const rest = removeEntry(text, locator, {}, tools)
  return placeEntry(
    rest,
    { text, block, linked: node.href !== null },
    parent && pathWithout(parent.path, from.path),
    to.at,
    tools,
  )
}

/**
 * Inserts a block's lines from another position or version of the file, in the style of the surrounding entries.
 * @throws RangeError
 */
export function placeEntry(
  text: string,
  from: { text: string; block: Block; linked: boolean },
  parent: Locator | null,
  at?: number,
  tools = noneShared,
): string {
  const scan = tools.scan(text)
  // With other text next to the link, the line would not be a chapter outside of lists.
  const block = withoutNeighbors(from.block)
  const asChapter = block.children.length === 0 && from.linked && isChapter(block.text)
  const slot = slotFor(text, scan, parent && locate(scan, parent), at, asChapter)
  return insertLines(slot.text, slot.offset, [
    ...slot.before,
    ...shifted(from.text, block, slot.lead, slot.marker),
    ...slot.after,
  ])
}

/** Returns the path of a node after the node at `gone` was removed. */
function pathWithout(path: readonly number[], gone: readonly number[]): number[] {
  const last = gone.length - 1
  const touched =
    path.length > last &&
    gone.slice(0, last).every((index, depth) => path[depth] === index) &&
    required(path[last]) > required(gone[last])
  return path.map((index, depth) => (touched && depth === last ? index - 1 : index))
}
