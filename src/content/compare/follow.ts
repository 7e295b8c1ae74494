/** Finds the block that a block of another version became, even if it was moved and changed. */
import type { DocumentNode } from '../types.js'
import { compareDocuments } from './compare.js'
import { similarity, type Unit, unitsOf } from './digest.js'

/** Minimum share of words that a block keeps. With less, its text counts as deleted. */
const MIN_KEPT = 0.4
/**
 * Maximum number of changed blocks that are compared with each other. Beyond that, only blocks at the same position are
 * found.
 */
const MAX_TRIED = 10_000

/**
 * Finds the block of another version that a block became: an equal one, or else the one with the most similar words. Of
 * several such blocks, each follows the one that it has the most words in common with. Returns null if there is none.
 * @param node the key of a block at the top level
 */
export function followBlock(before: DocumentNode, after: DocumentNode, node: string): string | null {
  const compared = compareDocuments(before, after)
  const own = compared.find((block) => block.before?.node.key === node)
  if (!own) return null
  if (own.after && own.change !== 'changed') return own.after.node.key
  const [old, now] = [unitsOf(before.nodes), unitsOf(after.nodes)]
  const [left, right] = [withoutEqual(old, now), withoutEqual(now, old)]
  const placed = new Map(
    compared.flatMap((one) => (one.before && one.after ? [[one.before.node, one.after.node]] : [])),
  )
  if (left.length * right.length > MAX_TRIED) return own.after?.node.key ?? null
  const tried = left.flatMap((one) =>
    right.flatMap((other) => {
      const share = one.node.type === other.node.type ? similarity(one, other) : 0
      const isPlaced = placed.get(one.node) === other.node
      return share >= MIN_KEPT || isPlaced ? [{ one, other, share, isPlaced }] : []
    }),
  )
  // The most similar blocks are paired first. Of equally similar ones, those at the same position are.
  tried.sort((a, b) => b.share - a.share || Number(b.isPlaced) - Number(a.isPlaced))
  const taken = new Set<Unit>()
  for (const { one, other } of tried) {
    if (taken.has(one) || taken.has(other)) continue
    if (one.node.key === node) return other.node.key
    taken.add(one).add(other)
  }
  return null
}

/** Returns the units of a list that the other list does not have. */
function withoutEqual(units: readonly Unit[], others: readonly Unit[]): Unit[] {
  const equal = new Map<string, number>()
  for (const { digest } of others) equal.set(digest, (equal.get(digest) ?? 0) + 1)
  return units.filter(({ digest }) => {
    const left = equal.get(digest) ?? 0
    if (left > 0) equal.set(digest, left - 1)
    return left === 0
  })
}
