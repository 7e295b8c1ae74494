/** A dictionary of deletions: similar words have a common form after letters are deleted from both. */
import { required } from '../kernel/defined.js'

/** Minimum and maximum length of words that are corrected. */
const MIN_LENGTH = 4
const MAX_LENGTH = 24
/** Minimum length of words in which two letters may be wrong. In shorter words, one may be. */
const TWO_FROM = 8
/** Number of characters at the start of a word from which letters are deleted, so that a word has at most 29 forms. */
const PREFIX = 7

const LETTERS = /^[\p{L}\p{M}]+$/u

/** Whether a word can be corrected, and can be a correction. */
export const isCorrectable = (word: string): boolean =>
  word.length >= MIN_LENGTH && word.length <= MAX_LENGTH && LETTERS.test(word)

/** Returns the maximum number of wrong letters in a word. */
export const maxMistakes = (word: string): number => (word.length < TWO_FROM ? 1 : 2)

/** Returns the hashes of a word's first characters with up to `mistakesIn` deletions. */
export function formsOf(word: string): number[] {
  const forms = new Set([word.slice(0, PREFIX)])
  let last = [...forms]
  for (let left = maxMistakes(word); left > 0; left--) {
    const next: string[] = []
    for (const form of last)
      for (let at = 0; at < form.length; at++) {
        const shorter = form.slice(0, at) + form.slice(at + 1)
        if (!forms.has(shorter)) next.push(shorter)
        forms.add(shorter)
      }
    last = next
  }
  return [...new Set([...forms].map(hash))]
}

/** Returns the signed 32-bit FNV-1a hash, which SQLite stores in four bytes. Words whose hashes collide are distinguished by their distance. */
function hash(text: string): number {
  let value = 0x811c9dc5 | 0
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value
}

/**
 * Returns the number of letters that must be changed, inserted, deleted or swapped with a neighbor to turn `a` into
 * `b`; `most + 1` if it is more than `most`.
 */
export function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let least = Math.min(required(last[j]) + 1, required(row[j - 1]) + 1, required(last[j - 1]) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, required(before[j - 2]) + 1)
      row.push(least)
    }
    if (Math.min(...row) > most) return most + 1
    before = last
    last = row
  }
  return required(last[b.length])
}
