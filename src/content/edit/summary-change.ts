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

/**
 * The destination of an entry: below the entry on line `parent` (null = top level), before the one on line `before`
 * (absent = last).
 */
export interface SummaryDestination {
  parent: number | null
  before?: number
}

/** A change of a table of contents. Entries are identified by their lines in the structure of the same text. */
export type SummaryChange =
  | { kind: 'insert'; title: string; href: string | null; place: SummaryDestination }
  | { kind: 'insert-tree'; entries: readonly EntryTree[]; parent: number | null }
  | { kind: 'retitle'; line: number; title: string }
  | { kind: 'retarget'; targets: readonly { line: number; href: string }[] }
  | { kind: 'move'; line: number; place: SummaryDestination }
  | { kind: 'remove'; line: number }
  | { kind: 'insert-group'; title: string; slug?: string; place: SummaryDestination }
  | { kind: 'retitle-group'; line: number; title: string; slug?: string }
  | { kind: 'move-group'; line: number; place: SummaryDestination }
  | { kind: 'remove-group'; line: number }

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
  const at = (line: number): Locator => ({ start: nodeAt(nodes, line).start })
  const parent = (place: SummaryDestination): Locator | null => (place.parent === null ? null : at(place.parent))
  const isHeading = (line: number): boolean => nodeAt(nodes, line).type === 'group'
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
      return retitleEntry(text, at(change.line), change.title)
    case 'move':
      return moveEntry(text, at(change.line), { parent: parent(change.place), ...index(change.place, change.line) })
    case 'remove':
      return removeEntry(text, at(change.line))
    case 'insert-group':
      return insertGroup(text, {
        title: change.title,
        ...(change.slug === undefined ? {} : { slug: change.slug }),
        ...index(change.place),
      })
    case 'retitle-group':
      return isHeading(change.line)
        ? retitleGroup(text, at(change.line), change.title, change.slug)
        : remarkEntry(retitleEntry(text, at(change.line), change.title), at(change.line), change.slug)
    case 'move-group':
      return isHeading(change.line)
        ? moveGroup(text, at(change.line), index(change.place, change.line).at ?? nodes.length - 1)
        : moveEntry(text, at(change.line), { parent: parent(change.place), ...index(change.place, change.line) })
    case 'remove-group':
      return isHeading(change.line) ? removeGroup(text, at(change.line)) : removeEntry(text, at(change.line))
  }
}

function retarget(text: string, targets: readonly { line: number; href: string }[]): string {
  const { nodes } = parseSummary(text)
  const starts = targets
    .map(({ line, href }) => ({ start: nodeAt(nodes, line).start, href }))
    .sort((a, b) => b.start - a.start)
  // Replace from the end, so that the other offsets stay valid.
  return starts.reduce((edited, { start, href }) => retargetEntry(edited, { start }, href), text)
}

function nodeAt(nodes: readonly SummaryNode[], line: number): SummaryNode {
  const found = find(nodes, line)
  if (!found) throw new RangeError('The page has no entry in the table of contents. List it there first.')
  return found
}

function find(nodes: readonly SummaryNode[], line: number): SummaryNode | null {
  for (const node of nodes) {
    if (node.line === line) return node
    const inside = find(node.children, line)
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
    (node) => node.line !== moving,
  )
  const at = siblings.findIndex((node) => node.line === before)
  return at < 0 ? {} : { at }
}
