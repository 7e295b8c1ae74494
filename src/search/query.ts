/** What people type, as terms; and terms as an expression for SQLite, by the words that a space has. */
import type { SpaceFile } from './space-file.js'
import { eachToken } from './tokens.js'
import { distance, formsOf, isCorrectable, mistakesIn } from './typos.js'

/** A word, or a run of characters of a script without spaces, as its pairs. */
export type Term = { word: string; last: boolean } | { pairs: readonly string[] }

/** Most terms of a query; further ones are ignored. */
const MAX_TERMS = 12
/** Most pairs of one run. */
const MAX_PAIRS = 32

/** The terms of a query. The last word may be unfinished. */
export function termsOf(query: string): Term[] {
  const terms: Term[] = []
  let run: string[] = []
  let end = -1
  const flush = (): void => {
    // The last character of a run stands alone, too; it says nothing beside its pair.
    if (run.length > 0) terms.push({ pairs: run.slice(0, Math.max(1, run.length - 1)).slice(0, MAX_PAIRS) })
    run = []
  }
  eachToken(query, (token) => {
    if (!token.pair || token.start >= end) flush()
    // The parts of a name follow the whole.
    const isPart = !token.pair && token.start < end
    end = Math.max(end, token.end)
    if (token.pair) run.push(token.word)
    else if (!isPart) terms.push({ word: token.word, last: false })
  })
  flush()
  const seen = new Set<string>()
  const unique = terms.filter((term) => !seen.has(JSON.stringify(term)) && seen.add(JSON.stringify(term))).slice(0, MAX_TERMS)
  const last = unique.at(-1)
  if (last && 'word' in last && /[\p{L}\p{M}\p{N}]$/u.test(query)) last.last = true
  return unique
}

/** A term by the words of a space. */
export interface Expanded {
  /** For SQLite; null if nothing in the space is like it. */
  expression: string | null
  words: ReadonlySet<string>
  prefix: string | null
  pairs: readonly string[]
}

/** Words that a beginning of one or two letters stands for: the most frequent ones of those that are looked at. */
const SHORT_WORDS = { looked: 2_000, taken: 8 }
/** Words that a word with mistakes stands for. */
const MAX_CORRECTIONS = 5
/** Greater than every character of a word. */
const END = '\u{10ffff}'

// A word has letters, marks and digits only (`tokens.ts`), so nothing in it needs to be escaped.
const quoted = (word: string): string => `"${word}"`

/** What a term stands for in a space: itself, words that begin with it, or (if there are none) words that are like it. */
export function expand(file: SpaceFile, term: Term): Expanded {
  if ('pairs' in term) return expandPairs(file, term.pairs)
  const { word, last } = term
  const words = new Set<string>()
  let prefix: string | null = null
  if (isWord(file, word)) words.add(word)
  if (last || words.size === 0) {
    if ([...word].length <= 2) for (const one of wordsFrom(file, word)) words.add(one)
    else if (hasWordFrom(file, word)) prefix = word
  }
  if (words.size === 0 && prefix === null) for (const one of corrections(file, word)) words.add(one)
  const alternatives = [...words].map(quoted)
  if (prefix !== null) alternatives.push(`${quoted(prefix)}*`)
  return { expression: alternatives.length === 0 ? null : `(${alternatives.join(' OR ')})`, words, prefix, pairs: [] }
}

function expandPairs(file: SpaceFile, pairs: readonly string[]): Expanded {
  const [first = ''] = pairs
  if (pairs.length > 1 || [...first].length > 1) return { expression: `(${pairs.map(quoted).join(' + ')})`, words: new Set(), prefix: null, pairs }
  const words = new Set([first, ...wordsFrom(file, first)])
  return { expression: `(${[...words].map(quoted).join(' OR ')})`, words, prefix: null, pairs: [] }
}

const VOCABULARIES = ['words', 'title_words'] as const

const isWord = (file: SpaceFile, word: string): boolean => VOCABULARIES.some((table) => file.value(`SELECT 1 FROM ${table} WHERE term = ?`, word) !== undefined)

const hasWordFrom = (file: SpaceFile, start: string): boolean =>
  VOCABULARIES.some((table) => file.value(`SELECT 1 FROM ${table} WHERE term >= ? AND term < ? LIMIT 1`, start, start + END) !== undefined)

function wordsFrom(file: SpaceFile, start: string): string[] {
  const { looked, taken } = SHORT_WORDS
  return VOCABULARIES.flatMap((table) =>
    file.rows<[string]>(
      `SELECT term FROM (SELECT term, doc FROM ${table} WHERE term > ? AND term < ? LIMIT ${looked}) ORDER BY doc DESC LIMIT ${taken}`,
      start,
      start + END,
    ),
  ).map(([word]) => word)
}

/** The words of the space that are most like a word with mistakes, the more frequent first. */
function corrections(file: SpaceFile, word: string): string[] {
  if (!isCorrectable(word)) return []
  const most = mistakesIn(word)
  const alike = file.rows<[string]>('SELECT DISTINCT word FROM json_each(?) JOIN forms ON hash = value', JSON.stringify(formsOf(word)))
  const found = alike.map(([one]) => ({ one, far: distance(word, one, most) })).filter(({ far }) => far <= most)
  const nearest = Math.min(...found.map(({ far }) => far))
  return found
    .filter(({ far, one }) => far === nearest && isWord(file, one))
    .slice(0, MAX_CORRECTIONS)
    .map(({ one }) => one)
}

/** Sections that are counted for a beginning of words. */
const COUNTED = 2_000

/** In how many sections a term is, at most: those of its words together. */
export function frequencyOf(file: SpaceFile, { words, prefix, pairs }: Expanded): number {
  let sections = 0
  for (const word of pairs.length > 0 ? pairs.slice(0, 1) : words) sections += Number(file.value('SELECT doc FROM words WHERE term = ?', word) ?? 0)
  if (prefix === null) return sections
  const begun = `SELECT sum(doc) FROM (SELECT doc FROM words WHERE term >= ? AND term < ? LIMIT ${COUNTED})`
  return sections + Number(file.value(begun, prefix, prefix + END) ?? 0)
}
