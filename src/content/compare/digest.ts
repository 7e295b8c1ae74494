/** Digests and similarity of blocks, independent of their position and of the layout of their source. */
import { hash } from 'node:crypto'
import { sameValue } from '../json.js'
import type { BlockNode } from '../types.js'
import { type Inline, plainText } from '../blocks/node.js'

type Node = BlockNode | Inline

/** Blocks whose white space is part of their text. */
const VERBATIM = new Set(['code', 'math', 'html', 'raw'])
/** Members of `data` that are derived from the nodes, or only describe how the source is written. */
const WRITTEN = new Set(['position', 'tight', 'format', 'records', 'definition', 'caption', 'legacy', 'dialect'])
/** Blocks whose title is one of their nodes. */
const TITLED = new Set(['expandable', 'image'])
/** Blocks of HTML with their content in their nodes as well. */
const REPEATED = new Set(['table-cell', 'line'])

/** Returns a short digest of a block: 120 bits. Equal blocks have equal digests at any position on the page. */
export const blockDigest = (block: BlockNode): string =>
  hash('sha256', JSON.stringify(canonical(block, false)), 'base64url').slice(0, 20)

/** Returns the content of a node without keys and positions, and with one space for each run of white space. */
function canonical(node: Node, isVerbatim: boolean): unknown {
  if (node.object === 'text')
    return node.leaves.map((leaf) => [
      isVerbatim ? leaf.text : spaced(leaf.text),
      leaf.marks.map(({ type, data }) => [type, data]),
    ])
  const inside = isVerbatim || VERBATIM.has(node.type)
  return [node.type, optionsOf(node), node.nodes.map((child) => canonical(child, inside))]
}

/** Returns a text with one space for each run of white space. */
export const spaced = (text: string): string => text.replace(/\s+/g, ' ')

/** Whether two nodes have the same type and options, regardless of their content. */
export function sameKind(a: BlockNode, b: BlockNode): boolean {
  return a.type === b.type && sameValue(optionsOf(a), optionsOf(b))
}

/** Returns the options of a node that are not derived from its nodes. */
function optionsOf({ type, data }: Exclude<Node, { object: 'text' }>): Record<string, unknown> {
  const isRepeated = (name: string): boolean =>
    (name === 'title' && TITLED.has(type)) || (name === 'html' && REPEATED.has(type))
  const kept = Object.entries(data).filter(([name]) => !WRITTEN.has(name) && !isRepeated(name))
  const columns: Record<string, unknown>[] = Array.isArray(data['definition']) ? data['definition'] : []
  // The titles of columns are in the cells of the first row.
  const options = columns.map(({ title: _title, ...column }) => column)
  return Object.fromEntries(options.length > 0 ? [...kept, ['columns', options]] : kept)
}

/** A block of a list, with the values that comparisons need. */
export class Unit {
  readonly digest: string
  #words: ReadonlyMap<string, number> | undefined

  constructor(readonly node: BlockNode) {
    this.digest = blockDigest(node)
  }

  /** The number of times that each word occurs. They are counted when they are needed, because equal blocks need none. */
  get words(): ReadonlyMap<string, number> {
    return (this.#words ??= wordsOf(this.node))
  }

  /** The number of words. */
  get size(): number {
    let sum = 0
    for (const count of this.words.values()) sum += count
    return sum
  }
}

/** Maximum number of characters that count for the similarity of a block. */
const MAX_TEXT = 20_000

function wordsOf(node: BlockNode): Map<string, number> {
  const words = new Map<string, number>()
  for (const [word] of textsOf(node)
    .join(' ')
    .slice(0, MAX_TEXT)
    .matchAll(/[\p{L}\p{N}]+/gu))
    words.set(word, (words.get(word) ?? 0) + 1)
  return words
}

/** Returns the units of a list of blocks. */
export const unitsOf = (nodes: readonly BlockNode[]): Unit[] => nodes.map((node) => new Unit(node))

/** Returns the texts of a block: one for each paragraph, cell and so on. */
const textsOf = (node: BlockNode): string[] =>
  node.nodes.some((child) => child.object === 'block')
    ? node.nodes.flatMap((child) => (child.object === 'block' ? textsOf(child) : plainText([child])))
    : [plainText(node.nodes)]

/** Returns the share of words that two blocks have in common, from 0 to 1. */
export function similarity(a: Unit, b: Unit): number {
  if (a.size + b.size === 0) return 0
  let common = 0
  for (const [word, count] of a.words) common += Math.min(count, b.words.get(word) ?? 0)
  return (2 * common) / (a.size + b.size)
}
