import type { App } from '../../domain/context/app.js'
import type { LoadedOrganization, LoadedSite } from '../../domain/context/loaded.js'
import { listCustomizations } from '../../domain/sites/customization.js'
import { type SiteView, shownSiteSpaces } from '../../domain/sites/view.js'
import { presentSite } from './present.js'
import { presentStructure } from './present-structure.js'

/** What visitors of a site get. */
export async function presentPublished(app: App, organization: LoadedOrganization, site: LoadedSite, view: SiteView) {
  const customizations = await listCustomizations(app.store, site.doc)
  const shown = new Set(shownSiteSpaces(view).map(({ entry }) => entry.id))
  return {
    object: 'published-content-site' as const,
    site: presentSite(app, organization, site, view.address.shareKey),
    structure: await presentStructure(app, view),
    customizations: { ...customizations, siteSpaces: Object.fromEntries(Object.entries(customizations.siteSpaces).filter(([id]) => shown.has(id))) },
    scripts: [],
  }
}
