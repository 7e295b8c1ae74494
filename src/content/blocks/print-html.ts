/** Prints nodes as HTML: tables, images, and inline nodes that markdown cannot express. */
import { restyled } from './restyle.js'
import type { BlockNode } from '../types.js'
import type { ConversionContext } from './context.js'
import { htmlInlines } from './inline.js'
import { type Inline, type Mark, inlinesIn } from './node.js'
import { isRecord } from '../../kernel/guards.js'

type Data = Record<string, unknown>

/** Returns a string from a node's data; '' if the value is not a string. */
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '')
/** Returns the URL of a reference in a node's data. */
export const urlOf = (data: Data, name = 'ref'): string => {
  const ref = data[name]
  return typeof ref === 'object' && ref !== null && 'url' in ref ? stringOf(ref.url) : ''
}

const escapeHtml = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
/** Returns ` name="value"`, with line ends as character references. */
export const attribute = (name: string, value: string): string =>
  ` ${name.replace(/[^A-Za-z0-9_:.-]/g, '')}="${escapeHtml(value)
    .replace(/"/g, '&quot;')
    .replace(/[\r\n]/g, (c) => `&#${c.charCodeAt(0)};`)}"`
/** Returns all attributes of a tag, in the tokenizer's order. */
export const attributesOf = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([name, one]) =>
          one === '' ? ` ${name.replace(/[^A-Za-z0-9_:.-]/g, '')}` : attribute(name, stringOf(one)),
        )
        .join('')
    : ''

const TAGS: Record<string, string> = {
  bold: 'strong',
  italic: 'em',
  strikethrough: 'del',
  underline: 'u',
  code: 'code',
  keyboard: 'kbd',
  superscript: 'sup',
  subscript: 'sub',
}

/** Returns the HTML tags of a mark. */
export function markTags({ type, data }: Mark): { open: string; close: string } {
  if (type !== 'color') return { open: `<${TAGS[type]}>`, close: `</${TAGS[type]}>` }
  const rules = [
    ['color', data['color']],
    ['background-color', data['background']],
  ].flatMap(([name, value]) => (typeof value === 'string' ? [`${name}:${value.replace(/;/g, '')};`] : []))
  return { open: `<mark${rules.length > 0 ? attribute('style', rules.join('')) : ''}>`, close: '</mark>' }
}

const NOWHERE = { region: { text: '', at: [0], source: [0] }, definitions: new Map() } as unknown as ConversionContext

/** Parses HTML to inline nodes. */
const inlinesOfHtml = (html: string): Inline[] => htmlInlines(html, NOWHERE)

/** Whether the data of two nodes is the same, apart from the HTML that they were parsed from. */
const sameData = (a: Data, b: Data): boolean => {
  const bare = (data: Data) =>
    JSON.stringify(
      Object.entries({ ...data, html: undefined, position: undefined }).sort(([x], [y]) => (x < y ? -1 : 1)),
    )
  return bare(a) === bare(b)
}

/**
 * Returns the tags of an inline node that is written as HTML. The original tags are kept if they still have the same
 * meaning. Returns null if the node has no tags.
 */
export function inlineTags(node: Inline & { object: 'inline' }): { open: string; close: string } | null {
  const html = stringOf(node.data['html'])
  const name = /^<([A-Za-z][A-Za-z0-9-]*)/.exec(html)?.[1]
  const isVoid = node.type === 'inline-image' || node.type === 'hard-break'
  const built = builtTags(node, name)
  if (!name || !built) return built
  const close = isVoid ? '' : `</${name}>`
  const reparsed = inlinesOfHtml(
    `${node.type === 'line' ? 'x' : ''}${html}${node.nodes.length > 0 ? 'x' : ''}${close}`,
  ).at(-1)
  const same = reparsed?.object === 'inline' && reparsed.type === node.type && sameData(reparsed.data, node.data)
  return same && !/\n[ \t]*\n/.test(html) ? { open: html, close } : built
}

function builtTags(node: Inline & { object: 'inline' }, written?: string): { open: string; close: string } | null {
  const { type, data } = node
  const color = markTags({ object: 'mark', type: 'color', data }).open.slice('<mark'.length, -1)
  const title = data['mention'] === true ? 'mention' : stringOf(data['title'])
  const rest = title ? attribute('title', title) : ''
  switch (type) {
    case 'icon':
      return {
        open: `<i${attribute('class', `fa-${stringOf(data['icon']).replace(/\s/g, '')}`)}${color}>`,
        close: '</i>',
      }
    case 'button': {
      const icon = data['icon'] === undefined ? '' : attribute('data-icon', stringOf(data['icon']))
      const style = stringOf(data['style'])
      return {
        open: `<a${attribute('href', urlOf(data))}${attribute('class', style ? `button ${style}` : 'button')}${icon}${rest}>`,
        close: '</a>',
      }
    }
    case 'link':
      return { open: `<a${attribute('href', urlOf(data))}${rest}>`, close: '</a>' }
    case 'annotation':
      return {
        open: `<a${attribute('href', `#user-content-fn-${stringOf(data['label'])}`)} data-footnote-ref>`,
        close: '</a>',
      }
    case 'expression':
      return { open: '<code class="expression">', close: '</code>' }
    case 'anchor': {
      const id = stringOf(data['id'])
      return {
        open: `<a${node.nodes.length > 0 ? '' : attribute('href', `#${id}`)}${attribute('id', id)}>`,
        close: '</a>',
      }
    }
    case 'line':
      return { open: `<${written ?? 'p'}>`, close: `</${written ?? 'p'}>` }
    case 'hard-break':
      return { open: '<br>', close: '' }
    case 'inline-image':
      return { open: imageHtml(data), close: '' }
    default:
      return null
  }
}

/** Prints `<img>`, in a `<picture>` if it has another source for dark mode. */
function imageHtml(data: Data): string {
  const optional = ['title', 'width', 'height']
    .map((name) => (data[name] ? attribute(name, stringOf(data[name])) : ''))
    .join('')
  const size = data['size'] ? attribute('data-size', stringOf(data['size'])) : ''
  const image = `<img${attribute('src', urlOf(data))}${attribute('alt', stringOf(data['alt']))}${optional}${size}>`
  const dark = stringOf(data['srcDark'])
  return dark
    ? `<picture><source${attribute('srcset', dark)} media="(prefers-color-scheme: dark)">${image}</picture>`
    : image
}

/** Prints inline nodes as HTML on one line. */
export function htmlOf(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (node.object === 'text') {
        return node.leaves
          .map(({ text, marks }) => {
            const tags = marks.map(markTags)
            const inner = escapeHtml(text.replace(/\s+/g, ' '))
            return `${tags.map((tag) => tag.open).join('')}${inner}${tags
              .map((tag) => tag.close)
              .reverse()
              .join('')}`
          })
          .join('')
      }
      if (node.type === 'html-inline') return stringOf(node.data['html'])
      const tags = inlineTags(node) ?? { open: '', close: '' }
      return `${tags.open}${htmlOf(node.nodes)}${tags.close}`
    })
    .join('')
}

const hasLines = (nodes: BlockNode['nodes']): boolean =>
  nodes.some((node) => node.object === 'inline' && node.type === 'line')

/** An element with its content. */
const ELEMENT = /^(?<open>\s*<(?<name>[a-z][a-z0-9]*)(?:\s[^<>]*)?>)(?<inner>[\s\S]*)(?<close><\/\k<name>>\s*)$/i

/**
 * Prints the nodes of a cell within the element that surrounds all of them in the original HTML (`<h4>`, `<p>`,
 * `<ul>`). The tree does not contain that element.
 */
function cellHtml(nodes: Inline[], original: string): string {
  const { open = '', inner = '', close = '' } = ELEMENT.exec(original)?.groups ?? {}
  const bare = open === '' ? [] : inlinesOfHtml(inner)
  const isOmitted =
    open !== '' &&
    JSON.stringify(inlinesOfHtml(original)) === JSON.stringify(bare) &&
    hasLines(bare) === hasLines(nodes)
  return isOmitted ? open + htmlOf(nodes) + close : htmlOf(nodes)
}

/** Returns nodes in a comparable form. Parsed nodes have keys and positions; nodes from a client may not. */
const shape = (nodes: BlockNode['nodes']): string =>
  JSON.stringify(nodes, (name, value: unknown) =>
    name === 'key' || name === 'isVoid' || name === 'position' ? undefined : value,
  )

/** Prints a table as HTML. Cells whose original HTML still has the same meaning keep it. */
export function tableHtml(node: BlockNode): string {
  const rows = node.nodes.flatMap((row) => (row.object === 'block' ? [row] : []))
  const line = (row: BlockNode): string => {
    const tag = row.data['header'] === true ? 'th' : 'td'
    const cells = row.nodes.flatMap((cell) => (cell.object === 'block' ? [cell] : []))
    const written = (cell: BlockNode): string => {
      const html = stringOf(cell.data['html'])
      const [before, expected] = [inlinesOfHtml(html), shape(cell.nodes)]
      if (html !== '' && shape(before) === expected) return html
      const after = cellHtml(inlinesIn(cell), html)
      const kept = restyled(html, cellHtml(before, html), after, (text) => text)
      return kept !== null && shape(inlinesOfHtml(kept)) === expected ? kept : after
    }
    return `<tr>${cells.map((cell) => `<${tag}${attributesOf(cell.data['attributes'])}>${written(cell)}</${tag}>`).join('')}</tr>`
  }
  const head = rows.filter((row) => row.data['header'] === true)
  const body = rows.filter((row) => row.data['header'] !== true)
  const view = stringOf(node.data['view'])
  const own = isRecord(node.data['attributes']) ? { ...node.data['attributes'] } : {}
  if (view && view !== 'grid') own['data-view'] = view
  const part = (name: string, some: readonly BlockNode[]) =>
    some.length > 0 ? `<${name}>${some.map(line).join('')}</${name}>` : ''
  return `<table${attributesOf(own)}>${part('thead', head)}${part('tbody', body)}</table>`
}

/** Prints images as `<figure>`s on one line. */
export function imagesHtml(node: BlockNode): string {
  const figures = node.nodes.map((image) => {
    if (image.object !== 'block') return ''
    const { data } = image
    const shown = imageHtml(data['ref'] ? data : { ...data, ref: { url: stringOf(data['src']) } })
    const caption = image.nodes[0]
    const text =
      caption?.object === 'block'
        ? `<figcaption><p>${htmlOf(inlinesIn(caption))}</p></figcaption>`
        : '<figcaption></figcaption>'
    return `<figure>${data['link'] ? `<a${attribute('href', urlOf(data, 'link'))}>${shown}</a>` : shown}${text}</figure>`
  })
  const align = stringOf(node.data['align'])
  const width = node.data['fullWidth'] === undefined ? '' : attribute('data-full-width', String(node.data['fullWidth']))
  const frame = `${align ? attribute('align', align) : ''}${width}`
  return frame ? `<div${frame}>${figures.join('')}</div>` : figures.join('')
}
