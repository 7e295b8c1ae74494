/** Extracts the text of phrasing and HTML as a reader sees it, and the IDs in it that links can refer to. */
import { decodeReferences, type HtmlToken, tokenizeHtml } from '../blocks/html.js'
import { MAX_DEPTH } from '../blocks/limits.js'
import type { Markdown } from '../gfm/tree.js'
import { findAttributeList } from '../heading-attributes.js'
import { repeatsTarget } from '../placeholder-label.js'
import { defined } from '../../kernel/defined.js'

/** Receives each ID of an HTML element. */
export type AddAnchor = (id: string) => void

/** Elements whose content readers do not see. */
const HIDDEN = new Set(['script', 'style', 'template'])
/** Elements that are shown on a separate line. An unknown name is often not an element: `List<T>`. */
const OWN_LINE = new Set(
  'address article aside blockquote br button center dd details div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table tbody thead tr ul video'.split(
    ' ',
  ),
)

/**
 * Returns the text of phrasing, like `plainText` for the blocks that it becomes, without labels that stand for titles and
 * without expressions, instead of which readers see a value. Line breaks become spaces. Headings keep all labels, because their anchors contain them.
 */
export function inlineText(
  nodes: readonly Markdown[],
  addAnchor: AddAnchor,
  { depth = 0, isHeading = false } = {},
): string {
  let text = ''
  let at = 0
  for (const [index, node] of nodes.entries()) {
    if (index < at) continue
    at = endOfExpression(nodes, index)
    if (at > index) continue
    if (node.type === 'html') text += textOfTag(node.value ?? '', addAnchor)
    else if (node.type === 'break') text += ' '
    else if (node.type === 'mathText') text += (node.value ?? '').slice(2, -2)
    else if (node.value !== undefined) text += node.value
    else if (node.children && depth < MAX_DEPTH) {
      const inner = inlineText(node.children, addAnchor, { depth: depth + 1, isHeading })
      if (isHeading || node.type !== 'link' || !isPlaceholder(inner, node)) text += inner
    }
  }
  return text
}

/** Whether a tag starts an expression: `<code class="expression">`. */
const opensExpression = ({ type, name, attributes }: HtmlToken): boolean =>
  type === 'open' && name === 'code' && (attributes['class'] ?? '').split(/\s+/).includes('expression')

/** Returns the index after the expression that starts at a node; the index of the node if none does. */
function endOfExpression(nodes: readonly Markdown[], start: number): number {
  const tagOf = ({ type, value }: Markdown) => (type === 'html' ? tokenizeHtml(value ?? '')[0] : undefined)
  const open = tagOf(nodes[start] as Markdown)
  if (!open || !opensExpression(open)) return start
  for (let at = start + 1; at < nodes.length; at++) {
    const tag = tagOf(nodes[at] as Markdown)
    if (tag?.name === 'code') return tag.type === 'close' ? at + 1 : start
  }
  return start
}

/** Whether the label of a link stands for the title of its target. The target may be hidden from a reader of the text. */
const isPlaceholder = (label: string, { url, title }: Markdown): boolean =>
  title === 'mention' || repeatsTarget(label, url ?? '')

/**
 * Returns the text of an HTML tag within text. The content of the element follows in other nodes, so only a line break
 * counts as text.
 */
function textOfTag(html: string, addAnchor: AddAnchor): string {
  const token = tokenizeHtml(html)[0]
  if (!token || token.type === 'text' || token.type === 'comment') return ''
  addId(token, addAnchor)
  return OWN_LINE.has(token.name) ? ' ' : ''
}

function addId({ name, attributes }: HtmlToken, addAnchor: AddAnchor): void {
  const id = attributes['id'] || (name === 'a' ? attributes['name'] : undefined)
  if (id) addAnchor(id)
}

/** Returns the text of an HTML block, with a separate line for each block-level element. */
export function htmlText(html: string, addAnchor: AddAnchor): string {
  let text = ''
  let hidden = ''
  let link: { href: string; from: number } | null = null
  let expression: number | null = null
  for (const token of tokenizeHtml(html)) {
    if (hidden !== '') {
      if (token.type === 'close' && token.name === hidden) hidden = ''
    } else if (token.type === 'text') text += decodeReferences(html.slice(token.start, token.end)).replace(/\s+/g, ' ')
    else if (token.type !== 'comment') {
      if (token.type === 'open' && HIDDEN.has(token.name)) hidden = token.name
      addId(token, addAnchor)
      if (token.name === 'a') {
        if (token.type === 'close' && link && repeatsTarget(text.slice(link.from), link.href))
          text = text.slice(0, link.from)
        link = token.type === 'open' ? { href: token.attributes['href'] ?? '', from: text.length } : null
      }
      if (token.name === 'code') {
        if (token.type === 'close' && expression !== null) text = text.slice(0, expression)
        expression = opensExpression(token) ? text.length : null
      }
      if (token.name === 'td' || token.name === 'th') text += ' '
      else if (OWN_LINE.has(token.name)) text += '\n'
    }
  }
  const lines = text.split('\n').map((line) => line.replace(/ +/g, ' ').trim())
  return lines.filter((line) => line !== '').join('\n')
}

/** Returns a heading's title and its explicit ID, from `<a id="…"></a>` or an attribute list. */
export function readHeading(nodes: readonly Markdown[], addAnchor: AddAnchor): { title: string; id?: string } {
  const explicit = explicitId(nodes)
  const ids: string[] = []
  let title = inlineText(nodes, (id) => ids.push(id), { isHeading: true })
    .replace(/\s+/g, ' ')
    .trim()
  const last = nodes.at(-1)
  const list = last?.type === 'text' && findAttributeList(last.value ?? '') ? findAttributeList(title) : null
  if (list) title = title.slice(0, list.before)
  const id = explicit ?? list?.id
  for (const one of ids) if (one !== id) addAnchor(one)
  return { title, ...defined({ id }) }
}

/** Returns the ID of the last anchor without content in a heading. */
function explicitId(nodes: readonly Markdown[]): string | undefined {
  for (let at = nodes.length - 2; at >= 0; at--) {
    if (nodes[at]?.type !== 'html' || nodes[at + 1]?.type !== 'html') continue
    const [open, close] = [tokenizeHtml(nodes[at]?.value ?? '')[0], tokenizeHtml(nodes[at + 1]?.value ?? '')[0]]
    if (open?.type !== 'open' || open.name !== 'a' || close?.type !== 'close' || close.name !== 'a') continue
    const id = open.attributes['id'] ?? (open.attributes['href'] === undefined ? open.attributes['name'] : undefined)
    if (id) return id
  }
  return undefined
}
