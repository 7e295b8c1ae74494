/** Search in the main content of a space, and of all spaces of an organization that the caller may see. */
import { setTimeout as wait } from 'node:timers/promises'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import { decodeCursor, encodeCursor, type Page, type PageQuery } from '../../kernel/paging.js'
import { spaces } from '../../model/index.js'
import type { FoundPage, SpaceHits, SpaceQuery } from '../../search/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization, LoadedSpace, VisibleSpace } from '../context/loaded.js'
import { repositoryName } from '../context/refs.js'
import { headOf } from '../revisions/main-content.js'
import { visibleSpaces } from '../spaces/spaces.js'
import { isUpToDate, searchablePages, updateIndex } from './update-index.js'

/** How long a search waits for the index of a space that has one of an earlier revision, and of one that has none. */
const WAIT_MS = { behind: 2_000, none: 10_000 }
/** How long a search in all spaces of an organization waits for their indexes, and how long it then looks into them. */
const ORGANIZATION_MS = { update: 3_000, find: 2_000 }
/** Indexes that are brought up to date at the same time for one search. */
const UPDATES_AT_ONCE = 4
/** Pages of each space that a search in all spaces returns. */
const PAGES_OF_SPACE = 5

export type { FoundPage }

/** A page of a list of hits. */
export type SearchQuery = PageQuery & { query: string }

/** What was found in one space. */
export interface FoundSpace {
  space: LoadedSpace
  pages: FoundPage[]
  /** Number of pages of the better spaces in the whole result. */
  before: number
}

/** The position in a ranked list that a cursor names. Throws 400. */
function offsetOf({ page }: SearchQuery): number {
  if (page === undefined) return 0
  const [position] = decodeCursor(page)
  if (typeof position !== 'number' || !Number.isInteger(position) || position < 0) throw badRequest('page is not a cursor of this list.')
  return position
}

function pageOfRanked<T>(items: T[], count: number, offset: number): Page<T> {
  const next = offset + items.length
  return { items, count, ...(items.length > 0 && next < count ? { next: { page: encodeCursor([next, '']) } } : {}) }
}

/**
 * The pages of main that match, best first. If the index cannot be brought to the head of main in time, only pages are found that are
 * the same in both. Throws 503 if there is no index yet.
 */
export async function searchSpace(app: App, space: LoadedSpace, query: SearchQuery): Promise<Page<FoundPage> & { before: number }> {
  const { id } = space.doc
  const asked: SpaceQuery = { query: query.query, offset: offsetOf(query), limit: query.limit }
  await within(WAIT_MS.behind, updateIndex(app, space))
  let hits = await ask(app, space, asked)
  if (hits.revision === null) {
    app.search.known.delete(id)
    await within(WAIT_MS.none, updateIndex(app, space))
    hits = await ask(app, space, asked)
  }
  if (hits.revision === null)
    throw new ServiceError('unavailable', 'The search index of the space is being made. Try again in a few seconds.', { headers: { 'Retry-After': '5' } })
  return { ...pageOfRanked(hits.pages, hits.count, asked.offset), before: asked.offset }
}

async function ask(app: App, space: LoadedSpace, query: SpaceQuery): Promise<SpaceHits> {
  const head = headOf(space)
  const [hits] = await app.search.find(space.doc.id, [[space.doc.id, query]], ORGANIZATION_MS.find)
  if (!hits || hits.revision === null || hits.revision === head) return hits ?? { revision: null, count: 0, pages: [] }
  const { pages } = await searchablePages(app, space, head)
  const allowed = pages.map(({ id, oid }): [string, string] => [id, oid])
  const [same] = await app.search.find(space.doc.id, [[space.doc.id, { ...query, allowed }]], ORGANIZATION_MS.find)
  return same ?? { revision: null, count: 0, pages: [] }
}

/** Waits for work, but no longer than `ms`; then the work goes on for those who come later. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  work.catch(() => {})
  const over = new AbortController()
  try {
    await Promise.race([work, wait(ms, undefined, { signal: over.signal })])
  } finally {
    over.abort()
  }
}

/**
 * The spaces of an organization that the caller may see and that have matches, with their best pages, best first. Spaces whose index
 * is not at the head of main in time are left out.
 */
export async function searchOrganization(app: App, actor: Actor, organization: LoadedOrganization, query: SearchQuery): Promise<Page<FoundSpace>> {
  offsetOf(query)
  const all = (await app.store.find(spaces, 'organization', organization.doc.id)).filter(({ deletedAt }) => deletedAt === undefined)
  const visible = await visibleSpaces(app, actor, organization.doc.id, all)
  return searchSpaces(app, organization.doc.id, visible, query)
}

/** The pages of a space that may be found, by ID and blob; null = none. */
type AllowedPages = (space: LoadedSpace) => Promise<SpaceQuery['allowed'] | null>

/**
 * The spaces that have matches, with their best pages, best first. Spaces whose index is not at the head of main in time are left out.
 * @param allowed narrows what is found, for somebody who does not see all pages
 */
export async function searchSpaces(
  app: App,
  owner: string,
  visible: readonly VisibleSpace[],
  query: SearchQuery,
  allowed?: AllowedPages,
): Promise<Page<FoundSpace>> {
  const offset = offsetOf(query)
  const asked: SpaceQuery = { query: query.query, offset: 0, limit: PAGES_OF_SPACE }
  const found = await findInSpaces(app, owner, visible, asked, allowed)
  const best = ({ pages }: Pick<FoundSpace, 'pages'>): number => pages[0]?.score ?? 0
  found.sort((a, b) => best(b) - best(a) || (a.space.doc.id < b.space.doc.id ? -1 : 1))
  let before = 0
  const ranked = found.map((one) => {
    const counted = { ...one, before }
    before += one.pages.length
    return counted
  })
  return pageOfRanked(ranked.slice(offset, offset + query.limit), found.length, offset)
}

/** Asks the indexes of spaces. An index that turns out to be gone is made anew, and asked again. */
async function findInSpaces(
  app: App,
  organization: string,
  visible: readonly VisibleSpace[],
  asked: SpaceQuery,
  allowed?: AllowedPages,
): Promise<Omit<FoundSpace, 'before'>[]> {
  const found: Omit<FoundSpace, 'before'>[] = []
  for (let left = visible, round = 0; left.length > 0 && round < 2; round++) {
    const narrowed = await narrow(await upToDate(app, left), asked, allowed)
    const ready = narrowed.map(({ space }) => space)
    const heads = ready.map((space) => headOf(space))
    const questions = narrowed.map(({ space, query }): [string, SpaceQuery] => [space.doc.id, query])
    const hits = await app.search.find(organization, questions, ORGANIZATION_MS.find)
    left = ready.filter((_, index) => hits[index]?.revision === null)
    for (const { doc } of left) app.search.known.delete(doc.id)
    for (const [index, { revision, pages }] of hits.entries()) {
      const space = ready[index]
      if (space && revision === heads[index] && pages.length > 0) found.push({ space, pages })
    }
  }
  return found
}

/** What each space is asked. One that shows nothing to the caller, or for which the time was not enough, is left out. */
async function narrow(ready: readonly LoadedSpace[], asked: SpaceQuery, allowed?: AllowedPages): Promise<{ space: LoadedSpace; query: SpaceQuery }[]> {
  const until = performance.now() + ORGANIZATION_MS.find
  const narrowed: { space: LoadedSpace; query: SpaceQuery }[] = []
  for (const space of ready) {
    if (!allowed) narrowed.push({ space, query: asked })
    else if (performance.now() < until) {
      const pages = await allowed(space)
      if (pages) narrowed.push({ space, query: { ...asked, allowed: pages } })
    }
  }
  return narrowed
}

/** Opens spaces, brings their indexes up to date, and returns those for which the time was enough. */
async function upToDate(app: App, visible: readonly VisibleSpace[]): Promise<LoadedSpace[]> {
  const until = performance.now() + ORGANIZATION_MS.update
  const ready: LoadedSpace[] = []
  const look = async (one: VisibleSpace): Promise<void> => {
    const space = { ...one, repo: await app.git.open(repositoryName(one.doc.id)) }
    if (!isUpToDate(app, space)) await within(until - performance.now(), updateIndex(app, space))
    if (isUpToDate(app, space)) ready.push(space)
  }
  let next = 0
  const lane = async (): Promise<void> => {
    for (let one = visible[next++]; one && performance.now() < until; one = visible[next++]) {
      // One space that cannot be read must not take the others with it.
      await look(one).catch((error: unknown) => app.log.warn({ err: error, space: one.doc.id }, 'A space could not be searched.'))
    }
  }
  await Promise.all(Array.from({ length: UPDATES_AT_ONCE }, lane))
  return ready
}
