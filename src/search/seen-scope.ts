/**
 * A scope with some pages of a space's file, for callers that do not see all of them. The other pages do not affect the
 * result. SQLite's statistics cover the whole file, so they are not used: a word counts if a page of the scope contains
 * it, and matches are ranked by the scope's own statistics.
 */
import { required } from '../kernel/defined.js'
import {
  END,
  type Expanded,
  FREQUENCIES,
  MAX_PAGES,
  type MatchedPage,
  MAX_RANKED,
  type Scope,
  MAX_PREFIX_WORDS,
  WEIGHTS,
} from './scope.js'
import { matchesIn } from './snippet.js'
import { SECTION_BITS, type SpaceFile, textOf } from './space-file.js'

/**
 * Maximum number of words that are examined for a prefix of one or two letters. Each one needs a query for a page of
 * the scope that contains it.
 */
const MAX_EXAMINED = 200
/**
 * Maximum number of characters per query in which words are counted. In later sections, each term counts as one word of
 * the text.
 */
const MAX_COUNTED = 256 * 1024
/** The average length of a section, in characters. */
const AVERAGE_LENGTH = 600
/** The constants of BM25, as in SQLite: the saturation of word frequency, and the influence of length. */
const BM25 = { k: 1.2, b: 0.75 }

const SEEN = `rowid >> ${SECTION_BITS} IN (SELECT blob FROM temp.seen_blobs)`

/** Returns the scope of the given pages (ID and blob) that are the same in the file. */
export function seenScope(file: SpaceFile, pages: readonly (readonly [id: string, oid: string])[]): Scope {
  setSeen(file, pages)
  const inText = (expression: string): boolean =>
    file.value(`SELECT 1 FROM section_words WHERE section_words MATCH ? AND ${SEEN} LIMIT 1`, expression) !== undefined
  const inTitle = (expression: string): boolean =>
    file.value(
      'SELECT 1 FROM page_words WHERE page_words MATCH ? AND rowid IN (SELECT n FROM temp.seen_pages) LIMIT 1',
      expression,
    ) !== undefined
  const has = (expression: string): boolean => inText(expression) || inTitle(expression)
  const counts = new Map<string, number>()
  const count = (expression: string): number => {
    const known =
      counts.get(expression) ??
      Number(file.value(`SELECT count(*) FROM section_words WHERE section_words MATCH ? AND ${SEEN}`, expression))
    counts.set(expression, known)
    return known
  }
  const all = Number(
    file.value(
      `SELECT count(*) FROM section_words_docsize WHERE id >> ${SECTION_BITS} IN (SELECT blob FROM temp.seen_blobs)`,
    ),
  )
  const weightedTerms = (terms: readonly Expanded[]): WeightedTerm[] =>
    terms.map((term) => ({ term, worth: worthOf(all, term.expression === null ? 0 : count(term.expression)) }))
  // Size limit: the sections of one query
  const known = new Map<number, number>()
  return {
    file,
    hasWord: (word) => has(`"${word}"`),
    hasWordFrom: (start) => has(`"${start}"*`),
    wordsFrom: (start) => wordsFrom(file, start, inTitle, count),
    frequencyOf: ({ expression }) => (expression === null ? 0 : count(expression)),
    sectionCount: () => all,
    titles: (expression) =>
      file
        .rows<[number, string]>(
          `SELECT n, ${textOf('words')} FROM page_words JOIN pages ON n = page_words.rowid WHERE page_words MATCH ? AND n IN (SELECT n FROM temp.seen_pages) LIMIT ?`,
          expression,
          MAX_RANKED,
        )
        .map(([n, words]) => [n, 0, words]),
    sections: (expression, terms) => ranked(file, expression, weightedTerms(terms), known),
  }
}

function setSeen(file: SpaceFile, pages: readonly (readonly [id: string, oid: string])[]): void {
  file.run('CREATE TEMP TABLE IF NOT EXISTS seen_pages (n INTEGER PRIMARY KEY, blob INTEGER NOT NULL)')
  file.run('CREATE INDEX IF NOT EXISTS temp.seen_pages_by_blob ON seen_pages (blob)')
  file.run('CREATE TEMP TABLE IF NOT EXISTS seen_blobs (blob INTEGER PRIMARY KEY)')
  file.run('DELETE FROM temp.seen_pages')
  file.run('DELETE FROM temp.seen_blobs')
  const same =
    'SELECT n, blob FROM json_each(?) JOIN blobs ON oid = value ->> 1 JOIN pages ON pages.id = value ->> 0 AND blob = blobs.id'
  file.run(`INSERT OR IGNORE INTO temp.seen_pages ${same}`, JSON.stringify(pages))
  file.run('INSERT OR IGNORE INTO temp.seen_blobs SELECT blob FROM temp.seen_pages')
}

function wordsFrom(
  file: SpaceFile,
  start: string,
  inTitle: (expression: string) => boolean,
  count: (expression: string) => number,
): string[] {
  const withPrefix = (column: string): string[] =>
    file
      .rows<[string]>(
        `SELECT ${textOf('word')} FROM words WHERE word > ? AND word < ? AND ${column} > 0 ORDER BY word LIMIT ${MAX_EXAMINED}`,
        start,
        start + END,
      )
      .map(([word]) => word)
  const [texts, titles] = [withPrefix(FREQUENCIES[0]), withPrefix(FREQUENCIES[1])]
  const counted = texts.map((word) => ({ word, times: count(`"${word}"`) })).filter(({ times }) => times > 0)
  const frequent = counted.sort((a, b) => b.times - a.times || (a.word < b.word ? -1 : 1)).slice(0, MAX_PREFIX_WORDS)
  return [
    ...frequent.map(({ word }) => word),
    ...titles.filter((word) => inTitle(`"${word}"`)).slice(0, MAX_PREFIX_WORDS),
  ]
}

/** Returns the weight of a term. Rare terms weigh more. */
const worthOf = (sections: number, having: number): number =>
  Math.max(1e-6, Math.log((sections - having + 0.5) / (having + 0.5)))

interface WeightedTerm {
  term: Expanded
  worth: number
}

/** @param scores the scores of sections that were already examined for the same terms */
function ranked(
  file: SpaceFile,
  expression: string,
  terms: readonly WeightedTerm[],
  scores: Map<number, number>,
): MatchedPage[] {
  const found = new Map<number, [section: number, score: number][]>()
  let left = MAX_COUNTED
  const matched = `SELECT rowid AS section FROM section_words WHERE section_words MATCH ? AND ${SEEN} LIMIT ?`
  const sql = `SELECT n, section FROM (${matched}) JOIN temp.seen_pages ON blob = section >> ${SECTION_BITS}`
  for (const [n, section] of file.rows<[number, number]>(sql, expression, MAX_RANKED)) {
    if (!scores.has(section)) {
      const [row] =
        left > 0
          ? file.rows<[string, string]>(
              `SELECT ${textOf('title')}, ${textOf('text')} FROM sections WHERE id = ?`,
              section,
            )
          : []
      left -= row ? row[0].length + row[1].length : 0
      scores.set(section, scoreOf(row && left > 0 ? row : ['', ''], terms))
    }
    const sections = found.get(n) ?? []
    sections.push([section, required(scores.get(section))])
    found.set(n, sections)
  }
  const pages = [...found].map(([n, sections]) => ({
    n,
    best: Math.max(...sections.map(([, score]) => score)),
    sections,
  }))
  return pages.sort((a, b) => b.best - a.best || a.n - b.n).slice(0, MAX_PAGES)
}

/** Returns the BM25 score, with a fixed average length instead of the mean over all sections. */
function scoreOf([title, text]: readonly [string, string], terms: readonly WeightedTerm[]): number {
  const expanded = terms.map(({ term }) => term)
  const times = terms.map(() => 0)
  for (const { term } of matchesIn(title, expanded)) times[term] = required(times[term]) + WEIGHTS.title
  for (const { term } of matchesIn(text, expanded)) times[term] = required(times[term]) + WEIGHTS.text
  const long = BM25.k * (1 - BM25.b + (BM25.b * text.length) / AVERAGE_LENGTH)
  // A term that is in neither the title nor the text matched elsewhere on the page. It gets the same weight in all
  // sections.
  return terms.reduce(
    (sum, { worth }, index) =>
      sum + (worth * (times[index] || WEIGHTS.about) * (BM25.k + 1)) / ((times[index] || WEIGHTS.about) + long),
    0,
  )
}
