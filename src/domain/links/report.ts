/** Reports the links of a revision with their status, for one caller. */
import { type Link, linkKey, type Problem } from '../../content/links/link.js'
import { type LinkGraph, OUTSIDE, SPECIFICATIONS } from '../../content/links/link-graph.js'
import { Slices } from '../../kernel/slices.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import { hasPart } from '../revisions/spec-parts.js'
import { linksOf } from '../revisions/link-graph.js'
import type { OpenRevision } from '../revisions/revisions.js'
import { SpaceAddresses } from './addresses.js'
import { outsideAddresses } from './outside.js'
import { type AddressPlace, Places } from './places.js'

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

  /** Resolves links to addresses and specifications. Other links cost nothing. */
  static async of(app: App, actor: Actor, revision: OpenRevision): Promise<LinkReport> {
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
