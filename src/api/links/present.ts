/** Turns links and backlinks into the JSON that clients get, up to a maximum size. */
import { type Link, linkKey, type Problem } from '../../content/links/link.js'
import { SUBMODULE_ADVICE } from '../../content/submodules.js'
import type { PageEntry } from '../../content/types.js'
import type { Backlink } from '../../domain/links/backlinks.js'
import type { LinkLines } from '../../domain/links/lines.js'
import type { AddressPlace } from '../../domain/links/places.js'
import type { LinkReport } from '../../domain/links/report.js'
import type { OpenRevision } from '../../domain/revisions/revisions.js'
import { encodeCursor, type Page, type SortKey } from '../../kernel/paging.js'
import type { RawJson } from '../../kernel/raw-json.js'
import { Slices } from '../../kernel/slices.js'
import type { ContentLocation, Link as LinkJson } from '../../model/index.js'
import type { Locations, LinkLocation } from './locations.js'
import { defined, required } from '../../kernel/defined.js'
import { asSerialized } from '../../kernel/raw-json.js'

/**
 * Maximum size of a list page in bytes, even if `limit` allows more. The objects in it are complete, and may be large.
 */
const MAX_BYTES = 8 * 1024 * 1024

const problems: Record<Problem, string> = {
  missing: 'This page or file does not exist. Correct the link, or remove it.',
  submodule: `The link ${SUBMODULE_ADVICE}.`,
  outside:
    'The link points outside the project directory, and the repository is not known to contain this file. Correct the link, or set `repoTreeURL` in the ' +
    'next import or export.',
  anchor: 'The page has no such heading or ID. Link to an existing one, or to the page.',
  specification:
    'The organization has no such OpenAPI specification, or the specification has no such operation, webhook or schema. Correct the slug or the part.',
  deleted: 'The target was deleted. Link to something else, or remove the link.',
}

/** Returns the reason why a link is broken and what to do, as sentences. */
export const explain = (problem: Problem, { like }: Link): string =>
  problem === 'missing' && like !== undefined
    ? `This page or file does not exist. ${like} differs only in case. Correct the link, or rename the file.`
    : problems[problem]

/** A link or location as JSON, with its approximate size in bytes. */
interface Presented<T> {
  json: T
  bytes: number
}

/** Presents the items of a list page until its size limit is reached. The next page starts there. */
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

/**
 * Presents one link. `without`: keys of the links that are broken without the change request; null outside change
 * requests.
 */
export async function presentLink(
  { locations, lines }: { locations: Locations; lines: LinkLines },
  revision: OpenRevision,
  report: LinkReport,
  link: Link,
  without: ReadonlySet<string> | null,
): Promise<Presented<LinkJson>> {
  const { status, problem } = report.stateOf(link)
  const target = await presentTarget(locations, revision, report, link)
  const location = await locations.present(revision, sourceOf(revision, link.source))
  const written = status === 'broken' ? await lines.of(link) : []
  const json = {
    status,
    relation: link.relation,
    target: link.target,
    ...(problem === null ? {} : { problem: explain(problem, link) }),
    ...(status === 'broken' ? { file: link.source.gitPath } : {}),
    ...(written.length > 0 ? { lines: [...written] } : {}),
    ...(status === 'broken' && without ? { brokenByChangeRequest: !without.has(linkKey(link)) } : {}),
    ...(target === null ? {} : { targetReference: target.json }),
    locationReferences: [asSerialized<ContentLocation>(location)],
  }
  return { json, bytes: 500 + location.length + (target?.bytes ?? 0) }
}

/** Returns the target of a link; null if the caller may not see it or it does not exist. */
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
  return raw(await locations.present(home, shownPage(required(home.structure.byId.get(to.id)), to.anchor)))
}

const shownPage = (page: PageEntry, anchor: string | undefined): LinkLocation => ({
  kind: 'page',
  page,
  ...defined({ anchor }),
})

function shownOf({ page, file, anchor }: AddressPlace): LinkLocation {
  if (page) return shownPage(page, anchor)
  return file ? { kind: 'file', gitPath: file.gitPath } : { kind: 'space' }
}

const raw = (json: RawJson): Presented<ContentLocation> => ({
  json: asSerialized(json),
  bytes: json.length,
})

/** Returns the page or reusable content that contains the link. */
function sourceOf({ structure }: OpenRevision, { kind, id }: Link['source']): LinkLocation {
  return kind === 'page' ? { kind, page: required(structure.byId.get(id)) } : { kind, id }
}

/** Presents one backlink: the location of the link. */
export const presentBacklink = async (
  locations: Locations,
  { revision, source }: Backlink,
): Promise<Presented<ContentLocation>> => raw(await locations.present(revision, sourceOf(revision, source)))
