/**
 * Declares the endpoints that read links once. The main content, change requests and revisions mount them under their
 * own paths.
 */
import { type Link, linkKey } from '../../content/links/link.js'
import type { PageEntry } from '../../content/types.js'
import type { Actor } from '../../domain/context/actor.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../../domain/context/loaded.js'
import { backlinkKey, backlinksOf, type LinkedTo } from '../../domain/links/backlinks.js'
import { LinkLines } from '../../domain/links/lines.js'
import { LinkReport } from '../../domain/links/report.js'
import { openShown } from '../../domain/revisions/computed.js'
import { getFile, getPage } from '../../domain/revisions/pages.js'
import type { OpenRevision } from '../../domain/revisions/revisions.js'
import { type PageQuery, paginate, paginateSorted, type SortKey } from '../../kernel/paging.js'
import { Slices } from '../../kernel/slices.js'
import { BacklinkList, BacklinksQuery, LinkList, LinksQuery } from '../../model/index.js'
import { endpoint, type Loaded, loadedBelow } from '../service.js'
import { Locations } from './locations.js'
import { presentBacklink, presentLink, presentWithin } from './present.js'

type BelowSpace = `/v1/spaces/{spaceId}${string}`

/** The content whose links are read. */
interface LinkedContent<Path extends BelowSpace> {
  /** Path of the list of all links. */
  links: `${Path}/links`
  /** Path of the content, with pages and files below it. */
  content: BelowSpace
  /** The noun in summaries. */
  noun: string
  section: string
  open: (loaded: Loaded<Path>) => OpenRevision | Promise<OpenRevision>
  /** Returns the change request of the content; null if there is none. */
  changeRequest: (loaded: Loaded<Path>) => LoadedChangeRequest | null
  /** Returns the keys of links that are broken without the change request; null if there is none. */
  brokenWithout: (loaded: Loaded<Path> & { actor: Actor }) => Promise<ReadonlySet<string>> | null
}

/** The context of every read, regardless of the content. */
interface LinkRequest {
  app: App
  actor: Actor
  space: LoadedSpace
}

const linksDescription =
  'Ordered by file; each target of a page is listed once. `target` is the text of the link; `targetReference` and `locationReferences` contain the ' +
  'objects themselves. Links to addresses of this service are `in-app`: their target is shown if you can see it, and otherwise treated as if it did not ' +
  'exist. Links to other services are `ok` and not followed. Anchors are checked. A page of the list may end before `limit` if it is large.'
const backlinksDescription =
  'Lists the pages, table of contents entries and reusable content that link to it, each once: first those of this space, ordered by file, then those of ' +
  'other spaces of the organization that you can see. A page of the list may end before `limit` if it is large. Returns 503 while many other spaces are ' +
  'being read for the first time.'

const linkSortKey = (link: Link): SortKey => [link.source.gitPath, linkKey(link)]

/** Returns the functions that list the links of some content and the backlinks of a part of it. */
function listsOf<const Path extends BelowSpace>(of: LinkedContent<Path>) {
  const open = async (context: LinkRequest) => {
    const loaded = { ...loadedBelow<Path>(context), actor: context.actor }
    const revision = await of.open(loaded)
    return {
      revision,
      locations: new Locations(context.app, context.actor, { revision, changeRequest: of.changeRequest(loaded) }),
      loaded,
    }
  }
  const list = async (context: LinkRequest, query: LinksQuery, page?: string) => {
    const { revision, locations, loaded } = await open(context)
    if (page !== undefined) await shownPage(context.app, revision, page, of.changeRequest(loaded) !== null)
    const report = await LinkReport.of(context.app, context.actor, revision)
    const without = await of.brokenWithout(loaded)
    const links = page === undefined ? report.graph.links : (report.graph.bySource.get(page) ?? [])
    const broken = await report.having('broken', links)
    const shown =
      query.status === undefined ? links : query.status === 'broken' ? broken : await report.having(query.status, links)
    const written = { locations, lines: new LinkLines(context.app, revision) }
    const items = await presentWithin(paginateSorted(shown, query, linkSortKey), linkSortKey, (link) =>
      presentLink(written, revision, report, link, without),
    )
    return {
      ...items,
      stats: { total: links.length, broken: { total: broken.length, changeRequest: await countNew(broken, without) } },
    }
  }
  const backlinks = async (
    context: LinkRequest,
    query: PageQuery,
    find: (revision: OpenRevision, isBranch: boolean) => LinkedTo | Promise<LinkedTo>,
  ) => {
    const { revision, locations, loaded } = await open(context)
    const key = backlinkKey(revision)
    const found = await backlinksOf(
      context.app,
      context.actor,
      revision,
      await find(revision, of.changeRequest(loaded) !== null),
    )
    return presentWithin(paginate(found, query, key), key, (backlink) => presentBacklink(locations, backlink))
  }
  return { list, backlinks }
}

/** Declares the endpoints that list the links and backlinks of some content. */
export function linkReads<const Path extends BelowSpace>(of: LinkedContent<Path>) {
  const common = { method: 'GET', section: of.section, needs: 'space:view' } as const
  const { list, backlinks } = listsOf(of)
  return {
    links: endpoint({
      ...common,
      path: of.links as BelowSpace,
      summary: `List the links of ${of.noun}`,
      description: linksDescription,
      query: LinksQuery,
      returns: LinkList,
      handle: (context) => list(context, context.query),
    }),
    pageLinks: endpoint({
      ...common,
      path: `${of.content}/page/{pageId}/links`,
      summary: `List the links of a page of ${of.noun}`,
      description: `${linksDescription} \`stats\` counts the links of the page.`,
      query: LinksQuery,
      returns: LinkList,
      handle: (context) => list(context, context.query, context.pageId),
    }),
    pageBacklinks: endpoint({
      ...common,
      path: `${of.content}/page/{pageId}/backlinks`,
      summary: `List the backlinks of a page of ${of.noun}`,
      description: backlinksDescription,
      query: BacklinksQuery,
      returns: BacklinkList,
      fails: [503],
      handle: (context) =>
        backlinks(context, context.query, async (revision, isBranch) => ({
          page: await shownPage(context.app, revision, context.pageId, isBranch),
        })),
    }),
    fileBacklinks: endpoint({
      ...common,
      path: `${of.content}/files/{fileId}/backlinks`,
      summary: `List the backlinks of a file of ${of.noun}`,
      description: backlinksDescription,
      query: BacklinksQuery,
      returns: BacklinkList,
      fails: [503],
      handle: (context) =>
        backlinks(context, context.query, async (revision) => ({
          file: (await getFile(context.app, revision, context.fileId)).place,
        })),
    }),
  }
}

/**
 * Returns a page as readers see it. Pages generated from a specification have no links, but can be link
 * targets. Throws 404 if there is none.
 */
async function shownPage(app: App, revision: OpenRevision, id: string, isBranch: boolean): Promise<PageEntry> {
  const { structure, space, snapshot } = revision
  return structure.byId.get(id) ?? getPage(await openShown(app, space, snapshot.commit, isBranch), id)
}

/** Counts the broken links that the change request introduces. */
async function countNew(broken: readonly Link[], without: ReadonlySet<string> | null): Promise<number> {
  if (without === null) return 0
  const slices = new Slices()
  let count = 0
  for (const link of broken) {
    if (!without.has(linkKey(link))) count++
    if (slices.due) await slices.rest()
  }
  return count
}
