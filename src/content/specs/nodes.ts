/** Short constructors for the blocks that parts of specifications are shown with. Positions and keys come when the blocks are printed and read. */
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

/** A text on one line: names and values of strangers may have any characters. */
const oneLine = (value: string): string => value.replace(/\s+/g, ' ').replace(/\p{Cc}/gu, '')

/** What would be read as a link although it is none. */
const ADDRESSES = /(\S*(?:@|:\/\/|www\.)\S*)/i

/** A text as it is; addresses in it as code. */
export function words(value: string): TextNode {
  const pieces = oneLine(value).split(ADDRESSES)
  const leaves = pieces.flatMap((piece, at) =>
    piece === '' ? [] : text(piece, at % 2 === 1 ? [mark('code')] : []).leaves,
  )
  return { ...text(''), leaves }
}

export const bold = (value: string): TextNode => text(oneLine(value).trim(), [mark('bold')])
export const italic = (value: string): TextNode => text(oneLine(value).trim(), [mark('italic')])
/** A text as code; an empty one, which markdown has not, as a space in quotes. */
export const code = (value: string): TextNode => text(oneLine(value).trim() || '" "', [mark('code')])

export const paragraph = (...nodes: Inline[]): BlockNode => plain('paragraph', {}, nodes)
export const item = (...nodes: BlockNode[]): BlockNode => plain('list-item', {}, nodes)
/** A list; none if there are no items. */
export const list = (items: BlockNode[]): BlockNode[] =>
  items.length === 0 ? [] : [plain('list-unordered', {}, items)]
export const fence = (value: string, syntax?: string): BlockNode =>
  plain('code', syntax === undefined ? {} : { syntax }, [
    text(value.replace(/\r\n?/g, '\n').replace(/\n+$/, '') || ' '),
  ])
