/** Finds texts in attributes: titles of tags, and descriptions of HTML images. */
import { parseAttributes } from '../blocks/attributes.js'
import { parseTag } from '../blocks/tag.js'
import { isFileName } from './addresses.js'
import type { PairPiece, Piece } from './pieces.js'
import { htmlTextPieces, tagValuePieces } from './text-pieces.js'

const TEXT = /(?<=\s)(title|description|summary|caption|label|alt)="((?:[^"\\\r\n]|\\[^\r\n])*)"/g

/** Returns the texts in the attributes of a tag, `{% … %}`, each with its offset in the tag. */
export function tagTexts(source: string): { start: number; pieces: Piece[] }[] {
  const tag = parseTag(source)
  if (!tag || tag.closing || tag.name === 'if') return []
  const { named } = parseAttributes(tag.body)
  return [...source.matchAll(TEXT)].flatMap(({ 0: whole, 1: name = '', 2: raw = '', index }) => {
    const pieces = tagValuePieces(raw)
    const value = pieces
      .map((piece) => (piece.type === 'text' ? piece.value : piece.type === 'atom' ? piece.raw : ''))
      .join('')
    // The match is part of the value of another attribute.
    if (named[name] !== value || isName(tag.name, value)) return []
    return [{ start: index + whole.length - 1 - raw.length, pieces }]
  })
}

/** Whether a value is a name. Titles of code are more often file names than words. */
const isName = (tag: string, value: string): boolean =>
  isFileName(value) || (tag === 'code' && (!/\s/.test(value) || /[/\\]|\.\w+$/.test(value)))

const ALT = /^<img\b(?:[^"'>]|"[^"]*"|'[^']*')*?\salt="(?=[^"]*\p{L})/iu

/**
 * Returns an HTML image with a description, of which only the description is translated. Returns null if it has none.
 */
export function describedPicture(raw: string): PairPiece | null {
  const open = ALT.exec(raw)?.[0]
  if (open === undefined) return null
  const end = raw.indexOf('"', open.length)
  const alt = raw.slice(open.length, end)
  return end < 0 || isFileName(alt)
    ? null
    : { type: 'pair', open, close: raw.slice(end), children: htmlTextPieces(alt) }
}
