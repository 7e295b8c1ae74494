import fc, { type Arbitrary } from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }
const LAST = 0x10ffff

/**
 * Any code point except half a surrogate pair. fast-check's `unit: 'binary'` generates these too, but builds a table of
 * all 1.1 million in each process, which takes 0.7 s and stays in memory.
 */
const codePoint = fc.integer({ min: 0, max: LAST - SURROGATES.count }).map(
  (n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count),
  (text) => {
    const n = typeof text === 'string' ? (text.codePointAt(0) ?? -1) : -1
    if (n < 0 || String.fromCodePoint(n) !== text || (n >= SURROGATES.first && n < SURROGATES.first + SURROGATES.count))
      throw new Error('no code point')
    return n < SURROGATES.first ? n : n - SURROGATES.count
  },
)

/** Texts of any characters. Lengths are in code points. */
export const unicodeText = (length: { minLength?: number; maxLength?: number } = {}): Arbitrary<string> =>
  fc.string({ ...length, unit: codePoint })
