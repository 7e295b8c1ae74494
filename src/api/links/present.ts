/** Turns links and backlinks into the JSON that clients get, up to a number of bytes. */
import { type Link, linkKey, type Problem } from '../../content/links/link.js'
import { SUBMODULE_ADVICE } from '../../content/submodules.js'
import type { PageEntry } from '../../content/types.js'
import type { Backlink } from '../../domain/links/backlinks.js'
import type { AddressPlace } from '../../domain/links/places.js'
import type { LinkReport } from '../../domain/links/report.js'
import type { OpenRevision } from '../../domain/revisions/revisions.js'
import { encodeCursor, type Page, type SortKey } from '../../kernel/paging.js'
import type { RawJson } from '../../kernel/raw-json.js'
import { Slices } from '../../kernel/slices.js'
import type { ContentLocation, Link as LinkJson } from '../../model/index.js'
import type { Locations, LinkLocation } from './locations.js'

/** Where a page of a list ends even if `limit` allows more, in bytes: the objects in it are whole, and may be large. */
const MAX_BYTES = 8 * 1024 * 1024

const problems: Record<Problem, string> = {
  missing: 'There is no such page or file. Correct the link, or remove it.',
  submodule: `The link ${SUBMODULE_ADVICE}.`,
  outside:
    'The link leads out of the project directory, and the repository is not known to have such a file. Correct the link, or give `repoTreeURL` with the next import or export.',
  anchor: 'The page has no such heading or ID. Link to one that it has, or to the page.',
  specification:
    'The organization has no such OpenAPI specification, or the specification has no such operation, webhook or schema. Correct the slug or the part.',
  deleted: 'What it led to was deleted. Link to something else, or remove it.',
}

const explain = (problem: Problem, { like }: Link): string =>
  problem === 'missing' && like !== undefined
    ? `There is no such page or file. ${like} differs only in upper and lower case: correct the link, or rename the file.`
    : problems[problem]

/** A link or a location, and how many bytes of JSON are in it. */
interface Presented<T> {
  json: T
  bytes: number
}

/** Presents the items of a page of a list, until there are too many bytes: then the next page begins there. */
export async function presentWithin<I, T>(
  page: Page<I>,
  key: (item: I) => SortKey,
  present: (item: I) => Promise<Presented<T>>,
): Promise<Page<T>> {
  const items: T[] = []
  let total = 0
  const slices = new Slices()
  for (const item of page.items) {
    const { json, bytes } = await present(item)
    items.push(json)
    total += bytes
    if (slices.due) await slices.rest()
    if (total > MAX_BYTES && items.length < page.items.length)
      return { items, count: page.count, next: { page: encodeCursor(key(item)) } }
  }
  return { ...page, items }
}

/** Presents one link. `without`: the keys of links that are broken without the change request; null outside of change requests. */
export async function presentLink(
  locations: Locations,
  revision: OpenRevision,
  report: LinkReport,
  link: Link,
  without: ReadonlySet<string> | null,
): Promise<Presented<LinkJson>> {
  const { status, problem } = report.stateOf(link)
  const target = await presentTarget(locations, revision, report, link)
  const location = await locations.present(revision, sourceOf(revision, link.source))
  const json = {
    status,
    relation: link.relation,
    target: link.target,
    ...(problem === null ? {} : { problem: explain(problem, link) }),
    ...(status === 'broken' && without ? { brokenByChangeRequest: !without.has(linkKey(link)) } : {}),
    ...(target === null ? {} : { targetReference: target.json }),
    locationReferences: [location as unknown as ContentLocation],
  }
  return { json, bytes: 500 + location.length + (target?.bytes ?? 0) }
}

/** What a link leads to; null if that is nothing that the caller may see. */
async function presentTarget(
  locations: Locations,
  home: OpenRevision,
  report: LinkReport,
  link: Link,
): Promise<Presented<ContentLocation> | null> {
  const { status, place, address } = report.stateOf(link)
  if (address !== undefined) return { json: { kind: 'url', url: address }, bytes: address.length }
  if (place) return raw(await locations.present(place.revision, shownOf(place)))
  const { to } = link
  if (to === null || to.kind === 'outside' || (to.kind === 'url' && status !== 'ok')) return null
  if (to.kind === 'url') return { json: to, bytes: to.url.length }
  if (to.kind === 'openapi') return raw(await locations.specification(home, to.spec))
  if (to.kind !== 'page') return raw(await locations.present(home, to))
  return raw(await locations.present(home, shownPage(home.structure.byId.get(to.id) as PageEntry, to.anchor)))
}

const shownPage = (page: PageEntry, anchor: string | undefined): LinkLocation => ({
  kind: 'page',
  page,
  ...(anchor === undefined ? {} : { anchor }),
})

function shownOf({ page, file, anchor }: AddressPlace): LinkLocation {
  if (page) return shownPage(page, anchor)
  return file ? { kind: 'file', gitPath: file.gitPath } : { kind: 'space' }
}

const raw = (json: RawJson): Presented<ContentLocation> => ({
  json: json as unknown as ContentLocation,
  bytes: json.length,
})

/** The page or reusable content that something stands in. */
function sourceOf({ structure }: OpenRevision, { kind, id }: Link['source']): LinkLocation {
  return kind === 'page' ? { kind, page: structure.byId.get(id) as PageEntry } : { kind, id }
}

/** Presents one backlink: the place that links. */
export const presentBacklink = async (
  locations: Locations,
  { revision, source }: Backlink,
): Promise<Presented<ContentLocation>> => raw(await locations.present(revision, sourceOf(revision, source)))
