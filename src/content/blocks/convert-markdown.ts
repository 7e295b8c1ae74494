/** Converts markdown nodes to blocks. */
import type { BlockNode } from '../types.js'
import { parseAttributes, type TagAttributes } from './attributes.js'
import type { ConversionContext } from './context.js'
import { findImageParagraph, htmlBlock } from './convert-html.js'
import { rawBlock } from './convert-tag.js'
import { inlines } from './inline.js'
import { findOffsets, type Markdown } from '../gfm/tree.js'
import { findAttributeList } from '../heading-attributes.js'
import { type Inline, text } from './node.js'
import { block, type Position } from './block.js'
import { markdownTable } from './table.js'
import { ownMember } from '../../kernel/guards.js'

type Converter = (node: Markdown, position: Position, context: ConversionContext) => BlockNode[]

const converters: Record<string, Converter> = {
  paragraph,
  heading,
  list,
  code,
  html: (node, _, context) => htmlBlock(node, context),
  table: (node, _, context) => markdownTable(node, context),
  blockquote: (node, position, context) => [block('blockquote', position, {}, context.blocks(node.children ?? []))],
  thematicBreak: (_, position) => [block('divider', position, {})],
  mathFlow: (node, position) => {
    const lines = (node.value ?? '').split(/\r?\n|\r/)
    const formula = lines.slice(1, /^\s*\$\$\s*$/.test(lines.at(-1) ?? '') ? -1 : undefined).join('\n')
    return [block('math', position, { formula }, [text(formula)])]
  },
  footnoteDefinition: (node, position, context) => [
    block('footnote', position, { label: node.label ?? node.identifier }, context.blocks(node.children ?? [])),
  ],
  definition: (node, position) => [
    block('definition', position, {
      label: node.label ?? node.identifier,
      url: node.url ?? '',
      ...(node.title ? { title: node.title } : {}),
    }),
  ],
}

/** Converts one markdown node to blocks. A node of an unknown type is kept as its source. */
export function markdownBlocks(node: Markdown, context: ConversionContext): BlockNode[] {
  const at = findOffsets(node)
  if (!at) return []
  const position = context.position(at.start, at.end)
  return converters[node.type]?.(node, position, context) ?? [rawBlock(context, position)]
}

const isImage = (node: Markdown): boolean => node.type === 'image' || node.type === 'imageReference'
const isIdle = (node: Markdown): boolean =>
  node.type === 'break' || (node.type === 'text' && (node.value ?? '').trim() === '')

function paragraph(node: Markdown, position: Position, context: ConversionContext): BlockNode[] {
  const children = node.children ?? []
  const at = findOffsets(node)
  const pictures =
    at && children.every((child) => child.type === 'html' || isIdle(child)) ? findImageParagraph(at, context) : null
  if (pictures) return [pictures]
  if (!children.some(isImage) || !children.every((child) => isImage(child) || isIdle(child)))
    return [block('paragraph', position, {}, inlines(children, context))]
  const images = children.filter(isImage).map((child) => {
    const at = findOffsets(child)
    const [image] = inlines([child], context)
    const data = image?.object === 'inline' ? image.data : {}
    const url = ownMember(data['ref'], 'url')
    const src = typeof url === 'string' ? url : ''
    return block('image', at ? context.position(at.start, at.end) : position, {
      ...data,
      src,
      ...(data['title'] ? { caption: data['title'] } : {}),
    })
  })
  return [block('images', position, { format: 'markdown' }, images)]
}

function heading(node: Markdown, position: Position, context: ConversionContext): BlockNode[] {
  const nodes = inlines(node.children ?? [], context)
  const anchor = nodes.findLastIndex(
    (child) => child.object === 'inline' && child.type === 'anchor' && child.nodes.length === 0,
  )
  const found = nodes[anchor]
  let id = found?.object === 'inline' ? found.data['id'] : undefined
  if (id) nodes.splice(anchor, 1)
  const last = nodes.at(-1)
  const leaf = last?.object === 'text' ? last.leaves.at(-1) : undefined
  const list = leaf && !id && leaf.marks.length === 0 ? findAttributeList(leaf.text) : null
  if (leaf && list) {
    id = list.id
    leaf.text = leaf.text.slice(0, list.before)
  }
  if (leaf && id) leaf.text = leaf.text.trimEnd()
  return [
    block(
      `heading-${node.depth ?? 1}`,
      position,
      { ...(id ? { id } : {}), ...(list ? { attributes: list.written } : {}) },
      dropEmpty(nodes),
    ),
  ]
}

const dropEmpty = (nodes: Inline[]): Inline[] =>
  nodes.filter((node) => node.object === 'inline' || node.leaves.some((leaf) => leaf.text !== ''))

function list(node: Markdown, position: Position, context: ConversionContext): BlockNode[] {
  const items = node.children ?? []
  const tasks = items.some((item) => typeof item.checked === 'boolean')
  const type = tasks ? 'list-tasks' : node.ordered ? 'list-ordered' : 'list-unordered'
  const nodes: BlockNode[] = []
  for (const item of items) {
    const at = findOffsets(item)
    if (!at) continue
    const checked = typeof item.checked === 'boolean' ? { checked: item.checked } : {}
    nodes.push(block('list-item', context.position(at.start, at.end), checked, context.blocks(item.children ?? [])))
  }
  const tight = !node.spread && !items.some((item) => item.spread)
  return [block(type, position, node.ordered ? { start: node.start ?? 1, tight } : { tight }, nodes)]
}

const NO_ATTRIBUTES: Pick<TagAttributes, 'named'> = { named: {} }
const CODE_FLAGS = ['lineNumbers', 'expandable']

function code(node: Markdown, position: Position): BlockNode[] {
  const options: Record<string, unknown> = {}
  const { named } = node.meta ? parseAttributes(node.meta) : NO_ATTRIBUTES
  for (const name of ['title', 'overflow', ...CODE_FLAGS]) {
    const value = named[name]
    if (value !== undefined) options[name] = CODE_FLAGS.includes(name) ? value === true || value === 'true' : value
  }
  const syntax = node.lang ? { syntax: node.lang } : {}
  return [
    block('code', position, { ...syntax, ...(node.meta ? { meta: node.meta } : {}), ...options }, [
      text(node.value ?? ''),
    ]),
  ]
}
