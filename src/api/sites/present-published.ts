import type { App, LoadedOrganization, LoadedSite } from '../../domain/app.js'
import type { SiteView } from '../../domain/sites/view.js'
import { presentSite } from './present.js'
import { presentStructure } from './present-structure.js'

/** What visitors of a site get. */
export const presentPublished = async (app: App, organization: LoadedOrganization, site: LoadedSite, view: SiteView) => ({
  object: 'published-content-site' as const,
  site: presentSite(app, organization, site, view.address.shareKey),
  structure: await presentStructure(app, view),
  customizations: { site: {}, siteSpaces: {} },
  scripts: [],
})
