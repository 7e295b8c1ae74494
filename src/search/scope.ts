/**
 * The scope of a search: the whole file of a space, with SQLite's statistics. For a subset of its pages, see
 * `seen-scope.ts`.
 */
import { SECTION_BITS, type SpaceFile, textOf } from './space-file.js'

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
  titles(expression: string): [n: number, score: number, title: string][]
  /** Returns the pages with matching sections, best first. */
  sections(expression: string, terms: readonly Expanded[]): MatchedPage[]
}

/** Maximum number of matching sections that are ranked for one query, in SQLite's order. */
export const MAX_RANKED = 4_000
/** Maximum number of pages in the result of a query. */
export const MAX_PAGES = 1_000
/** Maximum number of words for a prefix of one or two letters. */
export const MAX_PREFIX_WORDS = 8
/** The weight of a match in the subject of a page, in a heading, and in a text. */
export const WEIGHTS = { about: 1, title: 6, text: 2 }
/** A string greater than every character of a word. */
export const END = '\u{10ffff}'
export const VOCABULARIES = ['words', 'title_words'] as const

/** Maximum number of words that are examined for a prefix of one or two letters. */
const MAX_EXAMINED = 2_000
/** Maximum number of words whose sections are counted for a prefix. */
const MAX_COUNTED = 2_000

/** Returns the scope of all pages of a file. */
export function wholeScope(file: SpaceFile): Scope {
  const hasWordFrom = (start: string): boolean =>
    VOCABULARIES.some(
      (table) =>
        file.value(`SELECT 1 FROM ${table} WHERE term >= ? AND term < ? LIMIT 1`, start, start + END) !== undefined,
    )
  const wordsFrom = (start: string): string[] =>
    VOCABULARIES.flatMap((table) => {
      const examined = `SELECT term, doc FROM ${table} WHERE term > ? AND term < ? LIMIT ${MAX_EXAMINED}`
      return file.rows<[string]>(
        `SELECT ${textOf('term')} FROM (${examined}) ORDER BY doc DESC LIMIT ${MAX_PREFIX_WORDS}`,
        start,
        start + END,
      )
    }).map(([word]) => word)
  return {
    file,
    hasWord: (word) =>
      VOCABULARIES.some((table) => file.value(`SELECT 1 FROM ${table} WHERE term = ?`, word) !== undefined),
    hasWordFrom,
    wordsFrom,
    frequencyOf: (term) => frequencyIn(file, term),
    sectionCount: () => Number(file.value('SELECT count(*) FROM section_words_docsize')),
    titles: (expression) =>
      file.rows(
        `SELECT n, score, ${textOf('title')} FROM (SELECT rowid, -bm25(page_words) AS score FROM page_words WHERE page_words MATCH ? LIMIT ?) AS r JOIN pages ON n = r.rowid`,
        expression,
        MAX_RANKED,
      ),
    sections: (expression) => sectionsIn(file, expression),
  }
}

/** Counts the sections of a term. Its words are counted one by one, so a section with two of them counts twice. */
function frequencyIn(file: SpaceFile, { words, prefix, pairs }: Expanded): number {
  let sections = 0
  for (const word of pairs.length > 0 ? pairs.slice(0, 1) : words)
    sections += Number(file.value('SELECT doc FROM words WHERE term = ?', word) ?? 0)
  if (prefix === null) return sections
  const withPrefix = `SELECT sum(doc) FROM (SELECT doc FROM words WHERE term >= ? AND term < ? LIMIT ${MAX_COUNTED})`
  return sections + Number(file.value(withPrefix, prefix, prefix + END) ?? 0)
}

function sectionsIn(file: SpaceFile, expression: string): MatchedPage[] {
  const weights = `${WEIGHTS.about}.0, ${WEIGHTS.title}.0, ${WEIGHTS.text}.0`
  const ranked = `SELECT rowid AS section, -bm25(section_words, ${weights}) AS score FROM section_words WHERE section_words MATCH ? LIMIT ?`
  const sql = `SELECT n, max(score) AS best, json_group_array(section), json_group_array(score) FROM (${ranked})
    JOIN pages ON pages.blob = section >> ${SECTION_BITS} GROUP BY n ORDER BY best DESC LIMIT ?`
  return file
    .rows<[number, number, string, string]>(sql, expression, MAX_RANKED, MAX_PAGES)
    .map(([n, best, ids, scores]) => {
      const of: number[] = JSON.parse(scores)
      const sections: number[] = JSON.parse(ids)
      return {
        n,
        best,
        sections: sections.map((section, index) => [section, of[index] ?? 0] as const),
      }
    })
}
