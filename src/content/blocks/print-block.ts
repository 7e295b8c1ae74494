/** Prints blocks as nodes of a markdown tree. */
import { required } from '../../kernel/defined.js'
import type { BlockNode, DocumentNode } from '../types.js'
import { parseAttributes } from './attributes.js'
import { DocumentError } from './document-error.js'
import type { Markdown } from '../gfm/tree.js'
import { plainText, inlinesIn } from './node.js'
import { findAttributeList } from '../heading-attributes.js'
import { textOfHtml } from './html.js'
import { restyled } from './restyle.js'
import { attribute, attributesOf, htmlOf, imagesHtml, stringOf, tableHtml, urlOf } from './print-html.js'
import { phrasing, type Printing, raw } from './print-inline.js'
import { findTag, type TagRow, tagTable } from './tags.js'
import { isVerbatimPage } from './verbatim.js'
import { isRecord } from '../../kernel/guards.js'

type Data = Record<string, unknown>

/**
 * Returns the URLs of a tree's link definitions by label. If a label is defined twice, the first definition is used.
 */
export function definitionsOf(document: DocumentNode): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (nodes: BlockNode['nodes']): void => {
    for (const node of nodes) {
      if (node.object !== 'block') continue
      const label = stringOf(node.data['label']).toLowerCase().replace(/\s+/g, ' ').trim()
      if (node.type === 'definition' && !found.has(label)) found.set(label, stringOf(node.data['url']))
      visit(node.nodes)
    }
  }
  visit(document.nodes)
  return found
}

const textOf = (node: BlockNode): string => plainText(node.nodes)
/** An opening or closing tag that needs no blank lines around it. */
const edge = (value: string, side: 'open' | 'close'): Markdown => ({ ...raw(value), label: side })

/** Whether a node is a paragraph without text, which markdown cannot express. */
export const isEmptyParagraph = (node: BlockNode['nodes'][number]): boolean =>
  node.object === 'block' &&
  node.type === 'paragraph' &&
  node.nodes.every((child) => child.object === 'text' && child.leaves.every((leaf) => leaf.text === ''))

/**
 * Converts blocks to nodes of a markdown tree. Throws a `DocumentError` that starts with the path of the node that
 * cannot be written.
 */
export function flow(nodes: BlockNode['nodes'], printing: Printing, path: string): Markdown[] {
  return nodes.flatMap((node, index) => (node.object === 'block' ? blockFlow(node, printing, `${path}/${index}`) : []))
}

/** Converts one block at `path`. Throws like `flow`. */
export function blockFlow(node: BlockNode, printing: Printing, path: string): Markdown[] {
  return isEmptyParagraph(node) ? [] : one(node, printing, path)
}

function one(node: BlockNode, printing: Printing, path: string): Markdown[] {
  const { type, data } = node
  const children = () => flow(node.nodes, printing, `${path}/nodes`)
  const level = /^heading-([1-6])$/.exec(type)?.[1]
  if (level) return [heading(node, Number(level), printing)]
  switch (type) {
    case 'paragraph':
      return [{ type: 'paragraph', children: phrasing(inlinesIn(node), printing) }]
    case 'list-ordered':
    case 'list-unordered':
    case 'list-tasks':
      return [list(node, printing, path)]
    case 'list-item':
      return [{ type: 'listItem', children: children() }]
    case 'blockquote':
      return [{ type: 'blockquote', children: children() }]
    case 'divider':
      return [{ type: 'thematicBreak' }]
    case 'footnote':
      return [{ type: 'footnoteDefinition', ...labelOf(data), children: children() }]
    case 'definition':
      return [
        { type: 'definition', ...labelOf(data), url: stringOf(data['url']), title: stringOf(data['title']) || null },
      ]
    case 'code':
      return code(node, path)
    case 'math':
      return [raw(`$$\n${textOf(node)}\n$$`)]
    case 'html':
    case 'raw':
      return [raw(textOf(node))]
    case 'table':
      return [
        data['format'] === 'html' || (data['view'] ?? 'grid') !== 'grid' ? raw(tableHtml(node)) : table(node, printing),
      ]
    case 'images':
      return data['format'] === 'markdown' && node.nodes.every((image) => image.object === 'block' && plain(image))
        ? [markdownImages(node, printing)]
        : [raw(imagesHtml(node))]
    case 'expandable':
      return expandable(node, printing, path)
    case 'expandable-title':
      return [summary(node)]
    case 'unknown-block':
      return children()
    default:
      return tagged(node, children, path)
  }
}

const labelOf = ({ label }: Data) => ({ identifier: stringOf(label), label: stringOf(label) })

function heading(node: BlockNode, depth: number, printing: Printing): Markdown {
  const id = stringOf(node.data['id'])
  const list = findAttributeList(stringOf(node.data['attributes']))
  const keepsList = list !== null && list.before === 0 && (list.id ?? '') === id
  const anchor = keepsList
    ? [raw(` ${list.written}`)]
    : id
      ? [raw(` <a${attribute('href', `#${id}`)}${attribute('id', id)}></a>`)]
      : []
  return { type: 'heading', depth, children: [...phrasing(inlinesIn(node), printing), ...anchor] }
}

function list(node: BlockNode, printing: Printing, path: string): Markdown {
  const { data, type } = node
  const spread = data['tight'] === false
  const items = node.nodes.flatMap((item, index): Markdown[] => {
    if (item.object !== 'block') return []
    if (item.type !== 'list-item') throw new DocumentError(`${path}/nodes/${index}/type: must be "list-item" in a list`)
    const checked = typeof item.data['checked'] === 'boolean' ? item.data['checked'] : null
    return [{ type: 'listItem', spread, checked, children: flow(item.nodes, printing, `${path}/nodes/${index}/nodes`) }]
  })
  const start =
    typeof data['start'] === 'number' &&
    Number.isSafeInteger(data['start']) &&
    data['start'] >= 0 &&
    data['start'] < 1e9
      ? data['start']
      : 1
  return {
    type: 'list',
    ordered: type === 'list-ordered' || data['start'] !== undefined,
    start,
    spread,
    children: items,
  }
}

const plain = (image: BlockNode): boolean =>
  ['srcDark', 'size', 'width', 'height', 'link'].every((name) => !image.data[name]) && image.nodes.length === 0

function markdownImages(node: BlockNode, printing: Printing): Markdown {
  const children = node.nodes.flatMap((image, index): Markdown[] => {
    if (image.object !== 'block') return []
    const { src, caption: _, position: __, ...data } = image.data
    const title = stringOf(image.data['title'])
    const shown = { ref: { url: urlOf(data) || stringOf(src) }, ...data, ...(title ? { title } : {}) }
    const made = phrasing(
      [{ object: 'inline', type: 'inline-image', key: '', isVoid: true, data: shown, nodes: [] }],
      printing,
    )
    return index > 0 ? [{ type: 'text', value: '\n' }, ...made] : made
  })
  return { type: 'paragraph', children }
}

function table(node: BlockNode, printing: Printing): Markdown {
  const definition: Array<Data | null> = Array.isArray(node.data['definition']) ? node.data['definition'] : []
  const align = definition.map((column) =>
    ['left', 'right', 'center'].includes(stringOf(column?.['align'])) ? stringOf(column?.['align']) : null,
  )
  const children = node.nodes.map((row): Markdown => {
    const cells = row.object === 'block' ? row.nodes : []
    return {
      type: 'tableRow',
      children: cells.map((cell) => ({
        type: 'tableCell',
        children: cell.object === 'block' ? phrasing(inlinesIn(cell), { ...printing, cell: true }) : [],
      })),
    }
  })
  return { type: 'table', align, children }
}

const summary = (title: BlockNode): Markdown => raw(`<summary>${htmlOf(inlinesIn(title))}</summary>`)

function expandable(node: BlockNode, printing: Printing, path: string): Markdown[] {
  const attributes = isRecord(node.data['attributes']) ? { ...node.data['attributes'] } : {}
  if (node.data['open'] === true) attributes['open'] ??= ''
  else delete attributes['open']
  const [first] = node.nodes
  const title = first?.object === 'block' && first.type === 'expandable-title' ? first : null
  return [
    raw(`<details${attributesOf(attributes)}>`),
    ...(title ? [summary(title)] : []),
    ...flow(title ? node.nodes.slice(1) : node.nodes, printing, `${path}/nodes`),
    raw('</details>'),
  ]
}

const OPTIONS = ['title', 'overflow', 'lineNumbers', 'expandable', 'fullWidth']

function code(node: BlockNode, path: string): Markdown[] {
  const { data } = node
  const html = stringOf(data['html'])
  if (isVerbatimPage(node)) return [raw(textOf(node))]
  const written = data['format'] === 'html' ? HTML_CODE.exec(html) : null
  return written ? [raw(codeHtml(written, textOf(node)))] : fenced(node, path)
}

/** Code in HTML: the opening tags, their content, and the closing tags. */
const HTML_CODE = /^(<pre(?:\s[^<>]*)?>\s*<code(?:\s[^<>]*)?>)([\s\S]*)(<\/code>\s*<\/pre>\s*)$/i

/** Writes code into its existing tags, and preserves the emphasis in unchanged parts. */
function codeHtml([html = '', open = '', inner = '', close = '']: readonly string[], text: string): string {
  const before = textOfHtml(inner)
  if (before === text) return html
  const hex = /&#x(?:3C|26);/i.test(inner)
  const escapes: Record<string, string> = hex ? { '&': '&#x26;', '<': '&#x3C;' } : { '&': '&amp;', '<': '&lt;' }
  if (/&(?:gt|#x3E);/i.test(inner)) escapes['>'] = hex ? '&#x3E;' : '&gt;'
  const escaped = (code: string): string => code.replace(/[&<>]/g, (char) => escapes[char] ?? char)
  const kept = restyled(inner, escaped(before), escaped(text), (code) => code)
  return open + (kept !== null && textOfHtml(kept) === text ? kept : escaped(text)) + close
}

/** Prints fenced code. Adds a `{% code %}` tag if the info string does not contain all options. */
function fenced(node: BlockNode, path: string): Markdown[] {
  const { data } = node
  const meta = stringOf(data['meta'])
  const { named } = parseAttributes(meta)
  const fence: Markdown = {
    type: 'code',
    lang: stringOf(data['syntax']) || null,
    meta: stringOf(data['syntax']) ? meta || null : null,
    value: textOf(node),
  }
  const inInfoString = OPTIONS.every((name) => String(data[name] ?? '') === String(named[name] ?? ''))
  if (data['tag'] !== 'code' && inInfoString) return [fence]
  const row = required(findTag('code'))
  const own = data['tag'] === 'code' ? data : { ...data, attributes: {} }
  return [edge(tagSource(row, own, path), 'open'), fence, edge('{% endcode %}', 'close')]
}

function tagged(node: BlockNode, children: () => Markdown[], path: string): Markdown[] {
  const { type, data } = node
  const named = findTag(stringOf(data['tag']))
  const row = named?.type === type ? named : tagTable.find((one) => one.type === type)
  if (!row) throw new DocumentError(`${path}/type: "${type}" is not allowed here`)
  const open = tagSource(row, data, path)
  const inner = children()
  if (row.end === 'none' || (row.end === 'optional' && inner.length === 0)) return [raw(open)]
  return [edge(open, 'open'), ...inner, edge(`{% end${row.name} %}`, 'close')]
}

/** Prints the opening tag of a block. */
function tagSource(row: TagRow, data: Data, path: string): string {
  const unsafe = /[\r\n]|%\}|\{%/
  const check = (text: string, name: string): string => {
    if (unsafe.test(text)) throw new DocumentError(`${path}/data/${name}: cannot contain line ends, "{%" or "%}"`)
    return text
  }
  if (row.name === 'if') return `{% if ${check(stringOf(data['expression']), 'expression')} %}`
  const quote = (value: string, name: string): string => `"${check(value, name).replace(/[\\"]/g, '\\$&')}"`
  const attributes = isRecord(data['attributes']) ? data['attributes'] : {}
  const values = new Map<string, unknown>(Object.entries(attributes))
  for (const name of row.attributes) {
    const value = data[name]
    if (value === undefined) values.delete(name)
    else if (typeof value !== 'string' && typeof value !== 'boolean')
      throw new DocumentError(
        `${path}/data/${name}: must be a string${row.flags?.includes(name) ? ' or a boolean' : ''}`,
      )
    else if (!row.flags?.includes(name) || value !== (values.get(name) === true || values.get(name) === 'true'))
      values.set(name, typeof value === 'boolean' && row.flags?.includes(name) ? String(value) : value)
    else if (!values.has(name)) values.set(name, String(value))
  }
  const target = row.attributes.find((name) => ['url', 'page', 'src'].includes(name))
  const targetUrl = urlOf(data)
  if (target && targetUrl && ['content-ref', 'embed', 'file'].includes(row.type) && targetUrl !== attributes[target])
    values.set(target, targetUrl)
  const positional = Array.isArray(data['positional']) ? data['positional'].map(stringOf) : []
  if (row.name === 'include' && targetUrl && attributes['path'] === undefined) positional[0] = targetUrl
  if (row.name === 'include' && targetUrl && attributes['path'] !== undefined && positional.length === 0)
    values.set('path', targetUrl)
  const written = [...values].map(([name, value]) => {
    if (!/^[^\s="'“”„‟‘’{}%]+$/.test(name))
      throw new DocumentError(
        `${path}/data/attributes: ${JSON.stringify(name.slice(0, 50))} is not a valid attribute name`,
      )
    return value === true ? name : `${name}=${quote(stringOf(value), `attributes/${name}`)}`
  })
  return ['{%', row.name, ...positional.map((one, index) => quote(one, `positional/${index}`)), ...written, '%}'].join(
    ' ',
  )
}
