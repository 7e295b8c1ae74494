/** Generates numbers and words that are the same in every run. */

/** Returns a generator of numbers from 0 to 1 without 1. */
export function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const CONSONANTS = 'bcdfghklmnprstvz'
const VOWELS = 'aeiou'

/** Returns a generator of words with the frequencies of a language: the n-th word is n times as rare as the first. */
function vocabulary(count: number, make: (next: () => number) => string): (next: () => number) => string {
  const next = numbers(count)
  const words = [...new Set(Array.from({ length: count }, () => make(next)))]
  return (random) => words[Math.floor(words.length ** random()) - 1] ?? (words[0] as string)
}

/** Returns words of one to four syllables. */
export const latin = vocabulary(
  60_000,
  (next) =>
    Array.from(
      { length: 1 + Math.floor(next() * 4) },
      () => (CONSONANTS[Math.floor(next() * 16)] as string) + VOWELS[Math.floor(next() * 5)],
    ).join('') + (next() < 0.5 ? 'n' : ''),
)

/** Returns words of two characters. */
export const chinese = vocabulary(20_000, (next) =>
  Array.from({ length: 2 }, () => String.fromCharCode(0x4e00 + Math.floor(next() * 3_000))).join(''),
)
