/**
 * Unique words. Each thing in a world has one, so that a response shows which things it reveals.
 */
import type { Random } from '../../simulation/two-sided/random.js'

const LETTERS = 'bcdfghjklmnprstvwz'
const LENGTH = 9
const WORD = new RegExp(`qx[${LETTERS}]{${LENGTH}}`, 'g')

/** Returns a new word. It differs from all others so much that a search with typos never confuses them. */
export function newWord(next: Random): string {
  let word = 'qx'
  for (let at = 0; at < LENGTH; at++) word += LETTERS[next(LETTERS.length)]
  return word
}

/** All words in a text, also in its decoded forms and across tags and marks. */
export function wordsIn(text: string): Set<string> {
  const found = new Set<string>()
  for (const form of formsOf(text)) for (const [word] of form.matchAll(WORD)) found.add(word)
  return found
}

function formsOf(text: string): string[] {
  const lower = text.toLowerCase()
  const forms = [lower, lower.replace(/<[^>]*>|\*\*|&(?:shy|#173|#xad);|\u00ad|\u200b/g, '')]
  for (let round = 0; round < 2; round++) {
    const before = forms.at(-1) as string
    const after = lowerDecoded(before)
    if (after === before) break
    forms.push(after)
  }
  if (/%[0-9a-f]{2}|&#|\\u/.test(lower)) forms.push(lowerDecoded(lower))
  for (const [coded] of text.matchAll(/[A-Za-z0-9_-]{24,}/g))
    forms.push(Buffer.from(coded, 'base64url').toString('latin1').toLowerCase())
  return forms
}

const lowerDecoded = (text: string): string =>
  text
    .replace(/(?:%[0-9a-f]{2})+/gi, (coded) => Buffer.from(coded.replaceAll('%', ''), 'hex').toString('utf8'))
    .replace(/&#x([0-9a-f]{1,6});/gi, (_, hex: string) => character(Number.parseInt(hex, 16)))
    .replace(/&#(\d{1,7});/g, (_, digits: string) => character(Number(digits)))
    .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => character(Number.parseInt(hex, 16)))
    .toLowerCase()

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '')

/** Replaces words in a text in every case and encoding that the text may repeat. */
export function replaceWords(text: string, from: ReadonlyMap<string, string>): string {
  let replaced = text
  for (const [word, other] of from) {
    replaced = replaced
      .replaceAll(word, other)
      .replaceAll(word.toLowerCase(), other.toLowerCase())
      .replaceAll(word.toUpperCase(), other.toUpperCase())
    // A path that is encoded twice is encoded once more in the address of a sign-in.
    for (const sign of ['%', '%25', '%2525']) {
      const coded = (one: string): string => percent(one).replaceAll('%', sign)
      replaced = replaced
        .replaceAll(coded(word), coded(other))
        .replaceAll(coded(word).toLowerCase(), coded(other).toLowerCase())
    }
  }
  return replaced
}

/** Every byte in percent-encoding. */
export const percent = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
