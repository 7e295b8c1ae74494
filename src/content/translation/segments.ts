/**
 * Finds the texts to translate in a page's body: the inline content of paragraphs, headings and table cells, and texts
 * between HTML tags.
 */
import { required } from '../../kernel/defined.js'
import { type HtmlToken, pairTokens, tokenizeHtml } from '../blocks/html.js'
import { findOffsets, type Markdown } from '../gfm/tree.js'
import { isAddress } from './addresses.js'
import { describedPicture, tagTexts } from './attributes.js'
import { OPAQUE, phrasingPieces } from './phrasing.js'
import {
  type Code,
  encodePieces,
  hasLetters,
  opensAttribute,
  type Piece,
  simplified,
  sourceOf,
  trimmed,
} from './pieces.js'
import { htmlTextPieces } from './text-pieces.js'

/**
 * The syntax of a segment: markdown (in a table cell, without pipes), HTML text or a quoted HTML attribute, a quoted
 * value in a tag, or a YAML value.
 */
export type Syntax = 'markdown' | 'cell' | 'html' | 'attribute' | 'tag' | 'yaml'

/** A text to translate, at [start, end) of the page. */
export interface Segment {
  start: number
  end: number
  syntax: Syntax
  /** Whether it starts its block, where some characters have a special meaning. */
  first: boolean
  pieces: Piece[]
  /** The text for engines. */
  coded: string
  codes: Code[]
}

/** A range of the page that is one unit, with its segments. */
export interface Leaf {
  start: number
  end: number
  segments: Segment[]
}

/**
 * Returns a segment of the pieces at `start`. Returns null if they contain nothing to translate, or do not match the
 * page's text.
 */
export function makeSegment(pieces: readonly Piece[], start: number, text: string, syntax: Syntax): Segment | null {
  const simple = simplified(pieces)
  if (!hasLetters(simple)) return null
  const { before, inner, after } = trimmed(simple)
  const source = sourceOf(inner)
  const whole = before + source + after
  // Engines never receive control characters, and wrong parser offsets must not lose text.
  if (text.slice(start, start + whole.length) !== whole || /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(source)) return null
  const from = start + before.length
  const own = opensAttribute(before) ? 'attribute' : syntax
  return {
    start: from,
    end: from + source.length,
    syntax: own,
    first: before.trim() === '',
    pieces: inner,
    ...encodePieces(inner),
  }
}

const CONTAINERS = new Set(['root', 'blockquote', 'list', 'listItem', 'footnoteDefinition', 'table', 'tableRow'])

/** Returns the leaves of a markdown tree in text order. The stack is explicit, because a tree may be deep. */
export function findLeaves(root: Markdown, text: string): Leaf[] {
  const leaves: Leaf[] = []
  const pending = [{ node: root, quotes: 0 }]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { node, quotes } = next
    if (CONTAINERS.has(node.type)) {
      const inner = quotes + (node.type === 'blockquote' ? 1 : 0)
      for (const child of (node.children ?? []).toReversed()) pending.push({ node: child, quotes: inner })
      continue
    }
    const at = findOffsets(node)
    if (at) leaves.push({ ...at, segments: segmentsOf(node, { text, ...at, quotes }) })
  }
  return leaves
}

function segmentsOf(node: Markdown, place: { text: string; start: number; end: number; quotes: number }): Segment[] {
  if (node.type === 'html') return htmlSegments(node, place)
  if (node.type === 'tag')
    return tagTexts(place.text.slice(place.start, place.end)).flatMap(
      ({ start, pieces }) => makeSegment(pieces, place.start + start, place.text, 'tag') ?? [],
    )
  if (node.type !== 'paragraph' && node.type !== 'heading' && node.type !== 'tableCell') return []
  const first = findOffsets(node.children?.[0] ?? { type: '' })
  const last = findOffsets(node.children?.at(-1) ?? { type: '' })
  if (!first || !last || first.start < place.start || last.end > place.end || first.start > last.end) return []
  const pieces = phrasingPieces(node.children ?? [], { ...place, start: first.start, end: last.end })
  const segment = makeSegment(pieces, first.start, place.text, node.type === 'tableCell' ? 'cell' : 'markdown')
  return segment ? [segment] : []
}

/** Elements that occur within a sentence. */
const INLINE = new Set('a abbr b bdi cite code em i img kbd mark q s samp small span strong sub sup u var'.split(' '))
/** Matches text that may be markdown, because some HTML is parsed as markdown. */
const MAYBE_MARKDOWN = /[*_`[\]\\|]|^\s*(?:[#>+-]|\d+[.)])/m

/** Returns the texts of HTML, except those in elements without prose. HTML in quotes or lists is left unchanged. */
function htmlSegments(node: Markdown, { text, start, end }: { text: string; start: number; end: number }): Segment[] {
  const source = text.slice(start, end)
  if (source !== node.value) return []
  const found: Segment[] = []
  let run: { piece: Piece; token: Pick<HtmlToken, 'type' | 'name'> }[] = []
  let from = 0
  let opaque = 0
  const flush = (): void => {
    const segment = makeSegment(paired(run), start + from, text, 'html')
    if (
      segment &&
      (segment.syntax === 'attribute' ||
        !segment.pieces.some((piece) => piece.type === 'text' && MAYBE_MARKDOWN.test(piece.value)))
    )
      found.push(segment)
    run = []
  }
  for (const token of tokenizeHtml(source)) {
    const raw = source.slice(token.start, token.end)
    if (OPAQUE.has(token.name))
      opaque = Math.max(0, opaque + (token.type === 'open' ? 1 : token.type === 'close' ? -1 : 0))
    const closesOpaque = OPAQUE.has(token.name) && token.type === 'close'
    if (token.type !== 'text' && !INLINE.has(token.name)) {
      flush()
      continue
    }
    if (run.length === 0) from = token.start
    if (token.type === 'text' && opaque === 0)
      for (const piece of htmlTextPieces(raw)) run.push({ piece, token: { type: 'text', name: '' } })
    else if (token.name === 'img' && opaque === 0)
      run.push({ piece: describedPicture(raw) ?? { type: 'atom', raw }, token: { type: 'text', name: '' } })
    else
      run.push({ piece: { type: 'atom', raw }, token: opaque > 0 || closesOpaque ? { type: 'text', name: '' } : token })
  }
  flush()
  return found
}

/** Joins an open tag, the content and the end tag into a pair. */
function paired(run: readonly { piece: Piece; token: Pick<HtmlToken, 'type' | 'name'> }[]): Piece[] {
  const partners = pairTokens(run.map(({ token }) => token))
  const range = (from: number, to: number, depth: number): Piece[] => {
    const out: Piece[] = []
    for (let i = from; i < to; i++) {
      const partner = partners[i] ?? -1
      const { piece } = required(run[i])
      if (partner <= i || depth > MAX_DEPTH) {
        out.push(piece)
        continue
      }
      const close = required(run[partner]).piece
      const children = range(i + 1, partner, depth + 1)
      const address = /^<a\s(?:[^>]*\s)?href="([^"]*)"/i.exec(sourceOf([piece]))?.[1]
      if (address !== undefined && isAddress(sourceOf(children), address)) {
        out.push({ type: 'atom', raw: sourceOf([piece, ...children, close]) })
        i = partner
        continue
      }
      out.push({ type: 'pair', open: sourceOf([piece]), close: sourceOf([close]), children })
      i = partner
    }
    return out
  }
  return range(0, run.length, 0)
}

/** Maximum nesting. Deeper tags are left unchanged. */
const MAX_DEPTH = 20
