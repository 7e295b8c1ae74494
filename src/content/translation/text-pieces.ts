/** Cuts text into what is translated and what stays in it: expressions, names of emoji and references to characters. */
import { decodeReferences } from '../blocks/html.js'
import type { Piece } from './pieces.js'

const DECODED: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&apos;': "'",
}
const REFERENCE = '&(?:#\\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});'

/** Names of emoji between colons, as some tools write them. */
const SHORTCODE = '(?<![\\p{L}\\p{N}:]):[a-z][a-z0-9_+-]*:(?![\\p{L}\\p{N}:])'

/** Text of markdown: escapes are read, line ends with the markers after them become spaces, other character references are kept. */
export function textPieces(raw: string, quotes: number): Piece[] {
  const special = new RegExp(
    `\\\\[!-/:-@[-\`{-~]|${REFERENCE}|${SHORTCODE}|[ \\t]*(?:\\r\\n|\\n|\\r)(?:[ \\t]*>){0,${quotes}}[ \\t]*`,
    'gu',
  )
  return splitText(raw, special, (found) => {
    if (found[0] === '\\') return found.slice(1)
    if (found[0] === ':') return null
    return found[0] === '&' ? (DECODED[found] ?? (decodeReferences(found) === found ? found : null)) : ' '
  })
}

const HTML_SPECIAL = new RegExp(
  `${REFERENCE}|${SHORTCODE}|\\s*[\\r\\n]\\s*|\\{\\{[^{}\\r\\n]*\\}\\}|\\{%[^{}\\r\\n]*%\\}`,
  'gu',
)

/** Text between the tags of HTML. */
export const htmlTextPieces = (raw: string): Piece[] =>
  splitText(raw, HTML_SPECIAL, (found) => {
    if (found[0] === '{' || found[0] === ':') return null
    return found[0] === '&' ? (DECODED[found] ?? (decodeReferences(found) === found ? found : null)) : ' '
  })

const EXPRESSION = /\{\{[^{}\r\n]*\}\}|\{%[^{}\r\n]*%\}/g

/** Plain text with expressions in it. */
export const plainPieces = (raw: string): Piece[] => splitText(raw, EXPRESSION, () => null)

const TAG_SPECIAL = new RegExp(`${EXPRESSION.source}|\\\\["'\\\\“”„‟‘’]`, 'g')

/** The value of an attribute of a tag. */
export const tagValuePieces = (raw: string): Piece[] =>
  splitText(raw, TAG_SPECIAL, (found) => (found[0] === '\\' ? found.slice(1) : null))

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
