/**
 * The scope of a search: the whole file of a space, with SQLite's statistics. For a subset of its pages, see
 * `seen-scope.ts`.
 */
import { MAX_SECTIONS, type SpaceFile, textOf } from './space-file.js'

/** A term, expanded to words of a scope. */
export interface Expanded {
  /** The SQLite expression; null if nothing in the scope is similar. */
  expression: string | null
  words: ReadonlySet<string>
  prefix: string | null
  pairs: readonly string[]
}

/** A page with matching sections: the best score, and the score of each section by ID. */
export interface MatchedPage {
  n: number
  best: number
  sections: readonly (readonly [section: number, score: number])[]
}

/** A page with a matching title, and the words of the title, separated by spaces. */
export type MatchedTitle = readonly [n: number, score: number, words: string]

/** Words and matches. Nothing outside of the scope affects any result. */
export interface Scope {
  readonly file: SpaceFile
  hasWord(word: string): boolean
  hasWordFrom(start: string): boolean
  /** Returns the most frequent indexed words with this prefix. */
  wordsFrom(start: string): string[]
  /** Returns an upper limit for the number of sections that contain a term. */
  frequencyOf(term: Expanded): number
  sectionCount(): number
  /** Returns the pages whose title matches an expression. */
  titles(expression: string): MatchedTitle[]
  /** Returns the pages with matching sections, best first. */
  sections(expression: string, terms: readonly Expanded[]): MatchedPage[]
}

/** Maximum number of matching sections that are ranked for one query, in SQLite's order. */
export const MAX_RANKED = 4_000
/** Maximum number of pages in the result of a query. */
export const MAX_PAGES = 1_000
/** Maximum number of words for a prefix of one or two letters. */
export const MAX_PREFIX_WORDS = 8
/** The weight of a match in a text, in a heading, and in the subject of a page. */
export const WEIGHTS = { text: 2, title: 6, about: 1 }
/** A string greater than every character of a word. */
export const END = '\u{10ffff}'
/** The columns with the frequencies of a word. */
export const FREQUENCIES = ['sections', 'titles'] as const

/** Maximum number of words that are examined for a prefix of one or two letters. */
const MAX_EXAMINED = 2_000
/** Maximum number of words whose sections are counted for a prefix. */
const MAX_COUNTED = 2_000

/** Returns the scope of all pages of a file. */
export function wholeScope(file: SpaceFile): Scope {
  return {
    file,
    hasWord: (word) => file.value('SELECT 1 FROM words WHERE word = ?', word) !== undefined,
    hasWordFrom: (start) =>
      file.value('SELECT 1 FROM words WHERE word >= ? AND word < ? LIMIT 1', start, start + END) !== undefined,
    wordsFrom: (start) =>
      FREQUENCIES.flatMap((column) => {
        const examined = `SELECT word, ${column} AS times FROM words WHERE word > ? AND word < ? AND ${column} > 0 ORDER BY word LIMIT ${MAX_EXAMINED}`
        return file.rows<[string]>(
          `SELECT ${textOf('word')} FROM (${examined}) ORDER BY times DESC LIMIT ${MAX_PREFIX_WORDS}`,
          start,
          start + END,
        )
      }).map(([word]) => word),
    frequencyOf: (term) => frequencyIn(file, term),
    sectionCount: () => Number(file.value('SELECT count(*) FROM section_words_docsize')),
    titles: (expression) => titlesIn(file, expression),
    sections: (expression) => sectionsIn(file, expression),
  }
}

/** Counts the sections of a term. Its words are counted one by one, so a section with two of them counts twice. */
function frequencyIn(file: SpaceFile, { words, prefix, pairs }: Expanded): number {
  let sections = 0
  for (const word of pairs.length > 0 ? pairs.slice(0, 1) : words)
    sections += Number(file.value('SELECT sections FROM words WHERE word = ?', word) ?? 0)
  if (prefix === null) return sections
  const withPrefix = `SELECT sum(sections) FROM (SELECT sections FROM words WHERE word >= ? AND word < ? ORDER BY word LIMIT ${MAX_COUNTED})`
  return sections + Number(file.value(withPrefix, prefix, prefix + END) ?? 0)
}

/**
 * Returns the rows of a query with up to three columns. They are passed as JSON arrays, because the library needs
 * microseconds for each value.
 */
function columnsOf<A, B = never, C = never>(
  file: SpaceFile,
  columns: string,
  from: string,
  ...values: unknown[]
): [A, B, C][] {
  const lists = columns.split(', ').map((column) => textOf(`json_group_array(${column})`))
  const [row = []] = file.rows<string[]>(`SELECT ${lists.join(', ')} FROM ${from}`, ...values)
  const parsed = row.map((list) => JSON.parse(list))
  return parsed[0].map((_: unknown, index: number) => parsed.map((list) => list[index]))
}

function titlesIn(file: SpaceFile, expression: string): MatchedTitle[] {
  const ranked = 'SELECT rowid AS page, -bm25(page_words) AS score FROM page_words WHERE page_words MATCH ? LIMIT ?'
  return columnsOf<number, number, string>(
    file,
    'n, score, words',
    `(${ranked}) JOIN pages ON n = page`,
    expression,
    MAX_RANKED,
  )
}

function sectionsIn(file: SpaceFile, expression: string): MatchedPage[] {
  const ranked = `SELECT rowid AS section, -bm25(section_words, ${Object.values(WEIGHTS).join('.0, ')}.0) AS score FROM section_words WHERE section_words MATCH ? LIMIT ?`
  const blobs = new Map<number, { best: number; sections: [section: number, score: number][] }>()
  for (const [section, score] of columnsOf<number, number>(
    file,
    'section, score',
    `(${ranked})`,
    expression,
    MAX_RANKED,
  )) {
    const blob = Math.floor(section / MAX_SECTIONS)
    const known = blobs.get(blob)
    if (known) {
      known.best = Math.max(known.best, score)
      known.sections.push([section, score])
    } else blobs.set(blob, { best: score, sections: [[section, score]] })
  }
  const best = [...blobs].sort(([, a], [, b]) => b.best - a.best).slice(0, MAX_PAGES)
  const pages = columnsOf<number, number>(
    file,
    'n, blob',
    'json_each(?) JOIN pages ON blob = value',
    JSON.stringify(best.map(([blob]) => blob)),
  )
  return pages
    .flatMap(([n, blob]) => {
      const matched = blobs.get(blob)
      return matched ? [{ n, ...matched }] : []
    })
    .sort((a, b) => b.best - a.best || a.n - b.n)
    .slice(0, MAX_PAGES)
}
