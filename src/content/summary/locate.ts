// Finds the lines of an entry of the table of contents.
import { required } from '../../kernel/defined.js'
import type { Block, Scan } from './block.js'

/**
 * Identifies a node by its indexes from the top (`[2, 0]` is the first child of the third node), or by its `start`, as
 * the parser returns it.
 */
export type Locator = readonly number[] | { start: number }

/** A block with its position in the scan. */
export interface Located {
  block: Block
  parent: Block | null
  siblings: Block[]
  index: number
  path: number[]
}

/**
 * Finds a node.
 * @throws RangeError if the node does not exist
 */
export function locate(scan: Scan, locator: Locator): Located {
  const path = 'start' in locator ? pathOf(scan.blocks, locator.start) : [...locator]
  let parent: Block | null = null
  let siblings = scan.blocks
  for (const [depth, index] of (path ?? []).entries()) {
    const block: Block | undefined = siblings[index]
    if (!block) break
    if (depth === required(path).length - 1) return { block, parent, siblings, index, path: required(path) }
    parent = block
    siblings = block.children
  }
  throw new RangeError('The table of contents has no such entry.')
}

function pathOf(blocks: readonly Block[], start: number): number[] | null {
  const index = blocks.findIndex((block) => block.start <= start && start < block.end)
  const block = blocks[index]
  if (!block) return null
  if (block.start === start) return [index]
  const rest = pathOf(block.children, start)
  return rest && [index, ...rest]
}
