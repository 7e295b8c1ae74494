/** Lists the blocks of a page that readers may change one by one, and maps each exactly to its source. */
import { positionIn } from '../content/blocks/block.js'
import { parseDocument } from '../content/blocks/parse.js'
import type { BlockNode, DocumentNode } from '../content/types.js'

/** Blocks whose parts may be changed one by one. */
const CONTAINERS = new Set([
  'hint',
  'tabs',
  'tabs-item',
  'stepper',
  'stepper-step',
  'columns',
  'column',
  'blockquote',
  'list-unordered',
  'list-ordered',
  'list-tasks',
])

/** A block of a page. */
export interface PlacedBlock {
  node: BlockNode
  /** The number of the block that it is in; null at the top level. */
  within: number | null
}

/**
 * Returns the blocks of a page: those at the top level, then those in containers. A block is identified by its number in
 * this list. Of the parts of a list item, only lists are in it.
 */
export function placedBlocks(nodes: DocumentNode['nodes']): PlacedBlock[] {
  const found: PlacedBlock[] = nodes.map((node) => ({ node, within: null }))
  for (const [number, { node }] of found.entries())
    for (const child of node.nodes) {
      if (child.object !== 'block') continue
      const isPart = CONTAINERS.has(node.type) || (node.type === 'list-item' && child.type.startsWith('list-'))
      if (isPart) found.push({ node: child, within: number })
    }
  return found
}

/** The range of a block in the text of its page, in UTF-16 units. */
export interface SourcePlace {
  start: number
  end: number
  /** The marks of quotes and the indentation before its first line, which its other lines must have as well. */
  prefix: string
}

const isBlank = (text: string): boolean => text.trim() === ''

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

/**
 * Returns the source of a block, without blank space at its end. Null if it is empty, if other text is on its lines, or if
 * several of its lines have a prefix.
 */
export function sourcePlace({ node, within }: PlacedBlock, text: string): SourcePlace | null {
  const { start, end: last } = positionIn(node)
  if (start === undefined || last === undefined) return null
  const source = text.slice(start, last).trimEnd()
  const end = start + source.length
  if (source === '') return null
  if (within === null) return { start, end, prefix: '' }
  const prefix = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  const isWhole = /^[ \t>]*$/.test(prefix) && isBlank(text.slice(end, endOfLine(text, end)))
  return isWhole && (prefix === '' || !source.includes('\n')) ? { start, end, prefix } : null
}

/** Returns the sources of all blocks of a page, in the order of `placedBlocks`. */
export const sourcePlaces = (markdown: string): SourcePlace[] =>
  placedBlocks(parseDocument(markdown).nodes).flatMap((block) => sourcePlace(block, markdown) ?? [])
