/** The paths of a site for one visitor, below the address of the site. All are encoded. */
import type { PageEntry } from '../../content/types.js'
import { SitePathError, normalizePath } from '../../content/site-path.js'
import { redirectKey, type SiteDestination, siteRedirects } from '../../model/index.js'
import type { App } from '../context/app.js'
import { findPageByPath } from '../revisions/pages.js'
import { findByOtherPath } from './other-paths.js'
import { isSiteDefault, type ShownSiteSpace, shownSections, shownSiteSpaces } from './view.js'
import { pagesFor, type VisitorPages } from './visitor-pages.js'
import type { Visitor } from './visitor.js'

/** A page that a visitor reads. */
export interface ReadPage {
  siteSpace: ShownSiteSpace
  pages: VisitorPages
  entry: PageEntry
  /** The canonical path of the page. */
  path: string
}

/** The destination of a path: a page, or a redirect to another address. */
export type Destination = ({ kind: 'page' } & ReadPage) | { kind: 'redirect'; to: string }

/** Paths that are the same when they are encoded. */
const PLAIN = /^[\w.~/-]*$/

/** Encodes each part of a path. */
export const encodedPath = (path: string): string =>
  PLAIN.test(path) ? path : path.split('/').map(encodeURIComponent).join('/')

/** Returns the path of a site space: '' for the default one of the site, else `/section`, `/section/space` or `/space`. */
export function pathOfSiteSpace(shown: ShownSiteSpace): string {
  if (isSiteDefault(shown)) return ''
  const { section, entry, isDefault } = shown
  return [...(section ? [section.path] : []), ...(isDefault ? [] : [entry.path])]
    .map((part) => `/${encodedPath(part)}`)
    .join('')
}

/** Returns a function that returns the paths of pages. The first page of a space has the path of the space; '' is the root of the site. */
export function pathsOfPages(siteSpace: ShownSiteSpace, pages: VisitorPages): (entry: PageEntry) => string {
  const above = pathOfSiteSpace(siteSpace)
  const first = firstPage(pages)?.id
  return ({ id, path }) => (id === first ? above : `${above}/${encodedPath(path)}`)
}

/** Returns the path of one page. */
export const pathOfPage = (siteSpace: ShownSiteSpace, pages: VisitorPages, entry: PageEntry): string =>
  pathsOfPages(siteSpace, pages)(entry)

/** Returns the first page with text that a visitor sees in a space. */
const firstPage = ({ listed }: Pick<VisitorPages, 'listed'>): PageEntry | undefined => firstIn(listed)

function firstIn(entries: readonly PageEntry[]): PageEntry | undefined {
  for (const entry of entries) {
    if (entry.type === 'document' || entry.type === 'generated') return entry
    const below = firstIn(entry.pages)
    if (below) return below
  }
  return undefined
}

/**
 * Finds the destination of a path for a visitor. Null if it is missing or hidden from them. The two cases are
 * indistinguishable.
 */
export async function findDestination(app: App, visitor: Visitor, path: string): Promise<Destination | null> {
  const wanted = normalized(path)
  if (wanted === null) return null
  for (const { siteSpace, rest } of candidates(visitor, wanted)) {
    const pages = await pagesFor(app, visitor, siteSpace)
    const entry = rest === '' ? firstPage(pages) : readable(pages, findPageByPath(pages.revision, rest)?.id)
    if (!entry) continue
    const own = pathOfPage(siteSpace, pages, entry)
    if (entry.type === 'group' || entry.type === 'link') {
      const below = firstIn(entry.pages)
      if (below) return { kind: 'redirect', to: pathOfPage(siteSpace, pages, below) }
      continue
    }
    return own === wanted && isUsualSpelling(path)
      ? { kind: 'page', siteSpace, pages, entry, path: own }
      : { kind: 'redirect', to: own }
  }
  return (await siteRedirect(app, visitor, wanted)) ?? otherPath(app, visitor, wanted)
}

/** Whether a path is in Unicode NFC, without a slash at its end and two in a row. The root has one. */
function isUsualSpelling(path: string): boolean {
  const text = decodeURIComponent(path)
  return path === '/' || (text === text.normalize('NFC') && !/\/(?:\/|$)/.test(path))
}

/** Redirects from another notation or a former path of a page, and from its path for visitors who see other spaces. */
async function otherPath(app: App, visitor: Visitor, wanted: string): Promise<Destination | null> {
  const named = startsOf(shownSiteSpaces(visitor.view), namedPathsOf, wanted)
  const usual = startsOf(shownSiteSpaces(visitor.view), (one) => [pathOfSiteSpace(one)], wanted)
  for (const { siteSpace, above } of [...usual, ...named]) {
    const pages = await pagesFor(app, visitor, siteSpace)
    const rest = decodeURIComponent(wanted.slice(above.length))
    const found = rest === '' ? firstPage(pages) : await findByOtherPath(app, pages, rest)
    const entry = found && firstIn([found])
    if (entry) return { kind: 'redirect', to: pathOfPage(siteSpace, pages, entry) }
  }
  return null
}

/**
 * Returns the canonical notation of a path: no slash at the end, NFC, percent-encoded; null if it is not a path of a
 * site.
 */
function normalized(path: string): string | null {
  try {
    return normalizePath(path)
  } catch (error) {
    if (error instanceof SitePathError) return null
    throw error
  }
}

/** Lists the site spaces whose path starts the given one, longest first, with the rest of the path, decoded. */
export function spacesAt(visitor: Visitor, path: string): { siteSpace: ShownSiteSpace; rest: string }[] {
  const wanted = normalized(path)
  return wanted === null ? [] : candidates(visitor, wanted)
}

/** Like `spacesAt`, for a path in the canonical notation. */
const candidates = ({ view }: Visitor, path: string): { siteSpace: ShownSiteSpace; rest: string }[] =>
  startsOf(shownSiteSpaces(view), (one) => [pathOfSiteSpace(one)], path).map(({ siteSpace, above }) => ({
    siteSpace,
    rest: decodeURIComponent(path.slice(above.length)),
  }))

/** Lists the paths of site spaces that start the given one, longest first. */
function startsOf(
  all: readonly ShownSiteSpace[],
  pathsOf: (siteSpace: ShownSiteSpace) => readonly string[],
  path: string,
): { siteSpace: ShownSiteSpace; above: string }[] {
  return all
    .flatMap((siteSpace) => pathsOf(siteSpace).map((above) => ({ siteSpace, above })))
    .filter(({ above }) => `${path.toLowerCase()}/`.startsWith(`${above.toLowerCase()}/`))
    .sort((a, b) => b.above.length - a.above.length)
}

/**
 * Returns the paths that a site space has while others are the default. Which one is depends on the visitor, because
 * others may be hidden from them.
 */
function namedPathsOf({ section, entry }: ShownSiteSpace): string[] {
  const above = section ? `/${encodedPath(section.path)}` : ''
  return [`${above}/${encodedPath(entry.path)}`, ...(section ? [above] : [])]
}

/** Returns a page that the visitor may read, by ID. */
function readable({ find }: VisitorPages, id: string | undefined): PageEntry | undefined {
  return id === undefined ? undefined : (find(id) ?? undefined)
}

async function siteRedirect(app: App, visitor: Visitor, source: string): Promise<Destination | null> {
  const key = redirectKey({ site: visitor.site.doc.id, source })
  const [redirect] = await app.store.find(siteRedirects, 'source', key)
  const to = redirect && (await addressOfDestination(app, visitor, redirect.destination))
  return to === null || to === undefined ? null : { kind: 'redirect', to }
}

/**
 * Returns the address of a destination for a visitor: a path of the site, or a URL. Null if they may not see it.
 */
export async function addressOfDestination(app: App, visitor: Visitor, to: SiteDestination): Promise<string | null> {
  const { view } = visitor
  if (to.kind === 'url') return to.url
  if (to.kind === 'site-section') {
    const section = shownSections(view).find(({ entry }) => entry.id === to.siteSection)
    const first = section?.siteSpaces.find(({ isDefault }) => isDefault) ?? section?.siteSpaces[0]
    return first ? pathOfSiteSpace(first) || '/' : null
  }
  const siteSpace = shownSiteSpaces(view).find(({ entry }) =>
    to.kind === 'site-space' ? entry.id === to.siteSpace : entry.space === to.space,
  )
  if (!siteSpace) return null
  if (to.kind === 'site-space' || to.kind === 'space') return pathOfSiteSpace(siteSpace) || '/'
  const pages = await pagesFor(app, visitor, siteSpace)
  const entry = pages.find(to.page)
  if (!entry) return null
  return (
    (pathOfPage(siteSpace, pages, entry) || '/') + (to.kind === 'anchor' ? `#${encodeURIComponent(to.anchor)}` : '')
  )
}
