/** Finds the site at an address of a reader: the reverse of `addresses.ts`. */
import { decodePercent } from '../../content/paths.js'
import { basenameKey, type OrganizationDoc, organizations, type SiteDoc, sites } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import { isServiceHost, partsOf } from './addresses.js'

/** A site, and the part of the address below it. */
export interface LocatedSite {
  organization: Document<OrganizationDoc>
  site: Document<SiteDoc>
  /** The path at which this request found the site, encoded, without a trailing slash: `/acme/docs`, or ''. */
  base: string
  /** The rest of the path, encoded, with a leading slash. */
  path: string
}

/** The root of an organization's host name. */
export interface LocatedOrganization {
  organization: Document<OrganizationDoc>
  /** The path of the organization, without a trailing slash. */
  base: string
}

/**
 * Finds the site at an address. The site need not be published: the visitor gate decides who may enter.
 * @param hostname in lowercase, without the port
 * @param path the encoded path of the request
 */
export async function locate(
  app: App,
  hostname: string,
  path: string,
): Promise<LocatedSite | LocatedOrganization | null> {
  const { store, settings } = app
  // A host name from before the operator changed the origin must not take that of the service.
  if (!isServiceHost(app, hostname)) {
    const [own] = await store.find(sites, 'hostname', hostname)
    if (own) {
      const organization = await store.get(organizations, own.organization)
      return organization && { organization, site: own, base: '', path }
    }
    const [custom] = await store.find(organizations, 'customHostname', hostname)
    if (custom) return inOrganization(app, custom, '', path)
  }
  const { origin, perOrganization } = settings.sites
  const suffix = `.${partsOf(origin).hostname}`
  if (perOrganization && hostname.endsWith(suffix)) {
    const [named] = await store.find(organizations, 'hostname', hostname.slice(0, -suffix.length))
    return named ? inOrganization(app, named, '', path) : null
  }
  const [name, rest] = firstPart(path)
  if (name === '') return null
  const organization = (await store.find(organizations, 'hostname', name))[0] ?? (await store.get(organizations, name))
  return organization && inOrganization(app, organization, `/${encodeURIComponent(name)}`, rest)
}

async function inOrganization(
  app: App,
  organization: Document<OrganizationDoc>,
  above: string,
  path: string,
): Promise<LocatedSite | LocatedOrganization | null> {
  if (/^\/?$/.test(path)) return { organization, base: above }
  const [basename, rest] = firstPart(path)
  const [site] = await app.store.find(sites, 'basename', basenameKey({ organization: organization.id, basename }))
  return site
    ? { organization, site, base: `${above}/${encodeURIComponent(basename)}`, path: rest === '' ? '/' : rest }
    : null
}

/** Splits a path after its first part, which is decoded. It is '' if it cannot be a name. */
function firstPart(path: string): [name: string, rest: string] {
  const [, part = '', rest = ''] = /^\/([^/]*)(.*)$/.exec(path) ?? []
  const name = decodePercent(part) ?? ''
  return [/\p{Cc}/u.test(name) ? '' : name, rest]
}

/** Maximum length of a host name in DNS. */
const MAX_HOSTNAME = 253

/** Whether a host name serves a site, for certificates on demand. */
export async function isServedHost(app: App, hostname: string): Promise<boolean> {
  if (hostname.length > MAX_HOSTNAME) return false
  return hostname === partsOf(app.settings.sites.origin).hostname || (await locate(app, hostname, '/')) !== null
}
