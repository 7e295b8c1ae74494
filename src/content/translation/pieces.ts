/** The pieces of a segment: text, and markup that engines must not change. */

/** A run of text. `raw` is its source, `value` is the decoded text. */
interface TextPiece {
  type: 'text'
  raw: string
  value: string
}
/** Source that is left unchanged, such as code, an expression or an escape. */
interface AtomPiece {
  type: 'atom'
  raw: string
}
/** Markup around pieces, such as a link or emphasis. */
export interface PairPiece {
  type: 'pair'
  open: string
  close: string
  children: Piece[]
}
export type Piece = TextPiece | AtomPiece | PairPiece

/** A placeholder of a segment: the source before and after its content. Without `close`, it has no content. */
export interface Code {
  open: string
  close?: string
}

/** Returns the source of pieces. */
export const sourceOf = (pieces: readonly Piece[]): string =>
  pieces
    .map((piece) => (piece.type === 'pair' ? piece.open + sourceOf(piece.children) + piece.close : piece.raw))
    .join('')

/** Whether the source ends at the start of the description of an HTML image. */
export const opensAttribute = (source: string): boolean => /<img\b[^>]*="$/i.test(source)

/** Whether pieces contain a letter to translate. */
export const hasLetters = (pieces: readonly Piece[]): boolean =>
  pieces.some((piece) =>
    piece.type === 'pair' ? hasLetters(piece.children) : piece.type === 'text' && /\p{L}/u.test(piece.value),
  )

/** Turns markup without letters into single atoms, so that an engine has fewer placeholders to preserve. */
export function simplified(pieces: readonly Piece[]): Piece[] {
  return pieces.map((piece) => {
    if (piece.type !== 'pair') return piece
    if (!hasLetters(piece.children)) return { type: 'atom', raw: sourceOf([piece]) }
    return { ...piece, children: simplified(piece.children) }
  })
}

/**
 * Splits off the parts before the first and after the last piece with letters, and markup around all of them, such as
 * the link of an entry.
 */
export function trimmed(pieces: readonly Piece[]): { before: string; inner: Piece[]; after: string } {
  const first = pieces.findIndex((piece) => hasLetters([piece]))
  const last = pieces.findLastIndex((piece) => hasLetters([piece]))
  const inner = pieces.slice(first, last + 1)
  const [head, tail] = [inner[0], inner.at(-1)]
  let before = sourceOf(pieces.slice(0, first))
  let after = sourceOf(pieces.slice(last + 1))
  if (head?.type === 'text') {
    const space = /^\s*/.exec(head.raw)?.[0] ?? ''
    before += space
    inner[0] = { ...head, raw: head.raw.slice(space.length), value: head.value.trimStart() }
  }
  if (tail?.type === 'text') {
    const now = inner.at(-1) as TextPiece
    const space = /\s*$/.exec(now.raw)?.[0] ?? ''
    after = space + after
    inner[inner.length - 1] = {
      ...now,
      raw: now.raw.slice(0, now.raw.length - space.length),
      value: now.value.trimEnd(),
    }
  }
  const only = inner.length === 1 ? inner[0] : undefined
  if (only?.type !== 'pair') return { before, inner, after }
  const deeper = trimmed(only.children)
  return { before: before + only.open + deeper.before, inner: deeper.inner, after: deeper.after + only.close + after }
}

const escapeXml = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/** Returns the text for engines: `<g id="1">text</g>` for pairs, `<x id="2"/>` for atoms, numbered in text order. */
export function encodePieces(pieces: readonly Piece[]): { coded: string; codes: Code[] } {
  const codes: Code[] = []
  const encode = (list: readonly Piece[]): string =>
    list
      .map((piece) => {
        if (piece.type === 'text') return escapeXml(piece.value)
        codes.push(piece.type === 'atom' ? { open: piece.raw } : { open: piece.open, close: piece.close })
        const id = codes.length
        return piece.type === 'atom' ? `<x id="${id}"/>` : `<g id="${id}">${encode(piece.children)}</g>`
      })
      .join('')
  return { coded: encode(pieces), codes }
}

/**
 * Returns the meaning of pieces: text with white space collapsed, and the source of markup between control characters
 * that no text contains.
 */
export const meaningOfPieces = (pieces: readonly Piece[]): string =>
  flat(pieces)
    .replace(/[ \t\r\n]+/g, ' ')
    .trim()

const mark = (raw: string): string => `\u0001${raw}\u0002`
const flat = (pieces: readonly Piece[]): string =>
  pieces
    .map((piece) => {
      if (piece.type === 'text') return piece.value
      return piece.type === 'atom' ? mark(piece.raw) : mark(piece.open) + flat(piece.children) + mark(piece.close)
    })
    .join('')
