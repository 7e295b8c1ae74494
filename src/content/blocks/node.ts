/** Constructors for the inline nodes, text and marks of a page's block tree, and functions that apply to all nodes. */
import { required } from '../../kernel/defined.js'
import type { BlockNode, InlineNode, TextNode } from '../types.js'

type Leaf = TextNode['leaves'][number]
export type Mark = Leaf['marks'][number]
export type Inline = InlineNode | TextNode
export const mark = (type: string, data: Record<string, unknown> = {}): Mark => ({ object: 'mark', type, data })

export const text = (value: string, marks: Mark[] = []): TextNode => ({
  object: 'text',
  key: '',
  leaves: [{ object: 'leaf', text: value, marks }],
})

export const inline = (type: string, data: Record<string, unknown>, nodes: Inline[] = []): InlineNode => ({
  object: 'inline',
  type,
  key: '',
  isVoid: nodes.length === 0,
  data,
  nodes,
})

const sameMarks = (a: readonly Mark[], b: readonly Mark[]): boolean =>
  a === b || (a.length === b.length && (a.length === 0 || JSON.stringify(a) === JSON.stringify(b)))

/** Adds an inline node to a list. Text is joined with preceding text, and leaves with the same marks are joined. */
export function append(list: Inline[], next: Inline): void {
  const last = list.at(-1)
  if (next.object !== 'text' || last?.object !== 'text') {
    list.push(next)
    return
  }
  for (const leaf of next.leaves) {
    const before = last.leaves.at(-1)
    if (before && sameMarks(before.marks, leaf.marks)) before.text += leaf.text
    else last.leaves.push(leaf)
  }
}

/** Returns the nodes of a block whose type contains only inline nodes. */
export const inlinesIn = (node: BlockNode): Inline[] => node.nodes.filter((one) => one.object !== 'block')
/** Returns the nodes of a block whose type contains only blocks. */
export const blocksIn = (node: BlockNode): BlockNode[] => node.nodes.filter((one) => one.object === 'block')

type Node = BlockNode | Inline
/** Returns the text of nodes as a reader sees it. */
export function plainText(nodes: readonly Node[]): string {
  const [only] = nodes
  if (nodes.length === 1 && only?.object === 'text' && only.leaves.length === 1) return required(only.leaves[0]).text
  return nodes
    .map((node) => {
      if (node.object === 'text') return node.leaves.map((leaf) => leaf.text).join('')
      return node.type === 'hard-break' ? '\n' : plainText(node.nodes)
    })
    .join('')
}

/**
 * Gives every node its key: the indexes on the path from the root to it. The same text always gives the same keys.
 * @param most the maximum number of nodes that get a key
 * @returns the number of keys that are left; negative if there were too many nodes, the last of which have no key
 */
export function assignKeys(nodes: readonly Node[], most: number, before = 'n'): number {
  let left = most - nodes.length
  for (let index = 0; index < nodes.length && left >= 0; index++) {
    const node = required(nodes[index])
    node.key = before + index
    if (node.object !== 'text' && node.nodes.length > 0) left = assignKeys(node.nodes, left, `${node.key}-`)
  }
  return left
}
