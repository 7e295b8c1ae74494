/** Selects the blocks of a page that a reader with claims sees, and compares two versions of it for them. */
import { parseDocument } from '../content/blocks/parse.js'
import { type BlockChange, compareDocuments } from '../content/compare/compare.js'
import { compareText } from '../content/compare/words.js'
import { conditionHolds } from '../content/conditions/holds.js'
import type { BlockNode, DocumentNode } from '../content/types.js'

/** Replaces blocks with a condition by their content if it holds, and else omits them. */
export function visibleNodes<N extends BlockNode['nodes'][number]>(
  nodes: readonly N[],
  claims: Readonly<Record<string, unknown>>,
): N[] {
  return nodes.flatMap((node): N[] => {
    if (node.object !== 'block') return [node]
    const below = visibleNodes(node.nodes, claims)
    if (node.type !== 'if') return [{ ...node, nodes: below }]
    const { expression } = node.data
    return typeof expression === 'string' && conditionHolds(expression.trim(), claims) ? (below as N[]) : []
  })
}

/** The changes of a page between two versions, as its reader sees them. */
export interface ComparedVersions {
  /** The change of each block of the later version, in order. */
  blocks: BlockChange[]
  /** The number of blocks that only the earlier version has. */
  removed: number
}

/** Compares two versions of a page as a reader with these claims sees them. */
export function compareVersions(
  before: string,
  after: string,
  claims: Readonly<Record<string, unknown>>,
): ComparedVersions {
  const seen = (text: string): DocumentNode => {
    const document = parseDocument(text)
    return { ...document, nodes: visibleNodes(document.nodes, claims) }
  }
  const compared = compareDocuments(seen(before), seen(after), compareText)
  return {
    blocks: compared.flatMap((block) => (block.after ? [block.change] : [])),
    removed: compared.filter(({ change }) => change === 'removed').length,
  }
}
