// The block tree of a page that is too costly to parse: its source as one code block.
import type { BlockNode, DocumentNode } from '../types.js'
import { text } from './node.js'
import { block } from './block.js'
import { ownMember } from '../../kernel/guards.js'

/** The `format` of the code block that represents a whole page. */
const FORMAT = 'verbatim'

/**
 * Returns the document of a page that is not parsed: one code block with its source. It is printed as that source.
 * `limit` gives the reason as a sentence.
 */
export function verbatimDocument(markdown: string, limit: string, schemaVersion: number): DocumentNode {
  const position = { start: 0, end: markdown.length, line: 1 }
  const only = block('code', position, { syntax: 'markdown', format: FORMAT }, [text(markdown)])
  only.key = 'n0'
  const inner = only.nodes[0]
  if (inner) inner.key = 'n0-0'
  return { object: 'document', data: { schemaVersion, limit }, nodes: [only] }
}

/** Whether a block represents a whole page that was not parsed. */
export const isVerbatimPage = (node: BlockNode): boolean => node.type === 'code' && node.data['format'] === FORMAT

/** Returns the reason why a document's page was not parsed; null if it was parsed. */
export const limitOf = (document: DocumentNode): string | null =>
  typeof document.data['limit'] === 'string' ? document.data['limit'] : null

/**
 * Returns the source in a document whose page was not parsed; null for other documents. The input may come from an
 * untrusted client.
 */
export function verbatimText(input: object): string | null {
  const only = onlyOf(ownMember(input, 'nodes'))
  if (ownMember(only, 'type') !== 'code' || ownMember(ownMember(only, 'data'), 'format') !== FORMAT) return null
  const inner = onlyOf(ownMember(only, 'nodes'))
  const leaf = ownMember(inner, 'object') === 'text' ? onlyOf(ownMember(inner, 'leaves')) : undefined
  const source = ownMember(leaf, 'text')
  return typeof source === 'string' ? source : null
}

/** Returns the item of a list with one item. */
const onlyOf = (list: unknown): unknown => (Array.isArray(list) && list.length === 1 ? list[0] : undefined)
