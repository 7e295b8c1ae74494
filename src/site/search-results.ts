/** Searches a site for a reader. The search page and the dialog show the same results. */
import type { FoundPage } from '../domain/search/search.js'
import { isSiteDefault, type ShownSiteSpace, shownSiteSpaces } from '../domain/sites/view.js'
import { pagesFor } from '../domain/sites/visitor-pages.js'
import { pathOfPage } from '../domain/sites/visitor-paths.js'
import { searchForVisitor } from '../domain/sites/visitor-search.js'
import type { OpenSpace } from './navigation.js'
import { pageTree } from '../domain/revisions/page-tree.js'
import { directionOfMost } from '../render/element.js'
import type { Visit } from './visit.js'
import type { Words } from './words/index.js'

/** Maximum length of a query in characters. The rest is cut off. */
const MAX_QUERY = 200
/** Maximum number of spaces with results, of pages per space, and of sections per page. */
const MAX_SPACES = 20
const MAX_PAGES = 8
const MAX_SECTIONS = 3
/** Maximum number of results per space. */
export const MAX_HITS = MAX_PAGES * (1 + MAX_SECTIONS)

/** A text in pieces, alternately plain and matched, starting with a plain one. */
export type Marked = string[]

export interface SearchHit {
  href: string
  kind: 'page' | 'section'
  title: Marked
  /** The titles of the entries above a page; for a section, the title of its page. */
  place: string
  text: Marked
  /** The direction of the text. It begins in the middle of a sentence, so its first word does not decide. */
  dir?: 'ltr' | 'rtl'
}

/** A part of the site to which a search can be restricted; '' is all of it. */
export interface SearchScope {
  id: string
  title: string
}

/** The results of a search, as they are shown. */
export interface SearchResults {
  query: string
  /** The number of results as a text. */
  status: string
  /** Empty if the site has one part. */
  scopes: readonly SearchScope[]
  groups: readonly { title: string; hits: readonly SearchHit[] }[]
}

/** The query of a reader, and its scope. */
export interface AskedSearch {
  query: string
  /** The site space from which they search. It selects the variants to search. */
  from?: ShownSiteSpace
  /** The section to search; '' = all. */
  scope: string
}

/** Reads a search from the query parameters of a request. */
export function askedSearch({ visitor }: Visit, parameters: URLSearchParams): AskedSearch {
  const query = (parameters.get('q') ?? '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_QUERY)
    .replace(/\p{Cs}/gu, '')
  const from = shownSiteSpaces(visitor.view).find(({ entry }) => entry.id === parameters.get('at'))
  return { query, scope: parameters.get('in') ?? '', ...(from ? { from } : {}) }
}

/** Searches the site. */
export async function searchSite(visit: Visit, asked: AskedSearch, words: Words): Promise<SearchResults> {
  const { app, visitor } = visit
  const all = searchedSpaces(shownSiteSpaces(visitor.view), asked.from)
  const scopes = scopesOf(all, words)
  const isScoped = scopes.some(({ id }) => id !== '' && id === asked.scope)
  const siteSpaces = isScoped ? all.filter((one) => scopeOf(one).id === asked.scope) : all
  const { query } = asked
  if (query === '') return { query, status: '', scopes, groups: [] }
  const options = { siteSpaces, pagesOfSpace: MAX_PAGES }
  const { items, partial } = await searchForVisitor(app, visitor, { query, limit: MAX_SPACES }, options)
  const groups: { title: string; hits: SearchHit[] }[] = []
  for (const { space, pages } of items) {
    const siteSpace = siteSpaces.find(({ entry }) => entry.space === space.doc.id)
    if (!siteSpace) continue
    const open = { siteSpace, pages: await pagesFor(app, visitor, siteSpace) }
    const hits = await hitsIn(visit, open, pages, query)
    const { title } = scopeOf(siteSpace)
    if (hits.length > 0) groups.push({ title, hits })
  }
  const count = groups.reduce((sum, { hits }) => sum + hits.length, 0)
  const status = count === 0 ? words.searching.none : words.searching.count(count)
  return { query, status: partial ? `${status}. ${words.searching.partial}` : status, scopes, groups }
}

/** Returns the section of a site space, or the site space itself if it is in none. */
export const scopeOf = ({ section, entry, space }: ShownSiteSpace): SearchScope =>
  section ? { id: section.id, title: section.title } : { id: entry.id, title: space.doc.title }

function scopesOf(siteSpaces: readonly ShownSiteSpace[], words: Words): SearchScope[] {
  const scopes = new Map(siteSpaces.map((one) => [scopeOf(one).id, scopeOf(one)]))
  return scopes.size < 2 ? [] : [{ id: '', title: words.searching.everything }, ...scopes.values()]
}

/**
 * Chooses one variant of each section: the one from which the reader searches, else one with the same title or language,
 * else the default.
 */
export function searchedSpaces(all: readonly ShownSiteSpace[], from = all.find(isSiteDefault)): ShownSiteSpace[] {
  const sections = new Map<string, ShownSiteSpace[]>()
  for (const one of all) {
    const id = one.section?.id ?? ''
    sections.set(id, [...(sections.get(id) ?? []), one])
  }
  const like = (one: ShownSiteSpace): number => {
    if (one.entry.id === from?.entry.id) return 4
    const sameTitle = one.space.doc.title === from?.space.doc.title ? 2 : 0
    const sameLanguage = one.space.doc.language === from?.space.doc.language ? 1 : 0
    return sameTitle || sameLanguage
  }
  return [...sections.values()].map((variants) =>
    variants.reduce((best, one) => {
      const better = like(one) - like(best) || Number(one.isDefault) - Number(best.isDefault)
      return better > 0 ? one : best
    }),
  )
}

async function hitsIn(
  { base }: Visit,
  { siteSpace, pages }: OpenSpace,
  found: readonly FoundPage[],
  query: string,
): Promise<SearchHit[]> {
  const tree = await pageTree(pages.listed)
  return found.flatMap(({ id, title, sections }): SearchHit[] => {
    const entry = tree.find(id)
    if (!entry) return []
    const href = `${base}${pathOfPage(siteSpace, pages, entry)}` || '/'
    const above = tree.above(id).map((one) => one.title)
    const intro = sections.find(({ anchor }) => anchor === null)
    const page: SearchHit = {
      href,
      kind: 'page',
      title: markedTitle(title, query),
      place: above.join(' / '),
      ...excerpt(intro?.body ?? ''),
    }
    const headed = sections.filter(({ anchor }) => anchor !== null).slice(0, MAX_SECTIONS)
    return [
      page,
      ...headed.map(
        (section): SearchHit => ({
          href: `${href}#${encodeURIComponent(section.anchor ?? '')}`,
          kind: 'section',
          title: markedTitle(section.title || title, query),
          place: title,
          ...excerpt(section.body),
        }),
      ),
    ]
  })
}

/** Splits a text of the index, in which matches are between `**`, and finds its direction. */
function excerpt(body: string): Pick<SearchHit, 'text' | 'dir'> {
  const parts = body.split('**')
  const dir = directionOfMost([{ type: 'text', value: body }])
  return { text: parts.length % 2 === 1 ? parts : [body], ...(dir ? { dir } : {}) }
}

/** Marks the words of a title that start with a word of the query. Scripts without spaces match anywhere. */
function markedTitle(title: string, query: string): Marked {
  const words = [...new Set(query.match(/[\p{L}\p{N}]+/gu) ?? [])].map((word) =>
    /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]/u.test(word)
      ? word
      : String.raw`(?<![\p{L}\p{N}])${word}[\p{L}\p{N}]*`,
  )
  return words.length === 0 ? [title] : title.split(new RegExp(`(${words.join('|')})`, 'giu'))
}
