/**
 * Compares two versions of a page by their block trees. The result is one tree for each block that shows both versions:
 * changed words are in nodes of the types `inserted` and `deleted`, and changed blocks have a mark in `data.change`.
 */
import { inlinesIn, plainText, text } from '../blocks/node.js'
import type { BlockNode, DocumentNode } from '../types.js'
import { sameKind, type Unit, unitsOf } from './digest.js'
import { type Pair, pairUnits, type Pairing } from './pairs.js'
import { DELETED, INSERTED, joinText, markText } from './words.js'

/** The difference of a block between two versions of a page. */
export const BLOCK_CHANGES = ['unchanged', 'changed', 'added', 'removed', 'moved'] as const
export type BlockChange = (typeof BLOCK_CHANGES)[number]

/** A top-level block of one version or of both. */
export interface ComparedBlock {
  change: BlockChange
  /** The block for display, with both versions in one. */
  shown: BlockNode
  before?: Unit
  after?: Unit
}

/** Blocks with fewer words count as removed and added, not as moved. */
const MIN_MOVED_WORDS = 3

/** Compares two texts: `joinText` to show both versions, `compareText` only to know whether they differ, which is faster. */
type TextComparison = typeof joinText

/**
 * Compares two documents. Removed blocks keep their former position.
 * @param texts compares the texts of two versions of a block
 */
export function compareDocuments(
  before: DocumentNode,
  after: DocumentNode,
  texts: TextComparison = joinText,
): ComparedBlock[] {
  const pairs = pairUnits(unitsOf(before.nodes), unitsOf(after.nodes)).flatMap((pair) => separated(pair, texts))
  const gone = new Map<string, Unit[]>()
  for (const pair of pairs)
    if (pair.before && !pair.after && pair.before.size >= MIN_MOVED_WORDS)
      gone.set(pair.before.digest, [...(gone.get(pair.before.digest) ?? []), pair.before])
  const moved = new Map<Unit, Unit>()
  for (const { before: old, after: now } of pairs) {
    const from = old ? undefined : now && gone.get(now.digest)?.shift()
    if (from && now) moved.set(now, from).set(from, now)
  }
  return pairs.flatMap((pair): ComparedBlock[] => {
    const { before: old, after: now, shown } = pair
    if (old && !now) return moved.has(old) ? [] : [{ change: 'removed', shown: old.node, before: old }]
    if (!now) return []
    const from = moved.get(now)
    if (from) return [{ change: 'moved', shown: now.node, before: from, after: now }]
    if (!old) return [{ change: 'added', shown: now.node, after: now }]
    return [{ change: shown ? 'changed' : 'unchanged', shown: shown ?? now.node, before: old, after: now }]
  })
}

/** A pair with the block that shows both versions, if they differ. */
type Shown = Pair & { shown?: BlockNode }

/** Joins the versions of a block. If two versions cannot be shown in one block, they become a removed and an added block. */
function separated(pair: Pair, texts: TextComparison): Shown[] {
  const { before, after } = pair
  if (!before || !after || before.digest === after.digest) return [pair]
  const found = joinBlocks(before.node, after.node, texts)
  if (found === null) return [{ before }, { after }]
  return [{ before, after, ...(found.isChanged ? { shown: found.node } : {}) }]
}

interface Joined {
  node: BlockNode
  isChanged: boolean
}

/** Shows two versions of a block in one. Returns null if that is not possible. */
function joinBlocks(before: BlockNode, after: BlockNode, texts: TextComparison): Joined | null {
  if (!sameKind(before, after)) return null
  const isText = (node: BlockNode): boolean => node.nodes.every((child) => child.object !== 'block')
  const isBlocks = (node: BlockNode): boolean => node.nodes.every((child) => child.object === 'block')
  if (before.nodes.length === 0 && after.nodes.length === 0) return { node: after, isChanged: false }
  if (after.type === 'code') return joinCodeBlocks(before, after, texts)
  if (after.type === 'math' || after.type === 'html' || after.type === 'raw') return null
  if (isText(before) && isText(after)) return joinTexts(before, after, texts)
  if (isBlocks(before) && isBlocks(after)) return joinContainers(before, after, texts)
  return null
}

/** Code is compared without the colors of its syntax. */
function joinCodeBlocks(before: BlockNode, after: BlockNode, texts: TextComparison): Joined | null {
  const found = texts([text(plainText(before.nodes))], [text(plainText(after.nodes))], true)
  return found && { node: { ...after, nodes: found.nodes }, isChanged: found.isChanged }
}

function joinTexts(before: BlockNode, after: BlockNode, texts: TextComparison): Joined | null {
  const found = texts(inlinesIn(before), inlinesIn(after))
  return found && { node: { ...after, nodes: found.nodes }, isChanged: found.isChanged }
}

/** Marks a block of text within another block. */
const marked = ({ node, isChanged }: Joined): BlockNode =>
  isChanged && node.nodes.every((child) => child.object !== 'block')
    ? { ...node, data: { ...node.data, change: 'changed' } }
    : node

const TABLE_PARTS = new Set(['table', 'table-row'])
/** Blocks whose parts have a fixed position. If their number changes, the whole block counts as changed. */
const FIXED = new Set(['table-row', 'columns', 'images'])

function joinContainers(before: BlockNode, after: BlockNode, texts: TextComparison): Joined | null {
  const [old, now] = [blocks(before), blocks(after)]
  if (FIXED.has(after.type) && old.length !== now.length) return null
  if (after.type === 'table' && widthOf(before) !== widthOf(after)) return null
  const pairing: Pairing = TABLE_PARTS.has(after.type) ? 'place' : 'similar'
  const pairs = FIXED.has(after.type)
    ? placePairs(unitsOf(old), unitsOf(now))
    : pairUnits(unitsOf(old), unitsOf(now), pairing)
  let isChanged = false
  const nodes: BlockNode[] = []
  for (const { before: one, after: other } of pairs) {
    if (one && other) {
      const same = one.digest === other.digest
      const found = same ? { node: other.node, isChanged: false } : joinBlocks(one.node, other.node, texts)
      // A cell keeps its position, so it contains both versions.
      if (found === null && FIXED.has(after.type)) return null
      nodes.push(...(found ? [marked(found)] : [markBlock(one.node, 'removed'), markBlock(other.node, 'added')]))
      isChanged ||= found === null || found.isChanged
    } else if (one ?? other) {
      isChanged = true
      nodes.push(one ? markBlock(one.node, 'removed') : markBlock((other as Unit).node, 'added'))
    }
  }
  return { node: { ...after, nodes }, isChanged }
}

const blocks = (node: BlockNode): BlockNode[] =>
  node.nodes.filter((child): child is BlockNode => child.object === 'block')

const widthOf = (table: BlockNode): number => {
  const [first] = table.nodes
  return first?.object === 'block' ? first.nodes.length : 0
}

const placePairs = (before: readonly Unit[], after: readonly Unit[]): Pair[] =>
  before.map((one, at) => ({ before: one, ...(after[at] ? { after: after[at] } : {}) }))

/** Marks a block within another one, and the words in it. */
function markBlock(node: BlockNode, change: 'added' | 'removed'): BlockNode {
  const kind = change === 'added' ? INSERTED : DELETED
  const nodes = node.nodes.some((child) => child.object === 'block')
    ? node.nodes.map((child) => (child.object === 'block' ? markWords(child, kind) : child))
    : markText(inlinesIn(node), kind)
  return { ...node, nodes, data: { ...node.data, change } }
}

function markWords(node: BlockNode, kind: typeof INSERTED | typeof DELETED): BlockNode {
  if (node.nodes.some((child) => child.object === 'block'))
    return {
      ...node,
      nodes: node.nodes.map((child) => (child.object === 'block' ? markWords(child, kind) : child)),
    }
  return { ...node, nodes: markText(inlinesIn(node), kind) }
}
