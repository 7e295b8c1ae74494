/** Finds the pages of a space in its index file, best first. */
import { expand, termsOf } from './query.js'
import { type Expanded, MAX_PAGES, type Scope, wholeScope } from './scope.js'
import { seenScope } from './seen-scope.js'
import { matchesIn, snippet } from './snippet.js'
import { type SpaceFile, textOf, verifyChecksum } from './space-file.js'
import { indexedWords } from './tokens.js'
import type { FoundPage, FoundSection, SpaceHits, SpaceQuery } from './types.js'
import { revisionOf } from './update.js'

/** Maximum number of sections that are shown per page. */
const MAX_SECTIONS = 5
/**
 * Maximum number of characters per query that are searched for matches to mark. Later sections start at their first
 * character, without marks.
 */
const MAX_MARKED = 4 * 1024 * 1024

/** Base scores by kind of match. The kind decides first, then the score within it. */
const TIERS = { title: 3_000, heading: 2_000, text: 1_000, most: 0, some: 0 }
interface Candidate {
  n: number
  score: number
  /** Scores of sections, by section ID. */
  sections: Map<number, number>
}

/** Finds pages. The work that a query causes in SQLite is bounded. */
export function findPages(file: SpaceFile, query: SpaceQuery): SpaceHits {
  const revision = revisionOf(file)
  if (revision === null) return { revision, count: 0, pages: [] }
  const scope = query.allowed ? seenScope(file, query.allowed) : wholeScope(file)
  const terms = termsOf(query.query).map((term) => expand(scope, term))
  const candidates = new Map<number, Candidate>()
  const expressions = terms.flatMap(({ expression }) => expression ?? [])
  if (expressions.length > 0 && expressions.length === terms.length) collect(scope, terms, query.query, candidates)
  if (candidates.size === 0 && expressions.length > 0 && terms.length > 1) collectPartial(scope, terms, candidates)
  const ranked = [...candidates.values()].sort((a, b) => b.score - a.score || a.n - b.n).slice(0, MAX_PAGES)
  return {
    revision,
    count: ranked.length,
    pages: present(file, ranked.slice(query.offset, query.offset + query.limit), terms),
  }
}

const expressionOf = (terms: readonly Expanded[], operator: 'AND' | 'OR'): string =>
  terms.map(({ expression }) => expression).join(` ${operator} `)

function collect(scope: Scope, terms: readonly Expanded[], query: string, candidates: Map<number, Candidate>): void {
  const expression = expressionOf(terms, 'AND')
  const wanted = indexedWords(query).join(' ')
  for (const [n, score, words] of scope.titles(expression)) {
    // Among titles with the same words, a shorter title is closer to the query.
    const near = words === wanted ? 500 : 100 / (1 + words.split(' ').length)
    candidate(candidates, n, TIERS.title + near + Math.min(300, score))
  }
  addSections(scope, `{title} : (${expression})`, terms, TIERS.heading, candidates)
  addSections(scope, expression, terms, TIERS.text, candidates)
}

/**
 * Finds sections with some of the words: first those with all rare words (words in less than a tenth of the sections,
 * unlike `the` or `how`), then those with any of them.
 */
function collectPartial(scope: Scope, terms: readonly Expanded[], candidates: Map<number, Candidate>): void {
  const common = scope.sectionCount() / 10
  const known = terms.filter(({ expression }) => expression !== null)
  const rare = known.filter((term) => scope.frequencyOf(term) <= common)
  const taken = rare.length > 0 ? rare : known
  if (taken.length < terms.length) addSections(scope, expressionOf(taken, 'AND'), taken, TIERS.most, candidates)
  if (candidates.size === 0) addSections(scope, expressionOf(taken, 'OR'), taken, TIERS.some, candidates)
}

function addSections(
  scope: Scope,
  expression: string,
  terms: readonly Expanded[],
  tier: number,
  candidates: Map<number, Candidate>,
): void {
  for (const { n, best, sections } of scope.sections(expression, terms)) {
    const one = candidate(candidates, n, tier + Math.min(900, best))
    for (const [section, score] of sections)
      one.sections.set(section, Math.max(one.sections.get(section) ?? 0, tier + score))
  }
}

function candidate(candidates: Map<number, Candidate>, n: number, score: number): Candidate {
  const known = candidates.get(n) ?? { n, score, sections: new Map<number, number>() }
  known.score = Math.max(known.score, score)
  candidates.set(n, known)
  return known
}

const PAGE = `SELECT ${textOf('id')}, blob, ${textOf('title')}, ${textOf('path')}, sum FROM pages WHERE n = ?`
type SectionRow = [id: number, anchor: string | null, title: string, text: string, sum: number]
/** Selects sections as one value, because the library needs microseconds for each value and for each call. */
const SECTIONS = `SELECT ${textOf('json_group_array(json_array(sections.id, anchor, title, text, sum))')} FROM json_each(?) JOIN sections ON sections.id = value`

function present(file: SpaceFile, ranked: readonly Candidate[], terms: readonly Expanded[]): FoundPage[] {
  let left = MAX_MARKED
  return ranked.flatMap(({ n, score, sections }) => {
    const [page] = file.rows<[string, number, string, string, number]>(PAGE, n)
    if (!page) return []
    const [pageId, blob, pageTitle, path, sum] = page
    verifyChecksum(sum, pageId, blob, pageTitle, path)
    const best = [...sections].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MAX_SECTIONS)
    const texts = textsOf(
      file,
      best.map(([id]) => id),
    )
    const shown = best.flatMap(([id, own]): FoundSection[] => {
      const row = texts.get(id)
      if (!row) return []
      const [, anchor, title, text, of] = row
      verifyChecksum(of, id, anchor, title, text)
      const { body, matches } = snippet(text, left > 0 ? terms : [])
      left -= text.length
      // A section that matches only by the subject of its page adds nothing to the page's title.
      return left > 0 && matches === 0 && matchesIn(title, terms).length === 0
        ? []
        : [{ anchor, title, body, score: own }]
    })
    return [{ id: pageId, title: pageTitle, path, score, sections: shown }]
  })
}

function textsOf(file: SpaceFile, ids: readonly number[]): Map<number, SectionRow> {
  const rows: SectionRow[] = JSON.parse(String(file.value(SECTIONS, JSON.stringify(ids))))
  return new Map(rows.map((row) => [row[0], row]))
}
