/** Constructors for the blocks of a page's block tree, each with its position in the markdown. */
import { required } from '../../kernel/defined.js'
import type { BlockNode } from '../types.js'

/** UTF-16 offsets into the page's markdown; `end` is exclusive; `line` is the 1-based line of `start`. */
export interface Position {
  start: number
  end: number
  line: number
}

/** Makes a block. It takes ownership of `data` and appends the position to it. */
export function block(
  type: string,
  position: Position,
  data: Record<string, unknown>,
  nodes: BlockNode['nodes'] = [],
): BlockNode {
  data['position'] = position
  return { object: 'block', type, key: '', isVoid: nodes.length === 0, data, nodes }
}

/** Returns the position that `block` gave a block. */
export const positionOf = (node: BlockNode): Position => node.data['position'] as Position

/** Returns the source position of a block from any source; without members if it has none. */
export const positionIn = (node: BlockNode): Partial<Position> =>
  node.data['position'] === undefined ? {} : positionOf(node)

/**
 * Corrects positions so that siblings are in order and do not overlap, and children are within their parent. (The
 * parser may end a list item within the marker of the next item.)
 */
export function settlePositions(nodes: BlockNode['nodes'], start: number, end: number, source: string): void {
  let from = start
  for (let index = 0; index < nodes.length; index++) {
    const node = required(nodes[index])
    if (node.object !== 'block') continue
    const position = positionOf(node)
    const next = nodes[index + 1]
    const limit = Math.max(from, Math.min(end, next?.object === 'block' ? positionOf(next).start : end))
    position.start = Math.min(Math.max(position.start, from), limit)
    if (position.end > limit) position.end = position.start + source.slice(position.start, limit).trimEnd().length
    position.end = Math.max(position.start, position.end)
    from = position.end
    settlePositions(node.nodes, position.start, position.end, source)
  }
}
