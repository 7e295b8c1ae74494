/** A dictionary of deletions: words that are alike have a form in common once letters are left out of both. */

/** Words outside of these lengths are not corrected. */
const SHORTEST = 4
const LONGEST = 24
/** From this length on, two letters may be wrong; up to it, one. */
const TWO_FROM = 8
/** Letters are left out of the beginning of a word alone, so that a word has at most 29 forms. */
const PREFIX = 7

const LETTERS = /^[\p{L}\p{M}]+$/u

/** Whether a word can be corrected, and corrections can be found to it. */
export const isCorrectable = (word: string): boolean =>
  word.length >= SHORTEST && word.length <= LONGEST && LETTERS.test(word)

/** How many letters of a word may be wrong. */
export const mistakesIn = (word: string): number => (word.length < TWO_FROM ? 1 : 2)

/** The hashes of a word's beginning without up to `mistakesIn` of its letters. */
export function formsOf(word: string): number[] {
  const forms = new Set([word.slice(0, PREFIX)])
  let last = [...forms]
  for (let left = mistakesIn(word); left > 0; left--) {
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

/** FNV-1a, 32 bits. Words that share a hash by chance are told apart by their distance. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}

/** How many letters must be changed, added, left out, or exchanged with their neighbour, to make `b` of `a`; more than `most` counts as `most + 1`. */
export function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let least = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (same ? 0 : 1),
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] as number) + 1)
      row.push(least)
    }
    if (Math.min(...row) > most) return most + 1
    before = last
    last = row
  }
  return last[b.length] as number
}
