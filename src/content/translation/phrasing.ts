/** Splits inline markdown into pieces. Every character belongs to one piece. */
import { required } from '../../kernel/defined.js'
import { pairTokens, tokenizeHtml } from '../blocks/html.js'
import { findOffsets, type Markdown } from '../gfm/tree.js'
import { isAddress, isFileName } from './addresses.js'
import { describedPicture } from './attributes.js'
import type { Piece } from './pieces.js'
import { textPieces } from './text-pieces.js'

/** Maximum nesting. Deeper markup is left unchanged. */
const MAX_DEPTH = 20
/** Elements whose text is not prose. */
export const OPAQUE = new Set('code kbd math pre samp script style svg textarea var'.split(' '))
const PAIRS = new Set(['emphasis', 'strong', 'delete', 'link', 'linkReference'])

/**
 * The inline content at [start, end) of a text. `quotes` is the number of surrounding quotes, whose markers may start
 * its lines.
 */
interface PhrasePosition {
  text: string
  start: number
  end: number
  quotes: number
}

/** Returns the pieces of nodes in a range. */
export function phrasingPieces(nodes: readonly Markdown[], place: PhrasePosition, depth = 0): Piece[] {
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
    const node = required(nodes[i])
    const offsets = findOffsets(node)
    if (!offsets || offsets.start < at || offsets.end > place.end) continue
    // Text between nodes is white space between lines.
    if (node.type === 'text') {
      cover(offsets.end)
      continue
    }
    cover(offsets.start)
    const partner = partners[i] ?? -1
    const closing = partner > i ? findOffsets(required(nodes[partner])) : null
    if (closing && depth < MAX_DEPTH && closing.end <= place.end) {
      if (OPAQUE.has(tokens[i]?.name ?? '')) {
        out.push({ type: 'atom', raw: text.slice(offsets.start, closing.end) })
        at = closing.end
        i = partner
        continue
      }
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

function elementPiece(node: Markdown, place: PhrasePosition, depth: number): Piece {
  const raw = place.text.slice(place.start, place.end)
  return (
    (depth < MAX_DEPTH &&
      (pairOf(node, place, depth) ??
        labeledImage(node, raw) ??
        (node.type === 'html' ? describedPicture(raw) : null))) || {
      type: 'atom',
      raw,
    }
  )
}

/**
 * Returns emphasis and links with separate text as pairs. The label of a short reference is also its target, so it is
 * left unchanged.
 */
function pairOf(node: Markdown, place: PhrasePosition, depth: number): Piece | null {
  if (!PAIRS.has(node.type) || (node.type === 'linkReference' && node.referenceType !== 'full')) return null
  const { text } = place
  if (node.type === 'link' && text[place.start] !== '[') return null
  const first = findOffsets(node.children?.[0] ?? { type: '' })
  const last = findOffsets(node.children?.at(-1) ?? { type: '' })
  if (!first || !last || first.start <= place.start || last.end >= place.end || first.start > last.end) return null
  if (node.type === 'link' && isAddress(text.slice(first.start, last.end), node.url ?? '')) return null
  const children = phrasingPieces(node.children ?? [], { ...place, start: first.start, end: last.end }, depth + 1)
  return { type: 'pair', open: text.slice(place.start, first.start), close: text.slice(last.end, place.end), children }
}

/** Returns an image whose label is plain text as a pair. */
function labeledImage({ type, alt }: Markdown, raw: string): Piece | null {
  if (
    type !== 'image' ||
    !alt ||
    isFileName(alt) ||
    !/^[^\\[\]<>&*_`{}\n\r|$]+$/.test(alt) ||
    !raw.startsWith(`![${alt}](`)
  )
    return null
  return {
    type: 'pair',
    open: '![',
    close: raw.slice(2 + alt.length),
    children: [{ type: 'text', raw: alt, value: alt }],
  }
}
