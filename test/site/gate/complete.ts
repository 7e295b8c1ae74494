/** Checks that outputs with lists contain every page that the visitor may see in lists. */
import type { Told } from './ask.js'
import { wordsIn } from './canaries.js'
import { Leak } from './judge.js'
import { findable, reachAt, type View } from './oracle.js'
import type { Request } from './outputs.js'
import { type Page, type Part, siteSpacesOf } from './world.js'

/** A page at a position in the site. */
interface Placed {
  part: Part
  page: Page
}

/** The part of each page that an output must contain: a word, or null if it does not list the page. */
type Listing = (placed: Placed, view: View) => string | null

const title: Listing = ({ page }) => page.title
const text: Listing = ({ page }) => page.text

/** The last part of the path. First pages have none, and copies of a page in another variant are left out. */
const path: Listing = ({ part, page }, view) => {
  const { site, preview } = view
  const isListed = site.visibility === 'public' && preview === null && !page.noIndex
  return isListed && page !== firstPage(part, view) ? (page.words[0] as string) : null
}

/** The first page that the visitor sees has the path of its space. */
function firstPage(part: Part, view: View): Page | undefined {
  const { pages, groups } = part.space as NonNullable<Part['space']>
  const inOrder = (all: readonly Page[]): Page[] => all.flatMap((page) => [page, ...inOrder(page.below)])
  const top = [null, ...groups].flatMap((group) => pages.filter((page) => page.above === null && page.group === group))
  return inOrder(top).find((page) => reachAt(view, part, page) === 'listed')
}

const LISTINGS: Readonly<Record<string, Listing>> = {
  'list for agents': title,
  'whole text for agents': text,
  'list tool': title,
  sitemap: path,
  bundle: (placed, view) => (view.preview === null ? placed.page.text : null),
}

/** Maximum number of entries in a result of the tool. */
const MAX_CHANGES = 20

export function judgeComplete(told: Told, request: Request, view: View): void {
  if (!view.admitted || (view.preview !== null && /tool/.test(request.output))) return
  const all = siteSpacesOf(view.site).flatMap((part) => (part.space?.pages ?? []).map((page) => ({ part, page })))
  const listed = all.filter(({ part, page }) => reachAt(view, part, page) === 'listed')
  const words = wordsIn(told.text)
  const listing = LISTINGS[request.output]
  for (const placed of listing ? listed : []) {
    const word = listing?.(placed, view) ?? null
    if (word !== null && !words.has(word)) throw new Leak(`a listed page is missing: ${word}, status ${told.status}`)
  }
  const isChanges = request.output === 'changes tool' && listed.length <= MAX_CHANGES
  for (const { page } of isChanges ? listed : [])
    if (!words.has(page.title)) throw new Leak(`a changed page is missing: ${page.title}, status ${told.status}`)
  if (request.output === 'feed' && listed.length > 0 && !listed.some(({ page }) => words.has(page.title)))
    throw new Leak(`the feed names none of ${listed.length} pages, status ${told.status}`)
  if (request.output === 'search tool for all') judgeSearch(words, view)
  const { page } = request
  const named = all.filter((one) => isAt(view, one, page))
  const isNamed = request.output !== 'read tool by ID' || (named.length === 1 && named[0]?.page === page)
  const isPart = request.output === 'read tool for a part of a page'
  if (isPart && page && !request.lost && !words.has(page.words[4] as string))
    throw new Leak(`the section of a page is missing, status ${told.status}`)
  if (/^read tool(?: by ID)?$/.test(request.output) && page && !request.lost && isNamed && !words.has(page.text))
    throw new Leak(`the text of a page is missing, status ${told.status}`)
}

/**
 * Whether a page with this ID is at a position where the visitor may read it. First pages of several spaces may share
 * one.
 */
const isAt = (view: View, { part, page }: Placed, named: Page | null): boolean =>
  page.id === named?.id && reachAt(view, part, page) !== 'none'

/** The search tool searches one variant of each section, so it finds something wherever each variant has something. */
function judgeSearch(words: ReadonlySet<string>, view: View): void {
  const parts = siteSpacesOf(view.site).filter((part) => findable(view, part).length > 0)
  if (parts.length === 0 || parts.length < siteSpacesOf(view.site).length) return
  const pages = parts.flatMap((part) => findable(view, part))
  if (!pages.some((page) => words.has(page.title))) throw new Leak(`search finds none of ${pages.length} pages`)
}
