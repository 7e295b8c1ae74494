// Builds the URLs under which a site and its spaces are published.
import { isIP } from 'node:net'
import { LRUCache } from 'lru-cache'
import { required } from '../../kernel/defined.js'
import { badRequest } from '../../kernel/errors.js'
import type { OrganizationDoc, SectionEntry, SiteDoc, SiteSpaceEntry } from '../../model/index.js'
import type { App } from '../context/app.js'

type AddressParts = Readonly<Pick<URL, 'protocol' | 'hostname' | 'pathname'>>

const parsed = new LRUCache<string, AddressParts>({ max: 500 })

/** Returns the parts of an address. It is parsed once, because every request compares those of the service and its site. */
export function partsOf(address: string): AddressParts {
  const known = parsed.get(address)
  if (known) return known
  const { protocol, hostname, pathname } = new URL(address)
  const parts = { protocol, hostname, pathname }
  parsed.set(address, parts)
  return parts
}

/** The data that a site's URLs depend on. */
export interface SiteAddress {
  app: Pick<App, 'settings'>
  organization: OrganizationDoc
  site: SiteDoc
  /** A valid share key of the site, which is added to its URLs. */
  shareKey?: string
}

/**
 * Returns the URL under which the service itself serves a site: its own hostname, otherwise `/{basename}` on the
 * organization's hostname, otherwise below the origin of the sites. `locate.ts` finds the site of such a URL.
 */
export function servedAt({ app, organization, site }: SiteAddress): string {
  const { origin, perOrganization } = app.settings.sites
  const base = encodeURIComponent(site.basename)
  if (site.hostname !== undefined) return onHost(origin, site.hostname)
  if (organization.customHostname !== undefined) return `${onHost(origin, organization.customHostname)}/${base}`
  if (perOrganization && organization.hostname !== undefined)
    return `${onHost(origin, `${organization.hostname}.${partsOf(origin).hostname}`)}/${base}`
  return `${origin}/${organization.hostname ?? organization.id}/${base}`
}

/** Returns the origin of all published sites without a custom host name, for a security policy. */
export const sitesSource = ({ origin, perOrganization }: App['settings']['sites']): string =>
  perOrganization ? `${origin} ${origin.replace('//', '//*.')}` : origin

/**
 * Whether a host name belongs to the service itself: that of the API, that of the sites, and all names below it if
 * each organization has one. Sites and organizations cannot use such a name.
 */
export function isServiceHost({ settings }: Pick<App, 'settings'>, hostname: string): boolean {
  const sites = partsOf(settings.sites.origin).hostname
  return (
    hostname === partsOf(settings.publicUrl).hostname ||
    hostname === sites ||
    (settings.sites.perOrganization && hostname.endsWith(`.${sites}`))
  )
}

/**
 * Throws 400 if a site or organization cannot have a host name.
 * @param field JSON pointer of the body's member
 */
export function checkHostname(app: Pick<App, 'settings'>, hostname: string, field: string): void {
  if (isServiceHost(app, hostname))
    throw badRequest('The service itself uses this hostname. Choose another one.', [
      { path: field, message: 'must be a hostname that the service does not use' },
    ])
  if (isIP(hostname) !== 0)
    throw badRequest('The hostname must not be an IP address.', [
      { path: field, message: 'must be a hostname, such as docs.example.org' },
    ])
}

/** Returns an origin with another host name. */
function onHost(origin: string, hostname: string): string {
  const url = new URL(origin)
  url.hostname = hostname
  return url.origin
}

/**
 * Returns the URLs of a reverse proxy in front of a site: visitors use `origin`, and the proxy forwards to `target`.
 */
export const proxyOf = (address: SiteAddress): { origin: string; target: string } | undefined =>
  address.site.proxy === undefined ? undefined : { origin: `https://${address.site.proxy}`, target: servedAt(address) }

/**
 * Returns the URL that visitors use for a site: the proxy's or the service's own. Undefined if the site is not
 * published. With a share key every URL contains `/~share/{key}`.
 */
export function publishedSite(address: SiteAddress): string | undefined {
  if (!address.site.published) return undefined
  const base = proxyOf(address)?.origin ?? servedAt(address)
  return address.shareKey === undefined ? base : `${base}/~share/${address.shareKey}`
}

/**
 * Returns the URLs of a site that do not depend on publishing: its preview and, with visitor authentication, sign-in
 * and sign-out.
 * @param preview the token of the preview; without it, the preview is the site itself
 */
export function ownSiteURLs(
  address: SiteAddress,
  preview?: string,
): { preview: string; login?: string; logout?: string } {
  const { visibility } = address.site
  const base = required(publishedSite({ ...address, site: { ...address.site, published: true } }))
  const signIn = visibility === 'visitor-auth' ? { login: `${base}/~auth/login`, logout: `${base}/~auth/logout` } : {}
  return { preview: preview === undefined ? base : previewAt(address, preview), ...signIn }
}

/** Returns the URL of a preview. It never uses the team's proxy, which may cache responses. */
export const previewAt = (address: SiteAddress, token: string): string => `${servedAt(address)}/~preview/${token}`

/** Returns the URL of a section. The default section is at the root of the site. */
export function publishedSection(address: SiteAddress, section: SectionEntry, isDefault: boolean): string | undefined {
  const base = publishedSite(address)
  return base === undefined || isDefault ? base : `${base}/${encodeURIComponent(section.path)}`
}

/**
 * Returns the URL of a site space. The default one of a section has the section's URL. The others are below the
 * section's path, even in the default section, so that no two site spaces have the same URL.
 */
export function publishedSiteSpace(
  address: SiteAddress,
  entry: SiteSpaceEntry,
  within: { section?: SectionEntry; isDefaultSection: boolean; isDefault: boolean },
): string | undefined {
  const { section, isDefaultSection, isDefault } = within
  const base = publishedSite(address)
  if (base === undefined) return undefined
  if (isDefault) return section ? publishedSection(address, section, isDefaultSection) : base
  return [base, ...(section ? [section.path] : []), entry.path]
    .map((part, i) => (i === 0 ? part : encodeURIComponent(part)))
    .join('/')
}
