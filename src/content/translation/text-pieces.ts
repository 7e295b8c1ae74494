/** Splits text into translatable text and atoms: expressions, emoji names and character references. */
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

/** Emoji names between colons, as some tools write them. */
const SHORTCODE = '(?<![\\p{L}\\p{N}:]):[a-z][a-z0-9_+-]*:(?![\\p{L}\\p{N}:])'

/**
 * Splits markdown text. Escapes are resolved, line ends with the markers after them become spaces, and other character
 * references are preserved.
 */
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

/** Splits text between HTML tags. */
export const htmlTextPieces = (raw: string): Piece[] =>
  splitText(raw, HTML_SPECIAL, (found) => {
    if (found[0] === '{' || found[0] === ':') return null
    return found[0] === '&' ? (DECODED[found] ?? (decodeReferences(found) === found ? found : null)) : ' '
  })

const EXPRESSION = /\{\{[^{}\r\n]*\}\}|\{%[^{}\r\n]*%\}/g

/** Splits plain text that contains expressions. */
export const plainPieces = (raw: string): Piece[] => splitText(raw, EXPRESSION, () => null)

const TAG_SPECIAL = new RegExp(`${EXPRESSION.source}|\\\\["'\\\\“”„‟‘’]`, 'g')

/** Splits the value of an attribute of a tag. */
export const tagValuePieces = (raw: string): Piece[] =>
  splitText(raw, TAG_SPECIAL, (found) => (found[0] === '\\' ? found.slice(1) : null))

/** Splits text at its special parts. `read` decodes a part, and returns null for a part that is left unchanged. */
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
