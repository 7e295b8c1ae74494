// Turns sites into the JSON that members of the organization get.
import { presentSitePermissions } from '../../access/index.js'
import type { Actor } from '../../domain/context/actor.js'
import type { App } from '../../domain/context/app.js'
import { siteAddress } from '../../domain/context/app-addresses.js'
import type { LoadedOrganization, LoadedSite } from '../../domain/context/loaded.js'
import { ownSiteURLs, proxyOf, publishedSite } from '../../domain/sites/addresses.js'
import { countWaiting } from '../../domain/suggestions/send.js'
import { previewToken } from '../../domain/sites/preview.js'
import { type SiteDoc, siteSpacesOf } from '../../model/index.js'
import { defined } from '../../kernel/defined.js'

/** Returns the API path of a site. */
export const sitePath = (site: SiteDoc): string => `/v1/orgs/${site.organization}/sites/${site.id}`

/** Returns the API URL of a site. */
export const siteLocation = (app: Pick<App, 'settings'>, site: SiteDoc): string =>
  `${app.settings.publicUrl}${sitePath(site)}`

/** Additional features of a site. A self-hosted service has all of them. */
const customizations: string[] = []
const features = [{ id: 'sites-adaptive-content', plan: 'basic', frozen: false, customizations }]

/** The audience of the addresses of a site. */
interface ForWhom {
  /** The caller, who gets a preview of the site. The response is only for them. */
  previewer?: Actor
  /** A valid share key. */
  shareKey?: string | undefined
}

/** Returns a site with the number of suggestions that wait for the caller's review. */
export async function presentSiteToReviewer(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  site: LoadedSite,
) {
  const waitingSuggestions = (await countWaiting(app, actor, site)) || undefined
  return { ...presentSite(app, organization, site, { previewer: actor }), ...defined({ waitingSuggestions }) }
}

/** Returns a site. A self-hosted service has no ad network, so an application for ads is always pending. */
export function presentSite(
  app: App,
  organization: LoadedOrganization,
  { doc, role }: LoadedSite,
  { previewer, shareKey }: ForWhom = {},
) {
  const address = { app, organization: organization.doc, site: doc, ...defined({ shareKey }) }
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
    ...defined({ hostname: doc.hostname }),
    basename: doc.basename,
    ...defined({ proxy }),
    visibility: doc.visibility,
    published: doc.published,
    defaultLevel: doc.defaultLevel ?? ('inherit' as const),
    siteSpaces: siteSpacesOf(doc.structure).filter((entry) => !entry.hidden).length,
    createdAt: doc.createdAt,
    adaptiveContent: doc.adaptiveContent,
    ads: { status: 'pending' as const, submittable: false },
    agentsContext: doc.agentsContext,
    provenance: doc.provenance ?? { enabled: false },
    statistics: doc.statistics ?? { enabled: false },
    pastVersions: doc.pastVersions ?? false,
    changesSince: doc.changesSince ?? false,
    suggestions: doc.suggestions ?? ('off' as const),
    features,
    urls: {
      location,
      app: siteAddress(app, doc.id),
      ...defined({ published }),
      ...ownSiteURLs(address, previewer && previewToken(app, doc.id, previewer.user.id)),
    },
    permissions: presentSitePermissions({ role, readOnly: app.readOnly }),
  }
}
