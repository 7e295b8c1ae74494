/** Renders images, files, embedded pages, and cards that link to other pages. */
import { inlinesIn } from '../content/blocks/node.js'
import type { BlockNode } from '../content/types.js'
import { h } from './element.js'
import { picture } from './inlines.js'
import { type BlockRenderer, type Html, type RenderContext, textOf, urlOf } from './types.js'

const ALIGN = new Set(['left', 'center', 'right'])
/** Returns the last name in a URL. */
export const baseName = (url: string): string =>
  safeDecode(url.split(/[?#]/)[0]?.split('/').filter(Boolean).at(-1) ?? url)

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function figure(node: BlockNode, context: RenderContext): Html[] {
  const align = textOf(node.data, 'align')
  const images = node.nodes.filter((child): child is BlockNode => child.object === 'block' && child.type === 'image')
  const made = images.map((image) => {
    const shown = picture(image.data, context)
    const link = context.options.targets.link(urlOf(image.data, 'link') || '')
    const caption = image.nodes.flatMap((child) => (child.object === 'block' ? context.inlines(inlinesIn(child)) : []))
    const plain = textOf(image.data, 'caption')
    const below = caption.length > 0 ? caption : plain ? [{ type: 'text', value: plain } as const] : []
    return h(
      'figure',
      {},
      link && urlOf(image.data, 'link') ? h('a', { href: link.href }, shown) : shown,
      below.length > 0 ? h('figcaption', { dir: 'auto' }, below) : null,
    )
  })
  return [h('div', { className: ['images', ...(ALIGN.has(align) ? [align] : [])] }, made)]
}

/** Renders a card: its title, its target, and the content below it. */
function card(className: string, url: string, title: string, node: BlockNode, context: RenderContext): Html[] {
  const target = context.options.targets.link(url)
  const words = title || target?.title || url
  const name = target ? h('a', { href: target.href }, words) : h('span', { className: ['broken-link'] }, words)
  const below = context.blocks(node.nodes)
  return [
    h(
      'div',
      { className: ['card', className] },
      h('p', { className: ['card-title'], dir: 'auto' }, name),
      below.length > 0 ? h('div', { className: ['caption'] }, below) : null,
    ),
  ]
}

export const mediaBlocks: Record<string, BlockRenderer> = {
  images: figure,
  image: (node, context) => [picture(node.data, context)],
  caption: (node, context) => [h('p', { className: ['caption'], dir: 'auto' }, context.inlines(inlinesIn(node)))],
  'content-ref'(node, context) {
    const url = urlOf(node.data)
    const target = context.options.targets.link(url)
    if (!target) return []
    const { title } = target
    // The body repeats the target as a link for readers of the file. It is shown only if the target's title is unknown.
    return card('content-ref', url, title ?? '', title === undefined ? node : { ...node, nodes: [] }, context)
  },
  embed: (node, context) => card('embed', urlOf(node.data), urlOf(node.data), node, context),
  file: (node, context) =>
    card('file', urlOf(node.data), textOf(node.data, 'name') || baseName(urlOf(node.data)), node, context),
  'reusable-content': (node) => [
    h('p', { className: ['missing-content'] }, 'Reusable content: ', h('code', {}, urlOf(node.data))),
  ],
}
