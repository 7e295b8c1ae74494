/** Finds the pages of a space in its file, best first. */
import { expand, termsOf } from './query.js'
import { type Expanded, MAX_PAGES, type Scope, wholeScope } from './scope.js'
import { seenScope } from './seen-scope.js'
import { matchesIn, snippet } from './snippet.js'
import { type SpaceFile, sumOf, textOf } from './space-file.js'
import { eachToken } from './tokens.js'
import type { FoundPage, FoundSection, SpaceHits, SpaceQuery } from './types.js'
import { revisionOf } from './update.js'

/** Sections of a page that are shown. */
const MAX_SECTIONS = 5
/** Characters of texts in which matches are marked, for one query. Later sections begin at their beginning, without marks. */
const MARKED = 4 * 1024 * 1024

/** What matches decides first, then how much. */
const TIERS = { title: 3_000, heading: 2_000, text: 1_000, most: 0, some: 0 }
interface Candidate {
  n: number
  score: number
  /** Sections by ID, with their score. */
  sections: Map<number, number>
}

/** Finds pages. Whatever the query says, what it makes SQLite do is bounded. */
export function findPages(file: SpaceFile, query: SpaceQuery): SpaceHits {
  const revision = revisionOf(file)
  const scope = query.allowed ? seenScope(file, query.allowed) : wholeScope(file)
  const terms = termsOf(query.query).map((term) => expand(scope, term))
  const found = new Map<number, Candidate>()
  const expressions = terms.flatMap(({ expression }) => expression ?? [])
  if (expressions.length > 0 && expressions.length === terms.length) collect(scope, terms, query.query, found)
  if (found.size === 0 && expressions.length > 0 && terms.length > 1) collectSome(scope, terms, found)
  const ranked = [...found.values()].sort((a, b) => b.score - a.score || a.n - b.n).slice(0, MAX_PAGES)
  return {
    revision,
    count: ranked.length,
    pages: present(file, ranked.slice(query.offset, query.offset + query.limit), terms),
  }
}

const expressionOf = (terms: readonly Expanded[], operator: 'AND' | 'OR'): string =>
  terms.map(({ expression }) => expression).join(` ${operator} `)

function collect(scope: Scope, terms: readonly Expanded[], query: string, found: Map<number, Candidate>): void {
  const expression = expressionOf(terms, 'AND')
  const wanted = wordsOf(query)
  for (const [n, score, title] of scope.titles(expression)) {
    const words = wordsOf(title)
    // Of titles with the same words, the shorter ones are nearer to the query.
    const near = words.join(' ') === wanted.join(' ') ? 500 : 100 / (1 + words.length)
    candidate(found, n, TIERS.title + near + Math.min(300, score))
  }
  addSections(scope, `{title} : (${expression})`, terms, TIERS.heading, found)
  addSections(scope, expression, terms, TIERS.text, found)
}

/** Sections that have some of the words: first those with all that are not in every tenth section (`the`, `how`), then those with any. */
function collectSome(scope: Scope, terms: readonly Expanded[], found: Map<number, Candidate>): void {
  const common = scope.sectionCount() / 10
  const known = terms.filter(({ expression }) => expression !== null)
  const rare = known.filter((term) => scope.frequencyOf(term) <= common)
  const taken = rare.length > 0 ? rare : known
  if (taken.length < terms.length) addSections(scope, expressionOf(taken, 'AND'), taken, TIERS.most, found)
  if (found.size === 0) addSections(scope, expressionOf(taken, 'OR'), taken, TIERS.some, found)
}

function wordsOf(text: string): string[] {
  const words: string[] = []
  eachToken(text, ({ word }) => words.push(word))
  return words
}

function addSections(
  scope: Scope,
  expression: string,
  terms: readonly Expanded[],
  tier: number,
  found: Map<number, Candidate>,
): void {
  for (const { n, best, sections } of scope.sections(expression, terms)) {
    const one = candidate(found, n, tier + Math.min(900, best))
    for (const [section, score] of sections)
      one.sections.set(section, Math.max(one.sections.get(section) ?? 0, tier + score))
  }
}

function candidate(found: Map<number, Candidate>, n: number, score: number): Candidate {
  const known = found.get(n) ?? { n, score, sections: new Map<number, number>() }
  known.score = Math.max(known.score, score)
  found.set(n, known)
  return known
}

const PAGE = `SELECT ${textOf('id')}, blob, ${textOf('title')}, ${textOf('path')}, sum FROM pages WHERE n = ?`
const SECTION = `SELECT ${textOf('anchor')}, ${textOf('title')}, ${textOf('text')}, sum FROM sections WHERE id = ?`

/** Throws if a row is not as it was written: the file is damaged then. */
function mustBe(sum: number, ...values: readonly (string | number | null)[]): void {
  if (sumOf(...values) !== sum) throw new Error('the checksum of a row is wrong')
}

function present(file: SpaceFile, ranked: readonly Candidate[], terms: readonly Expanded[]): FoundPage[] {
  let left = MARKED
  return ranked.flatMap(({ n, score, sections }) => {
    const [page] = file.rows<[string, number, string, string, number]>(PAGE, n)
    if (!page) return []
    const [pageId, blob, pageTitle, path, sum] = page
    mustBe(sum, pageId, blob, pageTitle, path)
    const best = [...sections].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MAX_SECTIONS)
    const shown = best.flatMap(([id, own]): FoundSection[] => {
      const [row] = file.rows<[string | null, string, string, number]>(SECTION, id)
      if (!row) return []
      const [anchor, title, text, of] = row
      mustBe(of, id, anchor, title, text)
      const { body, matches } = snippet(text, left > 0 ? terms : [])
      left -= text.length
      // A section that matches by what its page is about alone tells nothing that the page's title does not.
      return left > 0 && matches === 0 && matchesIn(title, terms).length === 0
        ? []
        : [{ anchor, title, body, score: own }]
    })
    return [{ id: pageId, title: pageTitle, path, score, sections: shown }]
  })
}
