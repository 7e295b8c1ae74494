// The block tree of a page that is too costly to parse: its source as one code block.
import type { BlockNode, DocumentNode } from '../types.js'
import { text } from './node.js'
import { block } from './block.js'

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
export function verbatimText(input: DocumentNode): string | null {
  const [only, ...others] = Array.isArray(input?.nodes) ? input.nodes : []
  if (!only || others.length > 0 || typeof only.data !== 'object' || only.data === null || !isVerbatimPage(only))
    return null
  const [inner, ...more] = Array.isArray(only.nodes) ? only.nodes : []
  const leaf =
    inner?.object === 'text' && more.length === 0 && Array.isArray(inner.leaves) && inner.leaves.length === 1
      ? inner.leaves[0]
      : null
  return typeof leaf?.text === 'string' ? leaf.text : null
}
