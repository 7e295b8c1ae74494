/** What a search looks at: the whole file of a space, whose statistics SQLite keeps. For some of its pages: `seen-scope.ts`. */
import { SECTION_BITS, type SpaceFile, textOf } from './space-file.js'

/** A term by the words of a scope. */
export interface Expanded {
  /** For SQLite; null if nothing in the scope is like it. */
  expression: string | null
  words: ReadonlySet<string>
  prefix: string | null
  pairs: readonly string[]
}

/** A page of which sections match: how well the best of them does, and each by its ID. */
export interface MatchedPage {
  n: number
  best: number
  sections: readonly (readonly [section: number, score: number])[]
}

/** Words and matches; nothing that is not in the scope has a part in any of it. */
export interface Scope {
  readonly file: SpaceFile
  hasWord(word: string): boolean
  hasWordFrom(start: string): boolean
  /** Words that begin so, of those that are looked at: the most frequent ones. */
  wordsFrom(start: string): string[]
  /** In how many sections a term is, at most. */
  frequencyOf(term: Expanded): number
  sectionCount(): number
  /** Pages whose title matches an expression. */
  titles(expression: string): [n: number, score: number, title: string][]
  /** Pages with sections that match, best first. */
  sections(expression: string, terms: readonly Expanded[]): MatchedPage[]
}

/** Sections that are ranked for one query, of those that match: the first ones that SQLite comes to. */
export const RANKED = 4_000
/** Pages that a query finds at most. */
export const MAX_PAGES = 1_000
/** Words that a beginning of one or two letters stands for. */
export const SHORT_WORDS = 8
/** How much a match weighs in what a page is about, in a heading, in a text. */
export const WEIGHTS = { about: 1, title: 6, text: 2 }
/** Greater than every character of a word. */
export const END = '\u{10ffff}'
export const VOCABULARIES = ['words', 'title_words'] as const

/** Words that are looked at for a beginning of one or two letters. */
const LOOKED_AT = 2_000
/** Sections that are counted for a beginning of words. */
const COUNTED = 2_000

/** All pages of a file. */
export function wholeScope(file: SpaceFile): Scope {
  const hasWordFrom = (start: string): boolean =>
    VOCABULARIES.some(
      (table) =>
        file.value(`SELECT 1 FROM ${table} WHERE term >= ? AND term < ? LIMIT 1`, start, start + END) !== undefined,
    )
  const wordsFrom = (start: string): string[] =>
    VOCABULARIES.flatMap((table) => {
      const looked = `SELECT term, doc FROM ${table} WHERE term > ? AND term < ? LIMIT ${LOOKED_AT}`
      return file.rows<[string]>(
        `SELECT ${textOf('term')} FROM (${looked}) ORDER BY doc DESC LIMIT ${SHORT_WORDS}`,
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
        RANKED,
      ),
    sections: (expression) => sectionsIn(file, expression),
  }
}

/** A term's words are counted one by one, so a section with two of them counts twice. */
function frequencyIn(file: SpaceFile, { words, prefix, pairs }: Expanded): number {
  let sections = 0
  for (const word of pairs.length > 0 ? pairs.slice(0, 1) : words)
    sections += Number(file.value('SELECT doc FROM words WHERE term = ?', word) ?? 0)
  if (prefix === null) return sections
  const begun = `SELECT sum(doc) FROM (SELECT doc FROM words WHERE term >= ? AND term < ? LIMIT ${COUNTED})`
  return sections + Number(file.value(begun, prefix, prefix + END) ?? 0)
}

function sectionsIn(file: SpaceFile, expression: string): MatchedPage[] {
  const weights = `${WEIGHTS.about}.0, ${WEIGHTS.title}.0, ${WEIGHTS.text}.0`
  const ranked = `SELECT rowid AS section, -bm25(section_words, ${weights}) AS score FROM section_words WHERE section_words MATCH ? LIMIT ?`
  const sql = `SELECT n, max(score) AS best, json_group_array(section), json_group_array(score) FROM (${ranked})
    JOIN pages ON pages.blob = section >> ${SECTION_BITS} GROUP BY n ORDER BY best DESC LIMIT ?`
  return file
    .rows<[number, number, string, string]>(sql, expression, RANKED, MAX_PAGES)
    .map(([n, best, ids, scores]) => {
      const of = JSON.parse(scores) as number[]
      return {
        n,
        best,
        sections: (JSON.parse(ids) as number[]).map((section, index) => [section, of[index] ?? 0] as const),
      }
    })
}
