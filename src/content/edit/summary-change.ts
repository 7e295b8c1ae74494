/** The changes that edits make to a table of contents. They are plain data, so that a thread can apply them. */
import {
  type EntryTree,
  insertEntries,
  insertEntry,
  insertGroup,
  type Locator,
  moveEntry,
  moveGroup,
  remarkEntry,
  removeEntry,
  removeGroup,
  retargetEntry,
  retitleEntry,
  retitleGroup,
} from '../summary/edit.js'
import { parseSummary } from '../summary/parse.js'
import type { Outcome, SummaryNode } from '../types.js'
import { defined } from '../../kernel/defined.js'

/**
 * The destination of an entry: below the entry at `parent` (null = top level), before the one at `before` (absent =
 * last).
 */
export interface SummaryDestination {
  parent: number | null
  before?: number
}

/**
 * A change of a table of contents. Entries are identified by their offsets (`start`) in the structure of the same text,
 * because one line may contain several.
 */
export type SummaryChange =
  | { kind: 'insert'; title: string; href: string | null; place: SummaryDestination }
  | { kind: 'insert-tree'; entries: readonly EntryTree[]; parent: number | null }
  | { kind: 'retitle'; start: number; title: string }
  | { kind: 'retarget'; targets: readonly { start: number; href: string }[] }
  | { kind: 'move'; start: number; place: SummaryDestination }
  | { kind: 'remove'; start: number }
  | { kind: 'insert-group'; title: string; slug?: string; place: SummaryDestination }
  | { kind: 'retitle-group'; start: number; title: string; slug?: string }
  | { kind: 'move-group'; start: number; place: SummaryDestination }
  | { kind: 'remove-group'; start: number }

/** Applies a change. If the editor rejects it, the outcome contains the reason. */
export function changeSummary(text: string, change: SummaryChange): Outcome<string> {
  try {
    return { done: apply(text, change) }
  } catch (error) {
    if (error instanceof RangeError) return { refused: error.message }
    throw error
  }
}

function apply(text: string, change: SummaryChange): string {
  if (change.kind === 'retarget') return retarget(text, change.targets)
  const { nodes } = parseSummary(text)
  const at = (start: number): Locator => ({ start: nodeAt(nodes, start).start })
  const parent = (place: SummaryDestination): Locator | null => (place.parent === null ? null : at(place.parent))
  const isHeading = (start: number): boolean => nodeAt(nodes, start).type === 'group'
  const index = (place: SummaryDestination, moving?: number): { at?: number } => indexOf(nodes, place, moving)
  switch (change.kind) {
    case 'insert':
      return insertEntry(text, {
        title: change.title,
        href: change.href,
        parent: parent(change.place),
        ...index(change.place),
      })
    case 'insert-tree':
      return insertEntries(text, { entries: change.entries, parent: change.parent === null ? null : at(change.parent) })
    case 'retitle':
      return retitleEntry(text, at(change.start), change.title)
    case 'move':
      return moveEntry(text, at(change.start), { parent: parent(change.place), ...index(change.place, change.start) })
    case 'remove':
      return removeEntry(text, at(change.start))
    case 'insert-group':
      return insertGroup(text, {
        title: change.title,
        ...defined({ slug: change.slug }),
        ...index(change.place),
      })
    case 'retitle-group':
      return isHeading(change.start)
        ? retitleGroup(text, at(change.start), change.title, change.slug)
        : remarkEntry(retitleEntry(text, at(change.start), change.title), at(change.start), change.slug)
    case 'move-group':
      return isHeading(change.start)
        ? moveGroup(text, at(change.start), index(change.place, change.start).at ?? nodes.length - 1)
        : moveEntry(text, at(change.start), { parent: parent(change.place), ...index(change.place, change.start) })
    case 'remove-group':
      return isHeading(change.start) ? removeGroup(text, at(change.start)) : removeEntry(text, at(change.start))
  }
}

function retarget(text: string, targets: readonly { start: number; href: string }[]): string {
  const { nodes } = parseSummary(text)
  const starts = targets
    .map(({ start, href }) => ({ start: nodeAt(nodes, start).start, href }))
    .sort((a, b) => b.start - a.start)
  // Replace from the end, so that the other offsets stay valid.
  return starts.reduce((edited, { start, href }) => retargetEntry(edited, { start }, href), text)
}

function nodeAt(nodes: readonly SummaryNode[], start: number): SummaryNode {
  const found = find(nodes, start)
  if (!found) throw new RangeError('The page has no entry in the table of contents. List it there first.')
  return found
}

function find(nodes: readonly SummaryNode[], start: number): SummaryNode | null {
  for (const node of nodes) {
    if (node.start === start) return node
    const inside = find(node.children, start)
    if (inside) return inside
  }
  return null
}

/**
 * Returns the index among the parent's nodes. There may be more nodes than pages: entries of missing files are not
 * pages.
 */
function indexOf(
  nodes: readonly SummaryNode[],
  { parent, before }: SummaryDestination,
  moving?: number,
): { at?: number } {
  if (before === undefined) return {}
  const siblings = (parent === null ? nodes : (find(nodes, parent)?.children ?? [])).filter(
    (node) => node.start !== moving,
  )
  const at = siblings.findIndex((node) => node.start === before)
  return at < 0 ? {} : { at }
}
