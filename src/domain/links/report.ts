/** Reports the links of a revision with their status, for one caller. */
import { type Link, linkKey, type Problem } from '../../content/links/link.js'
import { type LinkGraph, OUTSIDE, SPECIFICATIONS } from '../../content/links/link-graph.js'
import { Slices } from '../../kernel/slices.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import { hasPart } from '../revisions/spec-parts.js'
import { linksOf } from '../revisions/link-graph.js'
import { type OpenRevision, openRevision } from '../revisions/revisions.js'
import { SpaceAddresses } from './addresses.js'
import { type AddressPlace, Places } from './places.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { spanOf } from '../change-requests/span.js'
import { headOf } from '../revisions/main-content.js'
import { normalizePath } from '../../content/paths.js'
import { filesBeside } from '../revisions/outside-files.js'

/**
 * Finds the addresses of links out of the project directory: below `repoTreeURL` if the space has one, otherwise the
 * path in the repository if that file exists. Links that are missing in the result refer to no file.
 */
async function outsideAddresses(
  { space, snapshot }: Pick<OpenRevision, 'space' | 'snapshot'>,
  links: readonly Link[],
): Promise<Map<Link, string>> {
  const { git } = space.doc
  const found = new Map<Link, string>()
  if (links.length === 0 || git === undefined || git.directory === '') return found
  const { directory, repoTreeURL } = git
  const targets = links.flatMap((link) => {
    const path = link.to?.kind === 'outside' ? normalizePath(link.to.path, directory) : null
    return link.to?.kind === 'outside' && path ? [{ link, path, rest: link.to.rest }] : []
  })
  const base = repoTreeURL?.replace(/\/+$/, '')
  const beside = base === undefined ? await filesBeside(space, new Set(targets.map(({ path }) => path))) : null
  for (const { link, path, rest } of targets) {
    const own = path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : null
    if (base !== undefined) found.set(link, `${base}/${path.split('/').map(encodeURIComponent).join('/')}${rest}`)
    else if (beside?.has(path) || (own !== null && (await snapshot.entry(own)))) found.set(link, path + rest)
  }
  return found
}

type LinkStatus = 'ok' | 'broken' | 'in-app'

/** The status of a link. */
interface LinkState {
  status: LinkStatus
  problem: Problem | null
  /** The resolved address, if it is a part of the service that the caller may see. */
  place: AddressPlace | null
  /** The address of a file outside the project directory. */
  address?: string
}

/** The links of a revision for one caller. */
export class LinkReport {
  private constructor(
    readonly graph: LinkGraph,
    /**
     * Links to addresses of the service, broken links to specifications, and links to files outside the project
     * directory.
     */
    private readonly elsewhere: ReadonlyMap<Link, LinkState>,
  ) {}

  /**
   * Resolves links to addresses and specifications. Other links cost nothing.
   * @param actor the caller; null = no one, who sees no other space
   */
  static async of(app: App, actor: Actor | null, revision: OpenRevision): Promise<LinkReport> {
    const graph = await linksOf(app, revision)
    const addresses = await SpaceAddresses.of(app, revision.space.doc.organization)
    const places = new Places(app, actor, revision, addresses)
    const elsewhere = new Map<Link, LinkState>()
    const slices = new Slices()
    for (const origin of addresses.origins())
      for (const link of graph.byOrigin.get(origin) ?? []) {
        const found = await places.find(link.target)
        if (found) elsewhere.set(link, found)
        else if (addresses.isInApp(link.target)) elsewhere.set(link, { status: 'in-app', problem: null, place: null })
        else if (origin === '') elsewhere.set(link, { status: 'broken', problem: 'missing', place: null })
        if (slices.due) await slices.rest()
      }
    for (const link of graph.byTarget.get(SPECIFICATIONS) ?? []) {
      if (
        link.to?.kind === 'openapi' &&
        !(await hasPart(app, revision.space.doc.organization, link.to.spec, link.to.part))
      )
        elsewhere.set(link, { status: 'broken', problem: 'specification', place: null })
      if (slices.due) await slices.rest()
    }
    for (const [link, address] of await outsideAddresses(revision, graph.byTarget.get(OUTSIDE) ?? []))
      elsewhere.set(link, { status: 'ok', problem: null, place: null, address })
    return new LinkReport(graph, elsewhere)
  }

  stateOf(link: Link): LinkState {
    return (
      this.elsewhere.get(link) ?? {
        status: link.problem === null ? 'ok' : 'broken',
        problem: link.problem,
        place: null,
      }
    )
  }

  /** Filters links by status in slices, since a space may have a hundred thousand. */
  async having(status: LinkStatus, links: readonly Link[]): Promise<Link[]> {
    const found: Link[] = []
    const slices = new Slices()
    for (const [n, link] of links.entries()) {
      if ((this.elsewhere.get(link)?.status ?? (link.problem === null ? 'ok' : 'broken')) === status) found.push(link)
      if (n % CHECK_INTERVAL === 0 && slices.due) await slices.rest()
    }
    return found
  }

  /**
   * Returns the keys of all broken links. A link that is written the same on the same page has the same key in every
   * revision.
   */
  async broken(): Promise<Set<string>> {
    const found = new Set<string>()
    const slices = new Slices()
    for (const link of await this.having('broken', this.graph.links)) {
      found.add(linkKey(link))
      if (slices.due) await slices.rest()
    }
    return found
  }
}

/** Number of links between two checks of the time slice. */
const CHECK_INTERVAL = 100

/**
 * Returns the keys of links that are broken without the change request: on main (or in the revision before its merge),
 * or where it branched off. The change request introduced its other broken links.
 */
export async function brokenWithout(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
): Promise<Set<string>> {
  const { before, merge } = await spanOf(app, space, changeRequest)
  const other =
    merge === null ? headOf(space) : ((await space.repo.history.mergeBase(before, changeRequest.head)) ?? before)
  const broken = new Set<string>()
  for (const commit of new Set([before, other]))
    for (const key of await (await LinkReport.of(app, actor, await openRevision(app, space, commit))).broken())
      broken.add(key)
  return broken
}
