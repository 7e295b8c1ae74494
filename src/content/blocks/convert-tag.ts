/** Converts `{% … %}` tags to blocks. */
import type { BlockNode } from '../types.js'
import { parseAttributes, type TagAttributes } from './attributes.js'
import type { Tag } from './tag.js'
import type { ConversionContext } from './context.js'
import { text } from './node.js'
import { block, type Position } from './block.js'
import { referenceOf } from './reference.js'
import type { TagRow } from './tags.js'

type Data = Record<string, unknown>
interface ConvertedTag {
  data?: Data
  nodes?: BlockNode['nodes']
}
type Converter = (given: {
  attributes: Record<string, string | boolean>
  positional: readonly string[]
  tag: Tag
  children: BlockNode[]
}) => ConvertedTag

const string = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Converters for tags that need more than a copy of their attributes: additional data or other children. */
const converters: Record<string, Converter> = {
  'content-ref': ({ attributes }) => ({ data: { ref: referenceOf(string(attributes['url'])) } }),
  'page-ref': ({ attributes }) => ({ data: { ref: referenceOf(string(attributes['page'])), legacy: true } }),
  embed: ({ attributes }) => ({ data: { ref: referenceOf(string(attributes['url'])) } }),
  file: ({ attributes }) => ({ data: { ref: referenceOf(string(attributes['src'])) } }),
  include: ({ positional, attributes }) => ({
    data: { ref: referenceOf(positional[0] ?? string(attributes['path'])) },
  }),
  if: ({ tag }) => ({ data: { expression: tag.body } }),
  swagger: ({ attributes }) => ({ data: { dialect: attributes['src'] === undefined ? 'inline' : 'reference' } }),
  'api-method': () => ({ data: { dialect: 'api-method' } }),
  code: ({ children }) => ({ data: { ...children[0]?.data }, nodes: children[0]?.nodes ?? [] }),
}

/** Converts a known tag and its children to a block. Returns null if the children are not valid for the tag. */
export function knownBlock(row: TagRow, tag: Tag, children: BlockNode[], position: Position): BlockNode | null {
  if (row.name === 'code' && (children.length !== 1 || children[0]?.type !== 'code')) return null
  const { named, positional }: TagAttributes =
    row.name === 'if' ? { named: {}, positional: [] } : parseAttributes(tag.body)
  const mapped: Data = {}
  for (const name of row.attributes) {
    const value = named[name]
    if (value !== undefined) mapped[name] = row.flags?.includes(name) ? value === true || value === 'true' : value
  }
  const converted = converters[row.name]?.({ attributes: named, positional, tag, children }) ?? {}
  const data = {
    tag: row.name,
    attributes: named,
    ...(positional.length > 0 ? { positional } : {}),
    ...converted.data,
    ...mapped,
  }
  return block(row.type, position, data, converted.nodes ?? children)
}

/** A block that contains its source as text. */
export const rawBlock = (context: ConversionContext, position: Position): BlockNode =>
  block('raw', position, {}, [text(context.slice(position))])

/**
 * Converts an unknown tag, or a tag without its partner. The block contains the source of the tags as text, and the
 * blocks between them.
 */
export function unknownBlock(
  tag: Tag,
  children: BlockNode[],
  at: { position: Position; open: Position; close: Position | null },
  context: ConversionContext,
): BlockNode {
  const { named, positional } = parseAttributes(tag.body)
  const data = {
    name: tag.name,
    ...(tag.closing ? { closing: true } : {}),
    attributes: named,
    ...(positional.length > 0 ? { positional } : {}),
  }
  const close = at.close ? [rawBlock(context, at.close)] : []
  return block('unknown-block', at.position, data, [rawBlock(context, at.open), ...children, ...close])
}
