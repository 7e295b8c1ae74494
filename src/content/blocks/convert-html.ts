/** Converts HTML in a page to blocks. */
import { required } from '../../kernel/defined.js'
import type { BlockNode } from '../types.js'
import type { ConversionContext } from './context.js'
import { textOfHtml, type HtmlSource, pairTokens, tokenizeHtml } from './html.js'
import { htmlInlines } from './inline.js'
import { imageData } from './inline-html.js'
import { cleanSource } from './items.js'
import { findOffsets, type Markdown } from '../gfm/tree.js'
import { plainText, text } from './node.js'
import { block, type Position, positionOf } from './block.js'
import { referenceOf } from './reference.js'
import { htmlTable } from './table.js'

/** Converts an HTML node to blocks: images, a table, code, or a block of HTML. */
export function htmlBlock(node: Markdown, context: ConversionContext): BlockNode[] {
  const at = findOffsets(node)
  return at ? fromSource(cleanSource(node, at, context.region.text), node.value ?? '', at, context) : []
}

function fromSource(
  html: string,
  value: string,
  at: { start: number; end: number },
  context: ConversionContext,
): BlockNode[] {
  const tokens = tokenizeHtml(html).filter(
    (token) => token.type !== 'text' || html.slice(token.start, token.end).trim() !== '',
  )
  const pairs = pairTokens(tokens)
  const position = context.position(at.start, at.end)
  const place = (from: number, to: number) => context.position(at.start + from, at.start + to)
  const source: HtmlSource = { html, tokens, pairs, place, context }
  const whole = pairs[0] === tokens.length - 1
  if (tokens[0]?.name === 'table' && whole) return [htmlTable(source, position)]
  if (tokens[0]?.name === 'pre' && tokens[1]?.name === 'code' && whole) return [htmlCode(source, position)]
  const images = findImages(source, position)
  if (images) return [images]
  const comment = tokens.every((token) => token.type === 'comment')
  return [block('html', position, { html: value, ...(comment ? { comment: true } : {}) }, [text(value)])]
}

/** Returns the `images` block for a paragraph of HTML tags. Returns null if the paragraph contains anything else. */
export function findImageParagraph(at: { start: number; end: number }, context: ConversionContext): BlockNode | null {
  const html = context.region.text.slice(at.start, at.end)
  const converted = fromSource(html, html, at, context)[0]
  return converted?.type === 'images' ? converted : null
}

/** Converts code that is written as HTML (to emphasize parts of it). Keeps the text and drops the emphasis. */
function htmlCode({ html, tokens }: HtmlSource, position: Position): BlockNode {
  const language = (tokens[1]?.attributes['class'] ?? '').split(' ').find((name) => /^lang(uage)?-/.test(name))
  const code = textOfHtml(html.slice(tokens[1]?.end, tokens.findLast((token) => token.name === 'code')?.start))
  const title = tokens[0]?.attributes['data-title']
  const data = {
    ...(language ? { syntax: language.replace(/^lang(uage)?-/, '') } : {}),
    ...(title ? { title } : {}),
    format: 'html',
    html,
  }
  return block('code', position, data, [text(code)])
}

const FRAME = new Set(['div', 'figure', 'picture', 'p', 'a'])

/**
 * Returns the `images` block for HTML that contains only images in figures, pictures and wrappers. Returns null for
 * other HTML.
 */
function findImages({ html, tokens, pairs, place, context }: HtmlSource, position: Position): BlockNode | null {
  const images: BlockNode[] = []
  const data: Record<string, unknown> = { format: 'html' }
  let dark: string | null = null
  let href: string | null = null
  for (let i = 0; i < tokens.length; i++) {
    const token = required(tokens[i])
    const { name, attributes } = token
    if (token.type === 'close' && FRAME.has(name)) {
      if (name === 'a') href = null
      if (name === 'picture') dark = null
    } else if (token.type === 'open' && FRAME.has(name)) {
      const align = attributes['align'] ?? attributes['data-align']
      if (align) data['align'] = align
      if (attributes['data-full-width'] !== undefined) data['fullWidth'] = attributes['data-full-width'] !== 'false'
      if (name === 'a') href = attributes['href'] ?? null
    } else if (name === 'source' && token.type === 'void') {
      if ((attributes['media'] ?? '').includes('dark')) dark = (attributes['srcset'] ?? '').split(' ')[0] ?? null
    } else if (name === 'img' && token.type === 'void') {
      const more = {
        ...(dark ? { srcDark: dark, refDark: referenceOf(dark) } : {}),
        ...(href ? { link: referenceOf(href) } : {}),
      }
      images.push(
        block('image', place(token.start, token.end), { ...imageData(token), src: attributes['src'] ?? '', ...more }),
      )
    } else if (name === 'figcaption' && token.type === 'open' && (pairs[i] ?? -1) > i && images.length > 0) {
      const close = required(tokens[required(pairs[i])])
      addCaption(images, html.slice(token.end, close.start), place(token.start, close.end), context)
      i = required(pairs[i])
    } else if (!(name === 'br' && token.type === 'void')) return null
  }
  return images.length > 0 ? block('images', position, data, images) : null
}

function addCaption(images: BlockNode[], html: string, position: Position, context: ConversionContext): void {
  const image = images.at(-1)
  const nodes = htmlInlines(html, context)
  if (!image || nodes.length === 0) return
  const own = positionOf(image)
  image.data = { ...image.data, caption: plainText(nodes), position: { ...own, end: position.end } }
  image.nodes = [block('caption', position, {}, nodes)]
  image.isVoid = false
}
