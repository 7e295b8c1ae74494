/**
 * Short constructors for the blocks that show parts of specifications. Positions and keys are added when the blocks are
 * printed and parsed.
 */
import { mark, text } from '../blocks/node.js'
import type { BlockNode, InlineNode, TextNode } from '../types.js'

export type Inline = InlineNode | TextNode

/** A block without a position. */
export const plain = (type: string, data: Record<string, unknown>, nodes: BlockNode['nodes']): BlockNode => ({
  object: 'block',
  type,
  key: '',
  isVoid: nodes.length === 0,
  data,
  nodes,
})

/** Returns a text on one line. Names and values from specifications may contain any characters. */
const oneLine = (value: string): string => value.replace(/\s+/g, ' ').replace(/\p{Cc}/gu, '')

/** Matches text that would be parsed as a link although it is not one. */
const ADDRESSES = /(\S*(?:@|:\/\/|www\.)\S*)/i

/** Returns a text unchanged, with addresses in it marked as code. */
export function words(value: string): TextNode {
  const pieces = oneLine(value).split(ADDRESSES)
  const leaves = pieces.flatMap((piece, at) =>
    piece === '' ? [] : text(piece, at % 2 === 1 ? [mark('code')] : []).leaves,
  )
  return { ...text(''), leaves }
}

export const bold = (value: string): TextNode => text(oneLine(value).trim(), [mark('bold')])
export const italic = (value: string): TextNode => text(oneLine(value).trim(), [mark('italic')])
/** Returns a text as code. An empty text becomes a space in quotes, because markdown has no empty code. */
export const code = (value: string): TextNode => text(oneLine(value).trim() || '" "', [mark('code')])

export const paragraph = (...nodes: Inline[]): BlockNode => plain('paragraph', {}, nodes)
export const item = (...nodes: BlockNode[]): BlockNode => plain('list-item', {}, nodes)
/** Returns a list; nothing if there are no items. */
export const list = (items: BlockNode[]): BlockNode[] =>
  items.length === 0 ? [] : [plain('list-unordered', {}, items)]
export const fence = (value: string, syntax?: string): BlockNode =>
  plain('code', syntax === undefined ? {} : { syntax }, [
    text(value.replace(/\r\n?/g, '\n').replace(/\n+$/, '') || ' '),
  ])
