/** Finds the pages that a caller names: by address, path or ID. */
import { type PageTree, pageTree } from '../../domain/revisions/page-tree.js'
import { shownSiteSpaces } from '../../domain/sites/view.js'
import { pagesFor } from '../../domain/sites/visitor-pages.js'
import { pathOfPage, pathOfSiteSpace, type ReadPage } from '../../domain/sites/visitor-paths.js'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import { pageAt } from '../markdown-output.js'
import type { OpenSpace } from '../navigation.js'
import type { Visit } from '../visit.js'

const missing = (): ServiceError =>
  new ServiceError('not-found', 'The page does not exist, or you may not see it. Find pages with `search` or `list`.')

/** A named page, and the anchor in its address. */
export interface FoundPage {
  page: ReadPage
  anchor?: string
}

/**
 * Finds a page that the reader may read. Throws 404, 400 if several pages have this ID.
 * @param space restricts the search for an ID to one space
 */
export async function findPage(visit: Visit, name: string, space?: string): Promise<FoundPage> {
  const [text = '', anchor] = name.trim().split('#')
  const path = pathIn(visit, text)
  const page =
    path === null
      ? ((await pageWithId(visit, text, space)) ?? (await pageNamed(visit, `/${text}`)))
      : await pageNamed(visit, path)
  if (!page) throw missing()
  return { page, ...(anchor ? { anchor } : {}) }
}

/** Returns the path below the site; null if the name has no path. Throws 404 for the address of another site. */
function pathIn({ address, base }: Visit, name: string): string | null {
  if (/^https?:\/\//i.test(name)) {
    const { origin, pathname } = URL.canParse(name) ? new URL(name) : { origin: '', pathname: '' }
    const own = new URL(address)
    const above = own.pathname.replace(/\/$/, '')
    if (origin !== own.origin || !`${pathname}/`.startsWith(`${above}/`)) throw missing()
    return pathname.slice(above.length) || '/'
  }
  if (!name.startsWith('/')) return null
  const path = base !== '' && `${name}/`.startsWith(`${base}/`) ? name.slice(base.length) : name
  return path || '/'
}

async function pageWithId(visit: Visit, id: string, space: string | undefined): Promise<ReadPage | null> {
  const found: ReadPage[] = []
  for (const siteSpace of shownSiteSpaces(visit.visitor.view)) {
    if (space !== undefined && siteSpace.space.doc.id !== space) continue
    const pages = await pagesFor(visit.app, visit.visitor, siteSpace)
    const entry = pages.find(id)
    if (entry && (entry.type === 'document' || entry.type === 'generated'))
      found.push({ siteSpace, pages, entry, path: pathOfPage(siteSpace, pages, entry) })
  }
  if (found.length > 1)
    throw badRequest(
      `Several pages have this ID. Use the address of one: ${found.map(({ path }) => visit.address + path).join(', ')}.`,
    )
  return found[0] ?? null
}

async function pageNamed(visit: Visit, path: string): Promise<ReadPage | null> {
  const encoded = encodedOnce(path)
  return encoded === null ? null : pageAt(visit, encoded)
}

/** Encodes a path that may be encoded already. Null if no page can have it. */
function encodedOnce(path: string): string | null {
  try {
    const encoded = encodeURI(decodeURI(path))
    return /\\|%00|%5c/i.test(encoded) ? null : encoded
  } catch {
    return null
  }
}

/** A space of the site, and the entries of its table of contents that a caller asks for. */
export interface SitePart extends OpenSpace {
  entries: NonNullable<ReturnType<PageTree['subtree']>>
}

/**
 * Returns the parts of the site below a path: all spaces without one, else the space or the entries below a page.
 * Throws 404.
 */
export async function partsBelow(visit: Visit, below: string | undefined): Promise<SitePart[]> {
  const { app, visitor } = visit
  const all = shownSiteSpaces(visitor.view)
  const path = below === undefined ? '/' : pathIn(visit, below)?.replace(/\/+$/, '')
  const named = below === undefined ? all : all.filter((one) => pathOfSiteSpace(one) === path && path !== '')
  if (below !== undefined && named.length === 0 && path !== '') {
    const { page } = await findPage(visit, below)
    const entries = (await pageTree(page.pages.listed)).subtree(page.entry.id) ?? []
    return [{ siteSpace: page.siteSpace, pages: page.pages, entries }]
  }
  const parts: SitePart[] = []
  for (const siteSpace of path === '' ? all : named) {
    const pages = await pagesFor(app, visitor, siteSpace)
    parts.push({ siteSpace, pages, entries: (await pageTree(pages.listed)).all })
  }
  return parts
}
