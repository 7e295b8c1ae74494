// Turns a published site with its structure into the JSON that visitors get.
import type { App } from '../../domain/context/app.js'
import type { LoadedOrganization } from '../../domain/context/loaded.js'
import { listCustomizations } from '../../domain/sites/customization.js'
import { shownSiteSpaces } from '../../domain/sites/view.js'
import type { Visitor } from '../../domain/sites/visitor.js'
import { customizationFor } from '../../domain/sites/visitor-customization.js'
import { presentSite } from './present.js'
import { presentStructure } from './present-structure.js'

/** Returns a site as a visitor sees it. */
export async function presentPublished(app: App, organization: LoadedOrganization, visitor: Visitor) {
  const { site, view } = visitor
  const { site: look, siteSpaces } = await listCustomizations(app.store, site.doc)
  const shown = new Set(shownSiteSpaces(view).map(({ entry }) => entry.id))
  const own = Object.entries(siteSpaces).flatMap(([id, one]) =>
    shown.has(id) ? [[id, customizationFor(visitor, one)] as const] : [],
  )
  return {
    object: 'published-content-site' as const,
    // Only site spaces that the visitor sees: the total would reveal hidden ones.
    site: { ...presentSite(app, organization, site, { shareKey: view.address.shareKey }), siteSpaces: shown.size },
    structure: await presentStructure(app, view),
    customizations: { site: customizationFor(visitor, look), siteSpaces: Object.fromEntries(own) },
    scripts: [],
  }
}
