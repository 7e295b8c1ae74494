import type { BlockNode, DocumentNode, InlineNode, TextNode } from '../../../src/content/types.js'

type Node = BlockNode | InlineNode | TextNode

function leaves(node: TextNode): string {
  return node.leaves
    .map((leaf) => {
      const marks = leaf.marks.map((mark) => [mark.type, ...Object.values(mark.data)].join(':')).join(',')
      return marks ? `[${marks}|${leaf.text}]` : leaf.text
    })
    .join('')
}

const HIDDEN = new Set(['position', 'attributes', 'html', 'tag', 'tight'])
const hidden = (type: string, name: string): boolean =>
  HIDDEN.has(name) || (name === 'src' && type === 'image') || (name === 'format' && type !== 'updates')

function brief(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'url' in value && 'kind' in value)
    return `${value.kind}(${value.url})`
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function outline(node: Node, indent: string): string[] {
  if (node.object === 'text') return [`${indent}'${leaves(node).replaceAll('\n', '⏎')}'`]
  const data = Object.entries(node.data)
    .filter(([name]) => !hidden(node.type, name))
    .map(([name, value]) => ` ${name}=${brief(value)}`)
    .join('')
  return [`${indent}${node.type}${data}`, ...node.nodes.flatMap((child) => outline(child, `${indent}  `))]
}

/** A tree as indented lines: type, data (without positions and raw attributes), text with its marks. */
export const outlineOf = (document: DocumentNode): string[] => document.nodes.flatMap((node) => outline(node, ''))

/** A text as a client sends it. */
export const textNode = (value: string, marks: TextNode['leaves'][number]['marks'] = []): TextNode => ({
  object: 'text',
  key: '',
  leaves: [{ object: 'leaf', text: value, marks }],
})

/** A block as a client sends it. */
export const blockNode = (type: string, data: Record<string, unknown>, nodes: BlockNode['nodes'] = []): BlockNode => ({
  object: 'block',
  type,
  key: '',
  isVoid: false,
  data,
  nodes,
})

/** Returns the line number of each offset of a text, computed once for all nodes. */
function linesOf(source: string): Uint32Array {
  const lines = new Uint32Array(source.length + 1).fill(1)
  for (let at = 0; at < source.length; at++) {
    const ends = source[at] === '\r' || (source[at] === '\n' && source[at - 1] !== '\r')
    lines[at + 1] = (lines[at] as number) + (ends ? 1 : 0)
  }
  return lines
}

/** Returns the errors in the positions of a tree. Empty = none. */
export function positionFaults(document: DocumentNode, source: string): string[] {
  const faults: string[] = []
  const lines = linesOf(source)
  const check = (nodes: readonly Node[], start: number, end: number) => {
    let from = start
    for (const node of nodes) {
      if (node.object !== 'block') continue
      const at = node.data['position'] as { start: number; end: number; line: number }
      if (at.start < from || at.end < at.start || at.end > end)
        faults.push(`${node.type} ${node.key}: ${at.start}–${at.end}, allowed ${from}–${end}`)
      const line = lines[at.start]
      if (at.line !== line) faults.push(`${node.type} ${node.key}: line ${at.line}, is ${line}`)
      from = at.end
      check(node.nodes, at.start, at.end)
    }
  }
  check(document.nodes, 0, source.length)
  return faults
}

/** Returns every key of a tree, in order. */
export function keysOf(nodes: readonly Node[]): string[] {
  return nodes.flatMap((node) => [node.key, ...(node.object === 'text' ? [] : keysOf(node.nodes))])
}
