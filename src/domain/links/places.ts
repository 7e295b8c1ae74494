/** Resolves addresses to content of this space or of others that the caller may see. */
import type { FileEntry, PageEntry } from '../../content/types.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import { MAIN } from '../context/refs.js'
import { anchorOn } from '../revisions/link-graph.js'
import { withComputed } from '../revisions/computed.js'
import { openMain } from '../revisions/main-content.js'
import { findPageByPath } from '../revisions/pages.js'
import { filesOf, type OpenRevision } from '../revisions/revisions.js'
import { findSpace } from '../roles/access.js'
import type { SpaceAddress, SpaceAddresses } from './addresses.js'

/** The target of an address: a space, or a page, anchor or file of it. */
export interface AddressPlace {
  revision: OpenRevision
  page?: PageEntry
  file?: FileEntry
  anchor?: string
}

/** The result of resolving an address. */
interface ResolvedPlace {
  status: 'ok' | 'broken' | 'in-app'
  problem: 'missing' | 'anchor' | null
  /** Null if it points to no space that the caller may see. */
  place: AddressPlace | null
}

/** Maximum number of other spaces that are opened for one request. Links to further spaces show only their address. */
const MAX_SPACES = 100

/** Resolves addresses for one caller. A space that the caller may not see is treated like one that does not exist. */
export class Places {
  readonly #open = new Map<string, Promise<OpenRevision | null>>()
  readonly #found = new Map<string, Promise<ResolvedPlace | null>>()

  /**
   * @param actor the caller; null = no one, who sees no other space
   * @param home the current revision, to which links into its own space point
   */
  constructor(
    private readonly app: App,
    private readonly actor: Actor | null,
    private readonly home: OpenRevision,
    private readonly addresses: SpaceAddresses,
  ) {}

  /** Resolves a target. Null if it is not an address of a space. */
  find(target: string): Promise<ResolvedPlace | null> {
    const known = this.#found.get(target) ?? this.#find(target)
    this.#found.set(target, known)
    return known
  }

  async #find(target: string): Promise<ResolvedPlace | null> {
    const address = this.addresses.read(target)
    if (!address) return null
    const status = address.inApp ? 'in-app' : 'ok'
    const revision = await this.#revision(address.space)
    if (!revision) return { status, problem: null, place: null }
    const place = await placeIn(this.app, revision, address)
    if (!place) return { status: 'broken', problem: 'missing', place: null }
    const page = place.page
    if (address.fragment === undefined || page?.type !== 'document') return { status, problem: null, place }
    const anchor = await anchorOn(this.app, revision, page.gitPath, address.fragment)
    if (anchor === null) return { status: 'broken', problem: 'anchor', place }
    return { status, problem: null, place: { ...place, anchor: anchor ?? address.fragment } }
  }

  #revision(space: string): Promise<OpenRevision | null> {
    if (space === this.home.space.doc.id) return Promise.resolve(this.home)
    const known = this.#open.get(space)
    if (known) return known
    if (this.actor === null || this.#open.size >= MAX_SPACES) return Promise.resolve(null)
    const opened = openVisible(this.app, this.actor, space)
    this.#open.set(space, opened)
    return opened
  }
}

async function openVisible(app: App, actor: Actor, id: string): Promise<OpenRevision | null> {
  const space = await findSpace(app, actor, id)
  return space?.repo.refs.head(MAIN) ? openMain(app, space) : null
}

/** Resolves an address in a revision of its space. Null if the target does not exist. */
export async function placeIn(
  app: App,
  revision: OpenRevision,
  { named }: Pick<SpaceAddress, 'named'>,
): Promise<AddressPlace | null> {
  if (named.kind === 'space') return { revision }
  if (named.kind === 'file') {
    const file = (await filesOf(app, revision)).find(({ id }) => id === named.id)
    return file ? { revision, file } : null
  }
  const pageIn = (opened: OpenRevision) =>
    named.kind === 'page' ? opened.structure.byId.get(named.id) : findPageByPath(opened, named.path)
  const written = pageIn(revision)
  if (written) return { revision, page: written }
  const shown = await withComputed(app, revision, null)
  const page = pageIn(shown)
  return page ? { revision: shown, page } : null
}
