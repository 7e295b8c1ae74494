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
