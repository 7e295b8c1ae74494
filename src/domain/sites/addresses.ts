import type { OrganizationDoc, SectionEntry, SiteDoc, SiteSpaceEntry } from '../../model/index.js'
import type { App } from '../context/app.js'

/** What the addresses of a site are made from. */
export interface SiteAddress {
  app: Pick<App, 'settings'>
  organization: OrganizationDoc
  site: SiteDoc
  /** A share key that was found to be valid for the site: its addresses then carry it. */
  shareKey?: string
}

/** Where the service itself serves a site: its own hostname, else `/sites/{organization}/{basename}` below the service. */
export function servedAt({ app, organization, site }: SiteAddress): string {
  const { publicUrl } = app.settings
  if (site.hostname !== undefined) return `${new URL(publicUrl).protocol}//${site.hostname}`
  return `${publicUrl}/sites/${organization.hostname ?? organization.id}/${encodeURIComponent(site.basename)}`
}

/** The addresses of a reverse proxy in front of a site: `origin` is what visitors see, `target` where it must forward to. */
export const proxyOf = (address: SiteAddress): { origin: string; target: string } | undefined =>
  address.site.proxy === undefined ? undefined : { origin: `https://${address.site.proxy}`, target: servedAt(address) }

/**
 * What a visitor's browser shows for a site, or undefined while it is not published: the proxy's address, else where
 * the service serves it. With a share key every address goes on with `/~share/{key}`.
 */
export function publishedSite(address: SiteAddress): string | undefined {
  if (!address.site.published) return undefined
  const base = proxyOf(address)?.origin ?? servedAt(address)
  return address.shareKey === undefined ? base : `${base}/~share/${address.shareKey}`
}

/** Address of a section: the default one is at the root of the site. */
export function publishedSection(address: SiteAddress, section: SectionEntry, isDefault: boolean): string | undefined {
  const base = publishedSite(address)
  return base === undefined || isDefault ? base : `${base}/${encodeURIComponent(section.path)}`
}

/**
 * Address of a site space. The default one of a section has the section's address; the others come below the section's
 * path, that of the default section too, so that no two can ever be the same.
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
  return [base, ...(section ? [section.path] : []), entry.path].map((part, i) => (i === 0 ? part : encodeURIComponent(part))).join('/')
}
