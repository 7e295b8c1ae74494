/** Searches the main content of a space, or of all spaces of an organization that the caller may see. */
import { required } from '../../kernel/defined.js'
import { setTimeout as wait } from 'node:timers/promises'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import {
  compareSortKeys,
  decodeCursor,
  encodeCursor,
  type Page,
  type PageQuery,
  type SortKey,
} from '../../kernel/paging.js'
import { spaces } from '../../model/index.js'
import type { FoundPage, SpaceHits, SpaceQuery } from '../../search/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization, LoadedSpace, VisibleSpace } from '../context/loaded.js'
import { repositoryName } from '../context/refs.js'
import { headOf } from '../revisions/main-content.js'
import { visibleSpaces } from '../spaces/spaces.js'
import { isUpToDate, partOf, searchablePages, updateIndex } from './update-index.js'

/**
 * Time that a search waits for the index of a space in milliseconds: `behind` if it has an older one, `none` if it has
 * none.
 */
const WAIT_MS = { behind: 2_000, none: 10_000 }
/** Interval at which a search that waits for a first index asks for its first part, in milliseconds. */
const PART_POLL_MS = 250
/** Time limits for a search in all spaces of an organization, in milliseconds: for index updates, and in total. */
const ORGANIZATION_MS = { update: 6_000, all: 10_000 }
/** Time limit for a search in one space in milliseconds. */
const FIND_MS = 2_000
/** Maximum number of rounds. A space is searched again if its index was deleted or its main moved during the search. */
const ROUNDS = 3
/** Number of repositories that one search opens concurrently. */
const OPENED_AT_ONCE = 16
/** Number of indexes that one search updates concurrently. */
const UPDATES_AT_ONCE = 4
/** Number of pages per space in the result of a search in all spaces. */
const PAGES_OF_SPACE = 5

export type { FoundPage }

/** The query for a page of hits. */
export type SearchQuery = PageQuery & { query: string }

/** The pages of one space. `partial` means that its index lacks pages of the head. `before`: the number of better results. */
type FoundPages = Page<FoundPage> & { before: number; partial?: true }

/** The hits in one space. */
export interface FoundSpace {
  space: LoadedSpace
  pages: FoundPage[]
  /** Number of pages of higher-ranked spaces in the whole result. */
  before: number
}

/** Spaces with hits. `partial` means that not all spaces could be searched. */
export type FoundSpaces = Page<FoundSpace> & { partial?: true }

/** Returns the position in a ranked list from a cursor. Throws 400. */
function offsetOf({ page }: SearchQuery): number {
  if (page === undefined) return 0
  const [position] = decodeCursor(page)
  if (typeof position !== 'number' || !Number.isInteger(position) || position < 0)
    throw badRequest('`page` is not a cursor of this list.')
  return position
}

function pageOfRanked<T>(items: T[], count: number, offset: number): Page<T> {
  const next = offset + items.length
  return { items, count, ...(items.length > 0 && next < count ? { next: { page: encodeCursor([next, '']) } } : {}) }
}

/**
 * Returns the matching pages of main, best first. If the index cannot be updated to the head of main in time, the
 * result is partial: it has only the pages that are indexed and unchanged since. Throws 503 if no page is indexed yet.
 */
export async function searchSpace(app: App, space: LoadedSpace, query: SearchQuery): Promise<FoundPages> {
  const { id } = space.doc
  const asked: SpaceQuery = { query: query.query, offset: offsetOf(query), limit: query.limit }
  await within(WAIT_MS.behind, updateIndex(app, space))
  let hits = await ask(app, space, asked)
  if (hits.revision === null) app.search.known.delete(id)
  for (const until = performance.now() + WAIT_MS.none; hits.revision === null && performance.now() < until; ) {
    await within(PART_POLL_MS, updateIndex(app, space))
    hits = await ask(app, space, asked)
  }
  if (hits.revision === null)
    throw new ServiceError('unavailable', 'The search index of the space is being built. Try again in a few seconds.', {
      headers: { 'Retry-After': '5' },
    })
  return {
    ...pageOfRanked(hits.pages, hits.count, asked.offset),
    before: asked.offset,
    ...(hits.revision === headOf(space) ? {} : { partial: true }),
  }
}

async function ask(app: App, space: LoadedSpace, query: SpaceQuery): Promise<SpaceHits> {
  const head = headOf(space)
  const [hits] = await app.search.find(space.doc.id, [[space.doc.id, query]], FIND_MS)
  if (!hits || hits.revision === null) return { revision: null, count: 0, pages: [] }
  // The pages of a part of the head's index are those of the head.
  if (hits.revision === head || hits.revision === partOf(head)) return hits
  const { pages } = await searchablePages(app, space, head)
  const allowed = pages.map(({ id, oid }): [string, string] => [id, oid])
  const [same] = await app.search.find(space.doc.id, [[space.doc.id, { ...query, allowed }]], FIND_MS)
  return same ?? { revision: null, count: 0, pages: [] }
}

/** Waits for work for at most `ms`. The work then continues for later callers. */
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
 * Returns the spaces of an organization that the caller may see and that have matches, with their best pages, best
 * first. The result is `partial` if a space could not be searched in time.
 */
export async function searchOrganization(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  query: SearchQuery,
): Promise<FoundSpaces> {
  keyOf(query)
  const all = (await app.store.find(spaces, 'organization', organization.doc.id)).filter(
    ({ deletedAt }) => deletedAt === undefined,
  )
  const visible = await visibleSpaces(app, actor, organization.doc.id, all)
  return searchSpaces(app, organization.doc.id, visible, query)
}

/** Returns the score and the space after which a page of results starts. Throws 400. */
function keyOf({ page }: SearchQuery): SortKey | null {
  if (page === undefined) return null
  const key = decodeCursor(page)
  if (typeof key[0] !== 'number') throw badRequest('`page` is not a cursor of this list.')
  return key
}

/** Returns the pages of a space that may be found, by ID and blob; null = none. */
type AllowedPages = (space: LoadedSpace) => Promise<SpaceQuery['allowed'] | null>

const rankOf = ({ space, pages }: Pick<FoundSpace, 'space' | 'pages'>): SortKey => [
  -(pages[0]?.score ?? 0),
  space.doc.id,
]

/**
 * Returns the spaces with matches and their best pages, best first. The cursor names the last space of a page, so a
 * space that is missing in one response does not shift others.
 * @param allowed restricts the result for callers who do not see all pages
 * @param pagesOfSpace maximum number of pages per space
 */
export async function searchSpaces(
  app: App,
  owner: string,
  visible: readonly VisibleSpace[],
  query: SearchQuery,
  allowed?: AllowedPages,
  pagesOfSpace: number = PAGES_OF_SPACE,
): Promise<FoundSpaces> {
  const after = keyOf(query)
  const asked: SpaceQuery = { query: query.query, offset: 0, limit: pagesOfSpace }
  const search = new SpacesSearch(app, owner, asked, allowed)
  const isComplete = await search.run(visible)
  let before = 0
  const found = search.found
    .sort((a, b) => compareSortKeys(rankOf(a), rankOf(b)))
    .map((one): FoundSpace => {
      const counted = { ...one, before }
      before += one.pages.length
      return counted
    })
  const rest = after === null ? found : found.filter((one) => compareSortKeys(rankOf(one), after) > 0)
  const items = rest.slice(0, query.limit)
  const last = items.at(-1)
  return {
    items,
    count: found.length,
    ...(last && items.length < rest.length ? { next: { page: encodeCursor(rankOf(last)) } } : {}),
    ...(isComplete ? {} : { partial: true }),
  }
}

/** One search in several spaces. */
class SpacesSearch {
  readonly found: Omit<FoundSpace, 'before'>[] = []
  readonly #started = performance.now()

  constructor(
    readonly app: App,
    readonly owner: string,
    readonly asked: SpaceQuery,
    readonly allowed: AllowedPages | undefined,
  ) {}

  /** Searches the spaces. Returns whether all of them were searched. */
  async run(visible: readonly VisibleSpace[]): Promise<boolean> {
    const opened = await this.#open(visible)
    let left = opened
    for (let round = 0; left.length > 0 && round < ROUNDS && this.#leftMs(ORGANIZATION_MS.all) > 0; round++) {
      const searched = await this.#find(await this.#upToDate(left))
      left = left.filter((space) => !searched.has(space))
    }
    if (left.length > 0 && this.allowed) await this.#find(left, true)
    return left.length === 0 && opened.length === visible.length
  }

  #leftMs(budgetMs: number): number {
    return this.#started + budgetMs - performance.now()
  }

  /** Opens the readable spaces. */
  async #open(visible: readonly VisibleSpace[]): Promise<LoadedSpace[]> {
    const opened: LoadedSpace[] = []
    await this.#each(visible, OPENED_AT_ONCE, async (one) => {
      const space = { ...one, repo: await this.app.git.open(repositoryName(one.doc.id)) }
      headOf(space)
      opened.push(space)
    })
    return opened
  }

  /**
   * Updates the indexes of spaces. Returns the spaces that were ready in time. Indexes that need no update always
   * count.
   */
  async #upToDate(all: readonly LoadedSpace[]): Promise<LoadedSpace[]> {
    const behind = all.filter((space) => !isUpToDate(this.app, space))
    await this.#each(behind, UPDATES_AT_ONCE, (space) =>
      within(this.#leftMs(ORGANIZATION_MS.update), updateIndex(this.app, space)),
    )
    return all.filter((space) => isUpToDate(this.app, space))
  }

  /** Does work for spaces until the time limit. A space that cannot be read must not affect the others. */
  async #each<S extends VisibleSpace>(
    all: readonly S[],
    width: number,
    work: (space: S) => Promise<void>,
  ): Promise<void> {
    let next = 0
    const lane = async (): Promise<void> => {
      for (let one = all[next++]; one && this.#leftMs(ORGANIZATION_MS.update) > 0; one = all[next++]) {
        const { id } = one.doc
        await work(one).catch((error: unknown) =>
          this.app.log.warn({ err: error, space: id }, 'A space could not be searched.'),
        )
      }
    }
    await Promise.all(Array.from({ length: Math.min(width, all.length) }, lane))
  }

  /**
   * Searches the indexes of spaces. Returns the spaces whose index has the current revision.
   * @param isBehind whether indexes with other revisions count too. Allowed pages that are the same there are found.
   */
  async #find(ready: readonly LoadedSpace[], isBehind = false): Promise<ReadonlySet<LoadedSpace>> {
    const searched = new Set<LoadedSpace>()
    const asked: { space: LoadedSpace; head: string; query: SpaceQuery }[] = []
    for (const space of ready) {
      const head = headOf(space)
      if (!this.allowed) asked.push({ space, head, query: this.asked })
      else if (this.#leftMs(ORGANIZATION_MS.all) > 0) {
        const pages = await this.allowed(space)
        if (pages) asked.push({ space, head, query: { ...this.asked, allowed: pages } })
        else searched.add(space)
      }
    }
    const questions = asked.map(({ space, query }): [string, SpaceQuery] => [space.doc.id, query])
    const hits =
      questions.length === 0
        ? []
        : await this.app.search.find(this.owner, questions, Math.max(0, this.#leftMs(ORGANIZATION_MS.all)))
    for (const [index, { revision, pages }] of hits.entries()) {
      const { space, head } = required(asked[index])
      if (revision === null) this.app.search.known.delete(space.doc.id)
      if (revision === null || (!isBehind && revision !== head && revision !== headOf(space))) continue
      searched.add(space)
      if (pages.length > 0) this.found.push({ space, pages })
    }
    return searched
  }
}
