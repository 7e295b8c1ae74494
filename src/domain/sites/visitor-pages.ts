/** Determines the pages of a space that a visitor of a site sees. */
import { createHash } from 'node:crypto'
import { gateFor, mayEnter, type VisitorPage } from '../../access/index.js'
import type { PageEntry } from '../../content/types.js'
import { notFound } from '../../kernel/errors.js'
import { Slices } from '../../kernel/slices.js'
import { siteSpacesOf } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { GatedPages, KnownPage, KnownPages, VisiblePages } from '../context/content-cache.js'
import type { LoadedSpace } from '../context/loaded.js'
import { repositoryName } from '../context/refs.js'
import { openShown } from '../revisions/computed.js'
import { headOf } from '../revisions/main-content.js'
import { knownPages, type OpenRevision } from '../revisions/revisions.js'
import { structureNumber } from '../revisions/structures.js'
import { SharedWork } from '../revisions/shared-work.js'
import type { ShownSiteSpace } from './view.js'
import type { Visitor } from './visitor.js'
import { defined } from '../../kernel/defined.js'

/** The pages of one space of a site for a visitor. */
export interface VisitorPages {
  revision: OpenRevision
  known: KnownPages
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
 * Whether readers never see an entry: a link without a target, or a computed entry whose specification is missing or
 * cannot be read, so that it has no pages.
 */
const isDraft = (entry: PageEntry): boolean =>
  (entry.type === 'link' && entry.href === '') || (entry.type === 'computed' && entry.pages.length === 0)

/** Describes a page for the visitor gate. A draft is not live. A page that could not be read counts as gone. */
export function visitorPageOf(entry: PageEntry, known: KnownPage | undefined, within?: VisitorPage): VisitorPage {
  const { hidden, condition } = known?.attributes ?? {}
  return {
    ...(within ? { within } : {}),
    ...(isDraft(entry) ? { draft: true } : {}),
    ...(known?.doubtful ? { gone: true } : {}),
    ...(hidden ? { hidden } : {}),
    ...defined({ condition }),
  }
}

/**
 * Opens the main content of a site's space for a visitor, including generated pages. The site space comes from their
 * view, so they may see it.
 */
export async function pagesFor(app: App, visitor: Visitor, shown: ShownSiteSpace): Promise<VisitorPages> {
  const { space, entry } = shown
  if (!siteSpacesOf(visitor.site.doc.structure).some(({ id }) => id === entry.id)) throw notFound('The site space')
  const opened: LoadedSpace = { ...space, repo: await app.git.open(repositoryName(space.doc.id)) }
  const revision = await (visitor.revisionOf?.(opened) ?? openShown(app, opened, headOf(opened)))
  return pagesOf(app, visitor, revision)
}

/** Returns the pages of a revision that a visitor sees. Computed once for all visitors with the same outcome. */
async function pagesOf(app: App, visitor: Visitor, revision: OpenRevision): Promise<VisitorPages> {
  const { structure, snapshot, space } = revision
  const key = `${space.doc.id}:${snapshot.commit}:${structureNumber(structure)}`
  const gated = app.content.gatedPages.get(key) ?? (await gating.run(app, key, () => gatedPages(app, revision, key)))
  await visitor.conditions.prepare(gated.conditions)
  const mine = `${key}:${outcomeOf(visitor, gated.conditions)}`
  const visible =
    app.content.visiblePages.get(mine) ??
    (await seeing.run(app, mine, () => visiblePages(app, visitor, revision, gated, mine)))
  const find = (id: string): PageEntry | null =>
    visitor.listsOnly && !visible.inLists.has(id) ? null : (visible.readable.get(id) ?? null)
  const get = (id: string): PageEntry => {
    const page = find(id)
    if (!page) throw notFound(`Page ${id}`)
    return page
  }
  const { known } = gated
  return { revision, known, listed: visible.listed, lists: ({ id }) => visible.inLists.has(id), find, get }
}

/** Computations in progress. Readers who arrive after a change wait for the first of them. */
const gating = new SharedWork<GatedPages>()
const seeing = new SharedWork<VisiblePages>()

/** Returns the gate's decision about a space, as text: whether the visitor may enter, and the value of each condition. */
function outcomeOf({ context }: Visitor, conditions: readonly string[]): string {
  const values = [mayEnter(context), ...conditions.map((condition) => context.holds(condition))]
  return createHash('sha256').update(values.map(Number).join('')).digest('base64url')
}

/** Describes all pages of a revision for the visitor gate. */
async function gatedPages(app: App, revision: OpenRevision, key: string): Promise<GatedPages> {
  const { structure } = revision
  const known = await knownPages(app, revision, structure.byGitPath.values())
  const slices = new Slices()
  const pages = new Map<PageEntry, VisitorPage>()
  const conditions = new Set<string>()
  const add = async (entries: readonly PageEntry[], within?: VisitorPage): Promise<void> => {
    for (const entry of entries) {
      const page = visitorPageOf(entry, entry.type === 'document' ? known.get(entry.gitPath)?.page : undefined, within)
      pages.set(entry, page)
      if (page.condition !== undefined) conditions.add(page.condition)
      if (slices.due) await slices.rest()
      if (entry.pages.length > 0) await add(entry.pages, page)
    }
  }
  await add(structure.pages)
  const gated = { known, pages, conditions: [...conditions] }
  app.content.gatedPages.set(key, gated)
  return gated
}

/** Determines the pages that a visitor sees. The result is the same for all visitors with the same outcome. */
async function visiblePages(
  app: App,
  { context }: Visitor,
  { structure }: OpenRevision,
  { pages: gated }: GatedPages,
  key: string,
): Promise<VisiblePages> {
  const slices = new Slices()
  const sees = gateFor(context)
  const mayRead = (page: PageEntry): boolean => {
    const gatedPage = gated.get(page)
    return gatedPage !== undefined && sees(gatedPage, 'read')
  }
  // Visitors who may not read the page that a link points to do not see the link.
  const isLive = (page: PageEntry): boolean => {
    const target = page.type === 'link' && page.target ? structure.byGitPath.get(page.target.gitPath) : undefined
    return target === undefined || mayRead(target)
  }
  const readable = new Map<string, PageEntry>()
  const inLists = new Set<string>()
  const listed = async (pages: readonly PageEntry[]): Promise<PageEntry[]> => {
    const found: PageEntry[] = []
    for (const page of pages) {
      if (slices.due) await slices.rest()
      const below = page.pages.length > 0 ? await listed(page.pages) : []
      // Of entries with the same ID, the one in the structure's index applies.
      const counts = structure.byId.get(page.id) === page
      const isListed = sees(gated.get(page) as VisitorPage, 'list') && isLive(page)
      const shown = { ...page, pages: below }
      if (counts && isListed) inLists.add(page.id)
      if (counts && mayRead(page) && isLive(page)) readable.set(page.id, shown)
      if (isListed && (page.type !== 'group' || below.length > 0)) found.push(shown)
    }
    return found
  }
  const visible = { listed: await listed(structure.pages), readable, inLists }
  app.content.visiblePages.set(key, visible)
  return visible
}
