// Sites, as the API shows them to members of the organization.
import { presentSitePermissions } from '../../access/index.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedOrganization, LoadedSite } from '../../domain/context/loaded.js'
import { ownSiteURLs, proxyOf, publishedSite } from '../../domain/sites/addresses.js'
import { type SiteDoc, siteSpacesOf } from '../../model/index.js'

/** The path of a site in the API. */
export const sitePath = (site: SiteDoc): string => `/v1/orgs/${site.organization}/sites/${site.id}`

/** The URL of a site in the API. */
export const siteLocation = (app: Pick<App, 'settings'>, site: SiteDoc): string =>
  `${app.settings.publicUrl}${sitePath(site)}`

/** What a site can do besides showing spaces. A self-hosted service withholds nothing. */
const features = [{ id: 'sites-adaptive-content', plan: 'basic', frozen: false, customizations: [] as string[] }]

/** A site. There is no ad network behind a self-hosted service: an application for ads is pending, and cannot be handed in. */
export function presentSite(app: App, organization: LoadedOrganization, { doc, role }: LoadedSite, shareKey?: string) {
  const address = { app, organization: organization.doc, site: doc, ...(shareKey === undefined ? {} : { shareKey }) }
  const location = siteLocation(app, doc)
  const proxy = proxyOf(address)
  const published = publishedSite(address)
  return {
    object: 'site' as const,
    id: doc.id,
    type: doc.type,
    appliedType: doc.type,
    title: doc.title,
    icon: doc.icon,
    ...(doc.hostname === undefined ? {} : { hostname: doc.hostname }),
    basename: doc.basename,
    ...(proxy === undefined ? {} : { proxy }),
    visibility: doc.visibility,
    published: doc.published,
    defaultLevel: doc.defaultLevel ?? ('inherit' as const),
    siteSpaces: siteSpacesOf(doc.structure).filter((entry) => !entry.hidden).length,
    createdAt: doc.createdAt,
    adaptiveContent: doc.adaptiveContent,
    ads: { status: 'pending' as const, submittable: false },
    agentsContext: doc.agentsContext,
    features,
    urls: { location, app: location, ...(published === undefined ? {} : { published }), ...ownSiteURLs(address) },
    permissions: presentSitePermissions({ role, readOnly: app.readOnly }),
  }
}
