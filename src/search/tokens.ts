/** Splits text into words for the index and for queries, by the same rules. */

/** A word in a text. */
export interface Token {
  /** The indexed form: lower case, without accents. */
  word: string
  /** UTF-16 offsets into the text. */
  start: number
  end: number
  /** Whether it is a character pair in a script without spaces, or the last character of such a run. */
  pair: boolean
}

/** Scripts without spaces between words, or between words and endings. They are indexed in character pairs. */
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}'
const UNSPACED_LETTER = `[[${UNSPACED}]&&[\\p{L}\\p{M}\\p{N}]]`
const RUN = new RegExp(`(${UNSPACED_LETTER}+)|[[\\p{L}\\p{M}\\p{N}]--${UNSPACED_LETTER}]+`, 'gv')

/** Maximum length of a word, in characters. Longer words are cut, because no one types them. */
const MAX_WORD = 40

const ASCII = /^[\0-\x7f]*$/
/** Accents and vowel points that readers of a script may omit. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g
const EQUIVALENTS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  ς: 'σ',
  ى: 'ي',
  ة: 'ه',
}
const EQUIVALENT_LETTER = new RegExp(`[${Object.keys(EQUIVALENTS).join('')}]`, 'g')

/** Characters other than letters that compatibility forms expand to: `⑴` is `(1)`. */
const OTHERS = /[^\p{L}\p{M}\p{N}]/gu

/** Characters of Chinese and Korean that have no other form, up to the length of a pair. */
const UNCHANGED = /^[\u4e00-\u9fff\uac00-\ud7a3]{1,2}$/

/** Returns the indexed form of a word. */
export function fold(word: string): string {
  if (UNCHANGED.test(word)) return word
  const cut =
    word.length > MAX_WORD
      ? Array.from(word.slice(0, 2 * MAX_WORD))
          .slice(0, MAX_WORD)
          .join('')
      : word
  if (ASCII.test(cut)) return cut.toLowerCase()
  return cut
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(EQUIVALENT_LETTER, (letter) => EQUIVALENTS[letter] ?? letter)
    .replace(OTHERS, '')
}

/** Matches the boundaries in a name such as `listAllPages`. */
const HUMP = /(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u

/** Calls `use` with each word of a text, in order. The parts of a name such as `listAllPages` follow the whole name. */
export function eachToken(text: string, use: (token: Token) => void): void {
  RUN.lastIndex = 0
  for (let run = RUN.exec(text); run; run = RUN.exec(text)) {
    const [whole, unspaced] = run
    const start = run.index
    if (unspaced !== undefined) pairs(unspaced, start, use)
    else {
      const word = fold(whole)
      if (word === '') continue
      use({ word, start, end: start + whole.length, pair: false })
      if (word !== whole && whole.length > 3 && whole.length <= MAX_WORD && HUMP.test(whole)) parts(whole, start, use)
    }
  }
}

function pairs(run: string, start: number, use: (token: Token) => void): void {
  const letters = Array.from(run)
  let at = start
  for (const [index, letter] of letters.entries()) {
    const next = letters[index + 1]
    const word = fold(letter + (next ?? ''))
    if (word !== '') use({ word, start: at, end: at + letter.length + (next?.length ?? 0), pair: true })
    at += letter.length
  }
}

function parts(name: string, start: number, use: (token: Token) => void): void {
  let at = start
  for (const part of name.split(HUMP)) {
    const word = fold(part)
    if (part.length > 1 && word !== '') use({ word, start: at, end: at + part.length, pair: false })
    at += part.length
  }
}

/** Returns the words of a text for the index. */
export function indexedWords(text: string): string[] {
  const words: string[] = []
  eachToken(text, ({ word }) => words.push(word))
  return words
}
