/** The text of phrasing and of HTML as a reader sees it, and the IDs in it that links can lead to. */
import { decodeReferences, type HtmlToken, tokenizeHtml } from '../blocks/html.js'
import { MAX_DEPTH } from '../blocks/limits.js'
import type { Markdown } from '../gfm/tree.js'
import { attributeList } from '../heading-attributes.js'

/** Gets each ID that HTML gives an element. */
export type AddAnchor = (id: string) => void

/** HTML that readers see as text, or that they do not see at all. */
const HIDDEN = new Set(['script', 'style', 'template'])
/** Elements that are shown on a line of their own. What is not known is often no element: `List<T>`. */
const OWN_LINE = new Set(
  'address article aside blockquote br button center dd details div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table tbody thead tr ul video'.split(
    ' ',
  ),
)

/** The text of phrasing, like `plainText` of the blocks that it becomes; line breaks are spaces. */
export function inlineText(nodes: readonly Markdown[], addAnchor: AddAnchor, depth = 0): string {
  let text = ''
  for (const node of nodes) {
    if (node.type === 'html') text += textOfTag(node.value ?? '', addAnchor)
    else if (node.type === 'break') text += ' '
    else if (node.type === 'mathText') text += (node.value ?? '').slice(2, -2)
    else if (node.value !== undefined) text += node.value
    else if (node.children && depth < MAX_DEPTH) text += inlineText(node.children, addAnchor, depth + 1)
  }
  return text
}

/** A tag of HTML within text: what it stands between is beside it, so only a line break is text. */
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

/** The text of a block of HTML: a line for each element that has one of its own. */
export function htmlText(html: string, addAnchor: AddAnchor): string {
  let text = ''
  let hidden = ''
  for (const token of tokenizeHtml(html)) {
    if (hidden !== '') {
      if (token.type === 'close' && token.name === hidden) hidden = ''
    } else if (token.type === 'text') text += decodeReferences(html.slice(token.start, token.end)).replace(/\s+/g, ' ')
    else if (token.type !== 'comment') {
      if (token.type === 'open' && HIDDEN.has(token.name)) hidden = token.name
      addId(token, addAnchor)
      if (token.name === 'td' || token.name === 'th') text += ' '
      else if (OWN_LINE.has(token.name)) text += '\n'
    }
  }
  const lines = text.split('\n').map((line) => line.replace(/ +/g, ' ').trim())
  return lines.filter((line) => line !== '').join('\n')
}

/** A heading's title, and the ID that it states: by `<a id="…"></a>` or in an attribute list. */
export function readHeading(nodes: readonly Markdown[], addAnchor: AddAnchor): { title: string; id?: string } {
  const stated = statedId(nodes)
  const ids: string[] = []
  let title = inlineText(nodes, (id) => ids.push(id))
    .replace(/\s+/g, ' ')
    .trim()
  const last = nodes.at(-1)
  const list = last?.type === 'text' && attributeList(last.value ?? '') ? attributeList(title) : null
  if (list) title = title.slice(0, list.before)
  const id = stated ?? list?.id
  for (const one of ids) if (one !== id) addAnchor(one)
  return { title, ...(id === undefined ? {} : { id }) }
}

/** The ID of the last anchor without content in a heading. */
function statedId(nodes: readonly Markdown[]): string | undefined {
  for (let at = nodes.length - 2; at >= 0; at--) {
    if (nodes[at]?.type !== 'html' || nodes[at + 1]?.type !== 'html') continue
    const [open, close] = [tokenizeHtml(nodes[at]?.value ?? '')[0], tokenizeHtml(nodes[at + 1]?.value ?? '')[0]]
    if (open?.type !== 'open' || open.name !== 'a' || close?.type !== 'close' || close.name !== 'a') continue
    const id = open.attributes['id'] ?? (open.attributes['href'] === undefined ? open.attributes['name'] : undefined)
    if (id) return id
  }
  return undefined
}
