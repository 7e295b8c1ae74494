/** Finds the pages of a space in its file, best first. */
import { type Expanded, expand, frequencyOf, termsOf } from './query.js'
import { matchesIn, snippet } from './snippet.js'
import { SECTION_BITS, type SpaceFile } from './space-file.js'
import { eachToken } from './tokens.js'
import type { FoundPage, FoundSection, SpaceHits, SpaceQuery } from './types.js'
import { revisionOf } from './update.js'

/** Sections that are ranked for one query, of those that match: the first ones that SQLite comes to. */
const RANKED = 4_000
/** Pages that a query finds at most. */
const MAX_PAGES = 1_000
/** Sections of a page that are shown. */
const MAX_SECTIONS = 5
/** Characters of texts in which matches are marked, for one query. Later sections begin at their beginning, without marks. */
const MARKED = 4 * 1024 * 1024

/** What matches decides first, then how much. */
const TIERS = { title: 3_000, heading: 2_000, text: 1_000, most: 0, some: 0 }
/** How much a match weighs in what a page is about, in a heading, in a text. */
const WEIGHTS = '1.0, 6.0, 2.0'

interface Candidate {
  n: number
  score: number
  /** Sections by ID, with their score. */
  sections: Map<number, number>
}

/** Finds pages. Whatever the query says, what it makes SQLite do is bounded. */
export function findPages(file: SpaceFile, query: SpaceQuery): SpaceHits {
  const revision = revisionOf(file)
  const terms = termsOf(query.query).map((term) => expand(file, term))
  const found = new Map<number, Candidate>()
  const expressions = terms.flatMap(({ expression }) => expression ?? [])
  if (expressions.length > 0 && expressions.length === terms.length) collect(file, expressions.join(' AND '), query.query, found)
  if (found.size === 0 && expressions.length > 0 && terms.length > 1) collectSome(file, terms, found)
  const allowed = query.allowed && allowedIn(file, query.allowed)
  const ranked = [...found.values()]
    .filter(({ n }) => allowed === undefined || allowed.has(n))
    .sort((a, b) => b.score - a.score || a.n - b.n)
    .slice(0, MAX_PAGES)
  return { revision, count: ranked.length, pages: present(file, ranked.slice(query.offset, query.offset + query.limit), terms) }
}

/** The pages that are the same in another revision: by ID and blob. */
function allowedIn(file: SpaceFile, allowed: NonNullable<SpaceQuery['allowed']>): Set<number> {
  const same = 'SELECT n FROM json_each(?) JOIN blobs ON oid = value ->> 1 JOIN pages ON pages.id = value ->> 0 AND blob = blobs.id'
  return new Set(file.rows<[number]>(same, JSON.stringify(allowed)).map(([n]) => n))
}

function collect(file: SpaceFile, expression: string, query: string, found: Map<number, Candidate>): void {
  const titled =
    'SELECT n, score, title FROM (SELECT rowid, -bm25(page_words) AS score FROM page_words WHERE page_words MATCH ? LIMIT ?) AS r JOIN pages ON n = r.rowid'
  const wanted = wordsOf(query)
  for (const [n, score, title] of file.rows<[number, number, string]>(titled, expression, RANKED)) {
    const words = wordsOf(title)
    // Of titles with the same words, the shorter ones are nearer to the query.
    const near = words.join(' ') === wanted.join(' ') ? 500 : 100 / (1 + words.length)
    candidate(found, n, TIERS.title + near + Math.min(300, score))
  }
  addSections(file, `{title} : (${expression})`, TIERS.heading, found)
  addSections(file, expression, TIERS.text, found)
}

/** Sections that have some of the words: first those with all that are not in every tenth section (`the`, `how`), then those with any. */
function collectSome(file: SpaceFile, terms: readonly Expanded[], found: Map<number, Candidate>): void {
  const common = Number(file.value('SELECT count(*) FROM section_words_docsize')) / 10
  const known = terms.filter(({ expression }) => expression !== null)
  const rare = known.filter((term) => frequencyOf(file, term) <= common)
  const expressions = (rare.length > 0 ? rare : known).map(({ expression }) => expression)
  if (expressions.length < terms.length) addSections(file, expressions.join(' AND '), TIERS.most, found)
  if (found.size === 0) addSections(file, expressions.join(' OR '), TIERS.some, found)
}

function wordsOf(text: string): string[] {
  const words: string[] = []
  eachToken(text, ({ word }) => words.push(word))
  return words
}

function addSections(file: SpaceFile, expression: string, tier: number, found: Map<number, Candidate>): void {
  const ranked = `SELECT rowid AS section, -bm25(section_words, ${WEIGHTS}) AS score FROM section_words WHERE section_words MATCH ? LIMIT ?`
  const sql = `SELECT n, max(score) AS best, json_group_array(section), json_group_array(score) FROM (${ranked})
    JOIN pages ON pages.blob = section >> ${SECTION_BITS} GROUP BY n ORDER BY best DESC LIMIT ?`
  for (const [n, best, sections, scores] of file.rows<[number, number, string, string]>(sql, expression, RANKED, MAX_PAGES)) {
    const one = candidate(found, n, tier + Math.min(900, best))
    const of = JSON.parse(scores) as number[]
    for (const [index, section] of (JSON.parse(sections) as number[]).entries())
      one.sections.set(section, Math.max(one.sections.get(section) ?? 0, tier + (of[index] ?? 0)))
  }
}

function candidate(found: Map<number, Candidate>, n: number, score: number): Candidate {
  const known = found.get(n) ?? { n, score, sections: new Map<number, number>() }
  known.score = Math.max(known.score, score)
  found.set(n, known)
  return known
}

function present(file: SpaceFile, ranked: readonly Candidate[], terms: readonly Expanded[]): FoundPage[] {
  let left = MARKED
  return ranked.flatMap(({ n, score, sections }) => {
    const [page] = file.rows<[string, string, string]>('SELECT id, title, path FROM pages WHERE n = ?', n)
    if (!page) return []
    const best = [...sections].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MAX_SECTIONS)
    const shown = best.flatMap(([id]): FoundSection[] => {
      const [row] = file.rows<[string | null, string, string]>('SELECT anchor, title, text FROM sections WHERE id = ?', id)
      if (!row) return []
      const [anchor, title, text] = row
      const { body, matches } = snippet(text, left > 0 ? terms : [])
      left -= text.length
      // A section that matches by what its page is about alone tells nothing that the page's title does not.
      return left > 0 && matches === 0 && matchesIn(title, terms).length === 0 ? [] : [{ anchor, title, body }]
    })
    return [{ id: page[0], title: page[1], path: page[2], score, sections: shown }]
  })
}
