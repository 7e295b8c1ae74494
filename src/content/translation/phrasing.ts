/** Cuts the inline content of markdown into pieces. Every character of it belongs to one piece. */
import { decodeReferences, pairTokens, tokenizeHtml } from '../blocks/html.js'
import { findOffsets, type Markdown } from '../gfm/tree.js'
import type { Piece } from './pieces.js'

/** Deeper markup is kept as it is. */
const MAX_DEPTH = 20
const PAIRS = new Set(['emphasis', 'strong', 'delete', 'link', 'linkReference'])

/** The inline content at [start, end) of a text; `quotes`: how many quotes it is in, whose markers may begin its lines. */
export interface Place {
  text: string
  start: number
  end: number
  quotes: number
}

/** The pieces of nodes that stand at a place. */
export function phrasingPieces(nodes: readonly Markdown[], place: Place, depth = 0): Piece[] {
  const { text } = place
  const tokens = nodes.map((node) => htmlToken(node))
  const partners = tokens.some((one) => one.type === 'open') ? pairTokens(tokens) : []
  const out: Piece[] = []
  let at = place.start
  const cover = (to: number): void => {
    if (to > at) out.push(...textPieces(text.slice(at, to), place.quotes))
    at = Math.max(at, to)
  }
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i] as Markdown
    const offsets = findOffsets(node)
    if (!offsets || offsets.start < at || offsets.end > place.end) continue
    // What no node covers is white space between lines.
    if (node.type === 'text') {
      cover(offsets.end)
      continue
    }
    cover(offsets.start)
    const partner = partners[i] ?? -1
    const closing = partner > i ? findOffsets(nodes[partner] as Markdown) : null
    if (closing && depth < MAX_DEPTH && closing.end <= place.end) {
      const inner = { ...place, start: offsets.end, end: closing.start }
      out.push({
        type: 'pair',
        open: text.slice(offsets.start, offsets.end),
        close: text.slice(closing.start, closing.end),
        children: phrasingPieces(nodes.slice(i + 1, partner), inner, depth + 1),
      })
      at = closing.end
      i = partner
    } else {
      out.push(elementPiece(node, { ...place, ...offsets }, depth))
      at = offsets.end
    }
  }
  cover(place.end)
  return out
}

function htmlToken(node: Markdown) {
  const token = node.type === 'html' ? tokenizeHtml(node.value ?? '')[0] : undefined
  return token ?? { type: 'text' as const, name: '' }
}

function elementPiece(node: Markdown, place: Place, depth: number): Piece {
  const raw = place.text.slice(place.start, place.end)
  return (depth < MAX_DEPTH && (pairOf(node, place, depth) ?? labelledImage(node, raw))) || { type: 'atom', raw }
}

/** Emphasis and links with a text of their own. The label of a short reference is its target as well: it stays. */
function pairOf(node: Markdown, place: Place, depth: number): Piece | null {
  if (!PAIRS.has(node.type) || (node.type === 'linkReference' && node.referenceType !== 'full')) return null
  const { text } = place
  if (node.type === 'link' && text[place.start] !== '[') return null
  const first = findOffsets(node.children?.[0] ?? { type: '' })
  const last = findOffsets(node.children?.at(-1) ?? { type: '' })
  if (!first || !last || first.start <= place.start || last.end >= place.end || first.start > last.end) return null
  const children = phrasingPieces(node.children ?? [], { ...place, start: first.start, end: last.end }, depth + 1)
  return { type: 'pair', open: text.slice(place.start, first.start), close: text.slice(last.end, place.end), children }
}

/** An image whose label is plain text. */
function labelledImage({ type, alt }: Markdown, raw: string): Piece | null {
  if (type !== 'image' || !alt || !/^[^\\[\]<>&*_`{}\n\r|$]+$/.test(alt) || !raw.startsWith(`![${alt}](`)) return null
  return { type: 'pair', open: '![', close: raw.slice(2 + alt.length), children: [{ type: 'text', raw: alt, value: alt }] }
}

const DECODED: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }
const REFERENCE = '&(?:#\\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});'

/** Text of markdown: escapes are read, line ends with the markers after them become spaces, other character references are kept. */
function textPieces(raw: string, quotes: number): Piece[] {
  const special = new RegExp(`\\\\[!-/:-@[-\`{-~]|${REFERENCE}|[ \\t]*(?:\\r\\n|\\n|\\r)(?:[ \\t]*>){0,${quotes}}[ \\t]*`, 'g')
  return splitText(raw, special, (found) => {
    if (found[0] === '\\') return found.slice(1)
    return found[0] === '&' ? (DECODED[found] ?? (decodeReferences(found) === found ? found : null)) : ' '
  })
}

const HTML_SPECIAL = new RegExp(`${REFERENCE}|\\s*[\\r\\n]\\s*|\\{\\{[^{}\\r\\n]*\\}\\}|\\{%[^{}\\r\\n]*%\\}`, 'g')

/** Text between the tags of HTML. */
export const htmlTextPieces = (raw: string): Piece[] =>
  splitText(raw, HTML_SPECIAL, (found) => {
    if (found[0] === '{') return null
    return found[0] === '&' ? (DECODED[found] ?? (decodeReferences(found) === found ? found : null)) : ' '
  })

const EXPRESSION = /\{\{[^{}\r\n]*\}\}|\{%[^{}\r\n]*%\}/g

/** Plain text with expressions in it. */
export const plainPieces = (raw: string): Piece[] => splitText(raw, EXPRESSION, () => null)

/** Text whose special parts are read by `read`, which returns null for those that are kept as they are. */
function splitText(raw: string, special: RegExp, read: (found: string) => string | null): Piece[] {
  const out: Piece[] = []
  const add = (source: string, value: string): void => {
    const last = out.at(-1)
    if (last?.type === 'text') {
      last.raw += source
      last.value += value
    } else if (source !== '') out.push({ type: 'text', raw: source, value })
  }
  let at = 0
  for (const { 0: found, index } of raw.matchAll(special)) {
    add(raw.slice(at, index), raw.slice(at, index))
    const value = read(found)
    if (value === null) out.push({ type: 'atom', raw: found })
    else add(found, value)
    at = index + found.length
  }
  add(raw.slice(at), raw.slice(at))
  return out
}
