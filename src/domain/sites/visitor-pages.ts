/** Determines the pages of a space that a visitor of a site sees. */
import { gateFor, type VisitorPage } from '../../access/index.js'
import type { PageEntry } from '../../content/types.js'
import { notFound } from '../../kernel/errors.js'
import { Slices } from '../../kernel/slices.js'
import { siteSpacesOf } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { KnownPage } from '../context/content-cache.js'
import type { LoadedSpace } from '../context/loaded.js'
import { repositoryName } from '../context/refs.js'
import { openShown } from '../revisions/computed.js'
import { headOf } from '../revisions/main-content.js'
import { knownPages, type OpenRevision } from '../revisions/revisions.js'
import type { ShownSiteSpace } from './view.js'
import type { Visitor } from './visitor.js'
import { defined, required } from '../../kernel/defined.js'

type PageCache = ReadonlyMap<string, { oid: string; page: KnownPage }>

/** The pages of one space of a site that a visitor sees. */
export interface VisitorPages {
  revision: OpenRevision
  known: PageCache
  /** The table of contents, without the entries that they may not see. */
  listed: PageEntry[]
  /** Whether they see a page in lists. */
  lists(page: PageEntry): boolean
  /** Returns a page that they may read, hidden or not, with its visible subpages. Null if there is none. */
  find(id: string): PageEntry | null
  /** Like `find`. Throws 404 if there is none. */
  get(id: string): PageEntry
}

/**
 * Describes a page for the visitor gate. A draft (an entry with an empty target) is not live. A page that could not be
 * read counts as gone.
 */
export function visitorPageOf(entry: PageEntry, known: KnownPage | undefined, within?: VisitorPage): VisitorPage {
  const { hidden, condition } = known?.attributes ?? {}
  return {
    ...(within ? { within } : {}),
    ...(entry.type === 'link' && entry.href === '' ? { draft: true } : {}),
    ...(known?.doubtful ? { gone: true } : {}),
    ...(hidden ? { hidden } : {}),
    ...defined({ condition }),
  }
}

/**
 * Opens the main content of a site's space for a visitor, including generated pages. The site space comes from their
 * view, so they may see it.
 */
export async function pagesFor(app: App, visitor: Visitor, { space, entry }: ShownSiteSpace): Promise<VisitorPages> {
  if (!siteSpacesOf(visitor.site.doc.structure).some(({ id }) => id === entry.id)) throw notFound('The site space')
  const opened: LoadedSpace = { ...space, repo: await app.git.open(repositoryName(space.doc.id)) }
  const revision = await openShown(app, opened, headOf(opened))
  const { structure } = revision
  const known = await knownPages(app, revision, structure.byGitPath.values())
  await visitor.conditions.prepare([...known.values()].map(({ page }) => page.attributes.condition))
  const gated = await gatedPages(structure.pages, known)
  const sees = gateFor(visitor.context)
  const mayRead = (page: PageEntry): boolean => {
    const gatedPage = gated.get(page)
    return gatedPage !== undefined && sees(gatedPage, 'read')
  }
  const isLive = (page: PageEntry): boolean => targetOf(page, revision).every(mayRead)
  const lists = (page: PageEntry): boolean => sees(required(gated.get(page)), 'list') && isLive(page)
  const listed = (pages: readonly PageEntry[]): PageEntry[] =>
    pages.flatMap((page): PageEntry[] => {
      if (!lists(page)) return []
      const below = listed(page.pages)
      return page.type === 'group' && below.length === 0 ? [] : [{ ...page, pages: below }]
    })
  const find = (id: string): PageEntry | null => {
    const page = structure.byId.get(id)
    // A computed entry that is replaced by its pages still has an ID, but it is not part of the tree.
    return page && mayRead(page) && isLive(page) ? { ...page, pages: listed(page.pages) } : null
  }
  const get = (id: string): PageEntry => {
    const page = find(id)
    if (!page) throw notFound(`Page ${id}`)
    return page
  }
  return { revision, known, listed: listed(structure.pages), lists, find, get }
}

/** Returns the page of the space that a link points to. Visitors who may not read it do not see the link. */
function targetOf(page: PageEntry, { structure }: OpenRevision): PageEntry[] {
  const target = page.type === 'link' && page.target ? structure.byGitPath.get(page.target.gitPath) : undefined
  return target ? [target] : []
}

/** Describes all pages of a tree for the visitor gate. */
async function gatedPages(pages: readonly PageEntry[], known: PageCache): Promise<Map<PageEntry, VisitorPage>> {
  const slices = new Slices()
  const gated = new Map<PageEntry, VisitorPage>()
  const add = async (entries: readonly PageEntry[], within?: VisitorPage): Promise<void> => {
    for (const entry of entries) {
      const page = visitorPageOf(entry, entry.type === 'document' ? known.get(entry.gitPath)?.page : undefined, within)
      gated.set(entry, page)
      if (slices.due) await slices.rest()
      if (entry.pages.length > 0) await add(entry.pages, page)
    }
  }
  await add(pages)
  return gated
}
