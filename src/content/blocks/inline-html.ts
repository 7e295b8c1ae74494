/** Converts inline HTML elements to inline nodes. */
import { type HtmlToken, tokenizeHtml } from './html.js'
import type { InlineNode } from '../types.js'
import { append, type Inline, inline, type Mark, mark, plainText } from './node.js'
import { referenceOf } from './reference.js'

const MARKS: Record<string, string> = {
  strong: 'bold',
  b: 'bold',
  em: 'italic',
  i: 'italic',
  s: 'strikethrough',
  del: 'strikethrough',
  strike: 'strikethrough',
  u: 'underline',
  code: 'code',
  kbd: 'keyboard',
  sup: 'superscript',
  sub: 'subscript',
}
/** Elements that are shown on a separate line within table cells and captions. */
const LINES = new Set(['p', 'div', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol'])

const classes = (token: HtmlToken): string[] => (token.attributes['class'] ?? '').split(/\s+/).filter(Boolean)

/** Returns `color` and `background-color` of a style attribute. */
function colors(style: string): Record<string, string> {
  const data: Record<string, string> = {}
  for (const rule of style.split(';')) {
    const colon = rule.indexOf(':')
    const name = rule.slice(0, colon).trim().toLowerCase()
    const value = rule.slice(colon + 1).trim()
    if (colon > 0 && value && name === 'color') data['color'] = value
    if (colon > 0 && value && (name === 'background-color' || name === 'background')) data['background'] = value
  }
  return data
}

/** Returns the icon's name in `fa-solid fa-gear`: the last class that starts with `fa-`. */
function findIcon(token: HtmlToken): string | null {
  return (
    classes(token)
      .filter((name) => name.startsWith('fa-'))
      .at(-1)
      ?.slice(3) ?? null
  )
}

/** Converts an element with its end tag. `inner` converts its content with the given marks. */
export function wrapElement(
  token: HtmlToken,
  raw: { open: string; close: string },
  marks: Mark[],
  inner: (marks: Mark[]) => Inline[],
): Inline[] {
  const { name, attributes } = token
  const html = raw.open
  const icon = name === 'i' || name === 'span' ? findIcon(token) : null
  if (icon !== null) return [inline('icon', { icon, html, ...colors(attributes['style'] ?? '') }, inner(marks))]
  if (name === 'code' && classes(token).includes('expression')) {
    const nodes = inner(marks)
    return [inline('expression', { expression: plainText(nodes) }, nodes)]
  }
  if (name === 'a') return [anchor(token, html, inner(marks))]
  const image = name === 'picture' ? pictureImage(inner(marks), html) : null
  if (image) return [image]
  if (name === 'mark') return inner([...marks, mark('color', colors(attributes['style'] ?? ''))])
  const type = MARKS[name]
  if (type && Object.keys(attributes).length === 0) return inner([...marks, mark(type)])
  if (LINES.has(name)) return [inline('line', { html }, inner(marks))]
  const out: Inline[] = [inline('html-inline', { html })]
  for (const node of inner(marks)) append(out, node)
  return [...out, inline('html-inline', { html: raw.close })]
}

/** Returns the image of a `<picture>`, with its source for dark mode. */
function pictureImage(nodes: readonly Inline[], html: string): InlineNode | null {
  const image = nodes.find((node) => node.object === 'inline' && node.type === 'inline-image')
  if (image?.object !== 'inline') return null
  const sources = nodes.flatMap((node) =>
    node.object === 'inline' && node.type === 'html-inline' ? tokenizeHtml(String(node.data['html'])) : [],
  )
  const dark = sources
    .find((source) => source.name === 'source' && (source.attributes['media'] ?? '').includes('dark'))
    ?.attributes['srcset']?.split(' ')[0]
  const parts = nodes
    .map((node) => (node.object === 'inline' ? String(node.data['html'] ?? '') : plainText([node])))
    .join('')
  return inline('inline-image', {
    ...image.data,
    ...(dark ? { srcDark: dark, refDark: referenceOf(dark) } : {}),
    html: `${html}${parts}</picture>`,
  })
}

function anchor(token: HtmlToken, html: string, nodes: Inline[]): InlineNode {
  const { href, id, title } = token.attributes
  if (href === undefined || (id !== undefined && nodes.length === 0))
    return inline('anchor', { id: id ?? token.attributes['name'] ?? '', html }, nodes)
  if ('data-footnote-ref' in token.attributes)
    return inline('annotation', { label: href.replace(/^#user-content-fn-/, ''), ref: referenceOf(href), html }, nodes)
  const extra = {
    ...(title && title !== 'mention' ? { title } : {}),
    ...(title === 'mention' || 'data-mention' in token.attributes ? { mention: true } : {}),
  }
  if (!classes(token).includes('button')) return inline('link', { ref: referenceOf(href), ...extra, html }, nodes)
  const style = classes(token).filter((name) => name !== 'button')[0]
  const icon = token.attributes['data-icon']
  return inline(
    'button',
    { ref: referenceOf(href), ...(style ? { style } : {}), ...(icon ? { icon } : {}), ...extra, html },
    nodes,
  )
}

/** Converts a tag without a partner to an image, a line break, or HTML that is kept as written. */
export function voidElement(token: HtmlToken, raw: string): Inline {
  if (token.type === 'void' && token.name === 'img' && token.attributes['src'] !== undefined)
    return inline('inline-image', { ...imageData(token), html: raw })
  if (token.type === 'void' && token.name === 'br') return inline('hard-break', { html: raw })
  return inline('html-inline', { html: raw })
}

/** Returns the data of an `<img>`: its target, alternative text and size. */
export function imageData(token: HtmlToken): Record<string, unknown> {
  const { src, alt, title, width, height } = token.attributes
  const size = token.attributes['data-size']
  return {
    ref: referenceOf(src ?? ''),
    alt: alt ?? '',
    ...(title ? { title } : {}),
    ...(size ? { size } : {}),
    ...(width ? { width } : {}),
    ...(height ? { height } : {}),
  }
}
