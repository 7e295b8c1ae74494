/**
 * Finds the links to a page or file, in its own space and in other spaces of the organization that the caller may see.
 */
import type { LinkSource } from '../../content/links/link.js'
import type { OutwardLink } from '../../content/links/outward-links.js'
import type { FileEntry, PageEntry } from '../../content/types.js'
import { ServiceError } from '../../kernel/errors.js'
import type { SortKey } from '../../kernel/paging.js'
import { Slices } from '../../kernel/slices.js'
import { spaces } from '../../model/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import { MAIN } from '../context/refs.js'
import { addressesIn, linksOf } from '../revisions/link-graph.js'
import { openMain } from '../revisions/main-content.js'
import type { OpenRevision } from '../revisions/revisions.js'
import { openSpaces, visibleSpaces } from '../spaces/spaces.js'
import { SpaceAddresses } from './addresses.js'
import { placeIn } from './places.js'

/** The source of a link to the page or file. */
export interface Backlink {
  revision: OpenRevision
  source: LinkSource
}

/** The target of the links. */
export type LinkedTo = { page: PageEntry } | { file: FileEntry }

/**
 * Time limit in milliseconds for searching the other spaces of an organization. Spaces that were read by then are
 * cached for the next request.
 */
const DEADLINE_MS = 10_000

/** Returns the sort key of a backlink: the space itself first, then the others; in each by file. */
export const backlinkKey =
  (home: OpenRevision) =>
  ({ revision, source }: Backlink): SortKey => {
    const space = revision === home ? '' : revision.space.doc.id
    return [`${space}/${source.gitPath}`, source.id]
  }

/**
 * Finds the links to a page or a file of a revision, each source once, in no order. Links to an anchor on the page
 * count. Throws 503 if the first search of the other spaces takes too long.
 */
export async function backlinksOf(app: App, actor: Actor, home: OpenRevision, to: LinkedTo): Promise<Backlink[]> {
  const graph = await linksOf(app, home)
  const own = graph.byTarget.get('page' in to ? `page:${to.page.id}` : `file:${to.file.gitPath}`) ?? []
  const addresses = await SpaceAddresses.of(app, home.space.doc.organization)
  const find = (revision: OpenRevision, links: ReadonlyMap<string, readonly OutwardLink[]>) =>
    byAddress(app, { home, to, addresses }, revision, links)
  const found = [...own.map(({ source }) => ({ revision: home, source })), ...(await find(home, graph.byOrigin))]
  const end = performance.now() + DEADLINE_MS
  for (const space of await otherSpaces(app, actor, home)) {
    if (performance.now() > end) throw stillReading()
    if (!space.repo.refs.head(MAIN)) continue
    const revision = await openMain(app, space)
    found.push(...(await find(revision, await addressesIn(app, revision))))
  }
  const seen = new Set<string>()
  return found.filter(({ revision, source }) => {
    const key = `${revision.space.doc.id}/${source.id}`
    return !seen.has(key) && seen.add(key)
  })
}

const stillReading = (): ServiceError =>
  new ServiceError(
    'unavailable',
    'The other spaces of the organization are still being read for the first time. Retry in a moment.',
    {
      headers: { 'Retry-After': '1' },
    },
  )

async function otherSpaces(app: App, actor: Actor, { space }: OpenRevision) {
  const { documents } = await app.store.page(spaces, 'createdAt', space.doc.organization, {
    limit: Number.POSITIVE_INFINITY,
    direction: 'asc',
  })
  const others = documents.filter(({ id, deletedAt }) => id !== space.doc.id && deletedAt === undefined)
  const opened = await openSpaces(app, await visibleSpaces(app, actor, space.doc.organization, others))
  // Links from a space that is out of service reappear after its repair.
  return opened.flatMap(({ repo, ...one }) => (repo === null ? [] : [{ ...one, repo }]))
}

/** Returns the sources of the links whose address points to the page or file. */
async function byAddress(
  app: App,
  { home, to, addresses }: { home: OpenRevision; to: LinkedTo; addresses: SpaceAddresses },
  revision: OpenRevision,
  links: ReadonlyMap<string, readonly OutwardLink[]>,
): Promise<Backlink[]> {
  const found: Backlink[] = []
  const slices = new Slices()
  for (const origin of addresses.origins())
    for (const { source, target } of links.get(origin) ?? []) {
      if (slices.due) await slices.rest()
      const address = addresses.read(target)
      if (!address || address.space !== home.space.doc.id) continue
      const place = await placeIn(app, home, address)
      if ('page' in to ? place?.page?.id === to.page.id : place?.file?.id === to.file.id)
        found.push({ revision, source })
    }
  return found
}
