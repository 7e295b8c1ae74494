import type { BlockNode, DocumentNode } from '../types.js'
import { block, text } from './node.js'

/** `format` in the data of the code block that stands for a page that is not taken apart. */
const FORMAT = 'verbatim'

/** A page that is not taken apart: one code block with its source. `limit`: why, as a sentence. Written back, it is the same source. */
export function verbatimDocument(markdown: string, limit: string, schemaVersion: number): DocumentNode {
  const position = { start: 0, end: markdown.length, line: 1 }
  const only = block('code', position, { syntax: 'markdown', format: FORMAT }, [text(markdown)])
  only.key = 'n0'
  const inner = only.nodes[0]
  if (inner) inner.key = 'n0-0'
  return { object: 'document', data: { schemaVersion, limit }, nodes: [only] }
}

/** Whether a block stands for a whole page as it is written. */
export const isVerbatimPage = (node: BlockNode): boolean => node.type === 'code' && node.data['format'] === FORMAT

/** Why a document is its page's source alone; null where it is a tree. */
export const limitOf = (document: DocumentNode): string | null => (typeof document.data['limit'] === 'string' ? document.data['limit'] : null)

/** The source of a page that such a document stands for; null where it is none. The input may come from anybody. */
export function verbatimText(input: DocumentNode): string | null {
  const [only, ...others] = Array.isArray(input?.nodes) ? input.nodes : []
  if (!only || others.length > 0 || typeof only.data !== 'object' || only.data === null || !isVerbatimPage(only)) return null
  const [inner, ...more] = Array.isArray(only.nodes) ? only.nodes : []
  const leaf = inner?.object === 'text' && more.length === 0 && Array.isArray(inner.leaves) && inner.leaves.length === 1 ? inner.leaves[0] : null
  return typeof leaf?.text === 'string' ? leaf.text : null
}
