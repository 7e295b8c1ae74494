/** Renders pictures, files, embedded content and cards that link to other pages, on pages of sites. */
import type { BlockNode } from '../../content/types.js'
import { h, textIn } from '../element.js'
import { baseName } from '../media-blocks.js'
import { type BlockRenderer, type Html, type HtmlElement, type RenderContext, textOf, urlOf } from '../types.js'
import { frameOf, hostIn } from './embeds.js'
import { chosenIcon, symbol } from './icon.js'
import { brokenLink, linkAttributes, picture } from './inlines.js'
import { inlinesIn, inside, word, written } from './text.js'

/** Maximum length of the title on an embed in characters. */
const MAX_TITLE = 120
const ALIGN = new Set(['left', 'center', 'right'])
const text = (value: string): Html => ({ type: 'text', value })

function captionOf(node: BlockNode, context: RenderContext): HtmlElement | null {
  const own = node.nodes.flatMap((child) => (child.object === 'block' ? inlinesIn(child, context) : []))
  const plain = textOf(node.data, 'caption')
  const content = own.length > 0 ? own : plain ? [text(plain)] : []
  return content.length > 0 ? written('figcaption', {}, content, context) : null
}

function figure(node: BlockNode, context: RenderContext): HtmlElement {
  const { targets } = context.options
  const shown = picture(node.data, context)
  const url = urlOf(node.data, 'link')
  const link = url ? targets.link(url) : null
  const full = targets.image(textOf(node.data, 'src') || urlOf(node.data))
  const zoom = {
    href: full,
    className: ['zoom'],
    ariaLabel: textOf(node.data, 'alt') ? null : word(context, 'enlarge'),
  }
  // The replacement for a missing picture is already a link.
  const inner =
    full === null || (!link && full.startsWith('data:'))
      ? shown
      : h('a', link ? linkAttributes(link.href, context) : zoom, shown)
  return h('figure', {}, inner, captionOf(node, context))
}

function images(node: BlockNode, context: RenderContext): Html[] {
  const align = textOf(node.data, 'align')
  const list = node.nodes.filter((child): child is BlockNode => child.object === 'block' && child.type === 'image')
  const className = [
    'images',
    ...(list.length > 1 ? ['two'] : []),
    ...(list.length > 1 || node.data['fullWidth'] === true ? ['wide'] : []),
    ...(ALIGN.has(align) ? [align] : []),
  ]
  return [
    h(
      'div',
      { className },
      list.map((image) => figure(image, context)),
    ),
  ]
}

/** Renders a card in one row: icon, title, detail, and an icon at the end. */
function row(
  { kind, icon, end, name, meta }: { kind: string; icon: HtmlElement; end: HtmlElement; name: Html[]; meta: string },
  context: RenderContext,
): Html {
  const about = meta === '' ? null : written('p', { className: ['meta'] }, [text(meta)], context)
  const title = written('p', { className: ['card-title'] }, name, context)
  return h('div', { className: ['card', 'row', kind] }, icon, h('div', {}, title, about), end)
}

function contentRef(node: BlockNode, context: RenderContext): Html[] {
  const url = urlOf(node.data)
  const target = context.options.targets.link(url)
  // The body repeats the target for readers of the file.
  if (!target) return context.options.site?.markBroken ? [h('p', {}, brokenLink([text(url)], context))] : []
  const host = hostIn(target.href)
  const name = h('a', linkAttributes(target.href, context), target.title ?? bodyText(node) ?? url)
  const icon = symbol(host === null ? 'book' : 'globe', context)
  const end = symbol('next', context, 'flip')
  return [row({ kind: 'content-ref', icon, end, name: [name], meta: host ?? target.about ?? '' }, context)]
}

/** Returns the text of the link in the body, which repeats the target for readers of the file. */
function bodyText(node: BlockNode): string | null {
  const texts: string[] = []
  const pending = [...node.nodes]
  for (let one = pending.shift(); one && texts.length < 20; one = pending.shift())
    if (one.object === 'text') texts.push(...one.leaves.map((leaf) => leaf.text))
    else pending.unshift(...one.nodes)
  return texts.join('').trim().slice(0, 200) || null
}

function file(node: BlockNode, context: RenderContext): Html[] {
  const url = urlOf(node.data)
  const target = context.options.targets.link(url)
  const name = textOf(node.data, 'name') || baseName(url)
  const extension = /\.([a-z0-9]{1,8})$/i.exec(baseName(url))?.[1]?.toUpperCase() ?? ''
  const linked = target ? [h('a', { href: target.href, download: true }, name)] : brokenLink([text(name)], context)
  const meta = [extension, target?.size === undefined ? '' : sizeText(target.size)].filter(Boolean).join(', ')
  const card = row(
    { kind: 'file', icon: symbol('file', context), end: symbol('get', context), name: linked, meta },
    context,
  )
  const below = inside(node, context)
  return below.length > 0 ? [h('figure', {}, card, written('figcaption', {}, below, context))] : [card]
}

const UNITS = ['B', 'KB', 'MB', 'GB']

/** Returns a formatted number of bytes: 4.2 KB. */
function sizeText(bytes: number): string {
  const at = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(1000)))
  const value = bytes / 1000 ** at
  return `${value.toFixed(at > 0 && value < 10 ? 1 : 0)} ${UNITS[at]}`
}

function embed(node: BlockNode, context: RenderContext): Html[] {
  const url = urlOf(node.data)
  const target = context.options.targets.link(url)
  const below = inside(node, context)
  if (!target) return below.length > 0 ? below : [h('p', {}, brokenLink([text(url)], context))]
  const host = hostIn(target.href)
  const frame = frameOf(target.href)
  if (frame === null) {
    const name = h('a', linkAttributes(target.href, context), addressText(target.href))
    const icon = symbol('globe', context)
    const card = row(
      { kind: 'link', icon, end: symbol('next', context, 'flip'), name: [name], meta: host ?? '' },
      context,
    )
    return below.length > 0 ? [h('figure', {}, card, written('figcaption', {}, below, context))] : [card]
  }
  const poster = h(
    'a',
    { ...linkAttributes(target.href, context), className: ['poster'], dataFrame: frame.src },
    h('span', { className: ['play'] }, symbol('play', context)),
    h('b', {}, chosenIcon(frame.icon, context), textIn(below).trim().slice(0, MAX_TITLE) || addressText(target.href)),
    h('span', {}, word(context, 'outside', host ?? '')),
  )
  const caption = below.length > 0 ? written('figcaption', {}, below, context) : null
  return [h('div', { className: ['embed', 'images'] }, h('figure', {}, poster, caption))]
}

/** Returns an address for display: without the protocol and an empty query. */
const addressText = (href: string): string => href.replace(/^https?:\/\/(?:www\.)?/, '').replace(/[/?#]$/, '')

export const siteMedia: Record<string, BlockRenderer> = {
  images,
  image: (node, context) => picture(node.data, context),
  caption: (node, context) => [written('p', { className: ['caption'] }, inlinesIn(node, context), context)],
  'content-ref': contentRef,
  embed,
  file,
  'reusable-content': (node, context) =>
    context.options.site?.markBroken ? [h('p', {}, brokenLink([text(urlOf(node.data))], context))] : [],
}
