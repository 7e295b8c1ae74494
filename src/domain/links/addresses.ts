/** Parses addresses that point to a space: of the service itself, and of published sites. */
import { required } from '../../kernel/defined.js'
import { SPACE_PATH } from '../../content/links/resolve-link.js'
import { Slices } from '../../kernel/slices.js'
import { organizations, sites } from '../../model/index.js'
import type { App } from '../context/app.js'
import { publishedSpaces } from '../sites/published-spaces.js'

/** The part of a space that an address names. */
type AddressTarget =
  | { kind: 'space' }
  | { kind: 'page'; id: string }
  | { kind: 'file'; id: string }
  | { kind: 'path'; path: string }

/** A parsed address. */
export interface SpaceAddress {
  space: string
  named: AddressTarget
  /** The fragment as written, percent-encoded. Absent if there is none. */
  fragment?: string
  /** Whether it is an address of the service and not of a published site. */
  inApp: boolean
}

/** Paths below a space's address that the service serves, apart from pages. */
const SERVED =
  /^(?:content|revisions\/[^/]+|change-requests\/[^/]+(?:\/content)?)(?:\/(page|files|path)\/(.+))?$|^(?:change-requests|comments|git|links|pdf|permissions|revisions|search)(?:\/|$)/
/**
 * Maximum number of parts in the address of a site space: scheme, host, and the paths of proxy, site, section and site
 * space.
 */
const MAX_PARTS = 16
/** A path of the app: `/s/<id>` with an optional rest. */
const APP_PATH = /^\/s\/([\w-]{1,64})(?=\/|$)/
/** A page below a space's address in the app, in main or in a change request. */
const APP_PAGE = /^(?:c\/\d+\/)?p\/([^/]+)(?:\/(?:history|edit))?$/
const BY_ID = /^(page|pages|files)\/([^/]+)$/

/** The addresses of an organization's spaces. */
export class SpaceAddresses {
  readonly #service: URL

  /** @param published ID of the space by the address of each site space */
  private constructor(
    { settings }: Pick<App, 'settings'>,
    private readonly published: ReadonlyMap<string, string>,
  ) {
    this.#service = new URL(settings.publicUrl)
  }

  static async of(app: App, organization: string): Promise<SpaceAddresses> {
    const owner = await app.store.get(organizations, organization)
    const published = new Map<string, string>()
    const slices = new Slices()
    for (const site of owner ? await app.store.find(sites, 'organization', organization) : []) {
      if (owner)
        for (const { url, space } of publishedSpaces({ app, organization: owner, site })) published.set(url, space)
      if (slices.due) await slices.rest()
    }
    return new SpaceAddresses(app, published)
  }

  /** Returns the origins of these addresses in lower case; '' stands for paths such as `/spaces/<id>`. */
  origins(): Set<string> {
    const origins = new Set(['', this.#service.origin])
    for (const url of this.published.keys()) origins.add(url.split('/', 3).join('/').toLowerCase())
    return origins
  }

  /** Parses an address. Null if it points to no space of the service or of a published site of the organization. */
  read(target: string): SpaceAddress | null {
    const own = target.startsWith('/')
    const base = own ? this.#service.origin : undefined
    const written = own ? this.#service.pathname.replace(/\/$/, '') + target : target
    if (!URL.canParse(written, base)) return null
    const url = new URL(written, base)
    const fragment = url.hash.length > 1 ? { fragment: url.hash.slice(1) } : {}
    return this.#inApp(url, fragment) ?? this.#onSite(url, fragment)
  }

  /** Whether a URL is an address of the service itself. Addresses of sites, published or not, do not count. */
  isInApp(target: string): boolean {
    if (!URL.canParse(target)) return false
    const url = new URL(target)
    const path = this.#pathInService(url)
    return path !== null && !/^\/sites(?:\/|$)/.test(path) && this.#onSite(url, {}) === null
  }

  /** Returns the path below the address of the service. Null for another service. */
  #pathInService(url: URL): string | null {
    const base = this.#service.pathname.replace(/\/$/, '')
    return url.origin === this.#service.origin && `${url.pathname}/`.startsWith(`${base}/`)
      ? url.pathname.slice(base.length)
      : null
  }

  #inApp(url: URL, fragment: { fragment?: string }): SpaceAddress | null {
    const path = this.#pathInService(url)
    const shown = path === null ? null : APP_PATH.exec(path)
    if (path !== null && shown)
      return { space: required(shown[1]), named: shownIn(path.slice(shown[0].length), url), ...fragment, inApp: true }
    const match = path === null ? null : SPACE_PATH.exec(path)
    if (path === null || !match) return null
    return { space: required(match[1]), named: named(path.slice(match[0].length)), ...fragment, inApp: true }
  }

  /**
   * Finds the longest address of a site space that is a prefix of this one. The default site space of a site has the
   * site's own address.
   */
  #onSite(url: URL, fragment: { fragment?: string }): SpaceAddress | null {
    const whole = `${url.origin}${url.pathname.replace(/\/$/, '')}`
    for (
      let base = whole.split('/', MAX_PARTS).join('/');
      base.length >= url.origin.length;
      base = base.slice(0, Math.max(0, base.lastIndexOf('/')))
    ) {
      const space = this.published.get(base)
      if (space !== undefined)
        return {
          space,
          named: { kind: 'path', path: decoded(whole.slice(base.length + 1)) },
          ...fragment,
          inApp: false,
        }
    }
    return null
  }
}

/** Parses the rest of an address of the app, after the space. */
function shownIn(rest: string, { searchParams }: URL): AddressTarget {
  const page = APP_PAGE.exec(rest.slice(1))?.[1]
  const id = page === undefined ? searchParams.get('page') : decoded(page)
  return id === null ? { kind: 'space' } : { kind: 'page', id }
}

/** Parses the rest of an address of the service, after the space. */
function named(rest: string): AddressTarget {
  const path = rest.replace(/^\/+|\/+$/g, '')
  const served = SERVED.exec(path)
  const [, kind, id] = served ?? BY_ID.exec(path) ?? []
  if (kind === 'path') return { kind: 'path', path: decoded(required(id)) }
  if (kind === 'files') return { kind: 'file', id: decoded(required(id)) }
  if (kind !== undefined) return { kind: 'page', id: decoded(required(id)) }
  return path === '' || served ? { kind: 'space' } : { kind: 'path', path: decoded(path) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
