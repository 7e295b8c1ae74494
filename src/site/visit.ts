/** Opens a site for the reader of a request: their credentials, what they see, and how the site looks to them. */
import type { App } from '../domain/context/app.js'
import { effectiveCustomization, getCustomization } from '../domain/sites/customization.js'
import type { LocatedSite } from '../domain/sites/locate.js'
import { openToReader, type Visitor } from '../domain/sites/visitor.js'
import { customizationFor } from '../domain/sites/visitor-customization.js'
import { isSiteDefault, shownSiteSpaces } from '../domain/sites/view.js'
import type { SiteCustomization } from '../model/index.js'
import type { Audience, SiteRequest } from './exchange.js'

/** A site as one reader sees it. */
export interface Visit {
  app: App
  visitor: Visitor
  /** The path of the site in links, without a trailing slash. Behind a proxy it is the path that readers see. */
  base: string
  /** The address of the site that readers use, without a trailing slash. */
  address: string
  audience: Audience
  /** Returns the customization of the site, or of one of its spaces, for this reader. */
  look(siteSpace?: string): Promise<SiteCustomization>
}

/** Opens the site. Throws 404 and 403 like `openToReader`. */
export async function openVisit(
  app: App,
  located: LocatedSite,
  _request: SiteRequest,
  address: string,
): Promise<Visit> {
  const { site, organization } = located
  const visitor = await openToReader(app, { organization, site }, {})
  const isShared = (site.visibility === 'public' || site.visibility === 'unlisted') && !site.adaptiveContent.enabled
  return {
    app,
    visitor,
    base: site.proxy === undefined ? located.base : new URL(address).pathname,
    address,
    audience: isShared ? 'public' : 'private',
    look: async (siteSpace) =>
      customizationFor(
        visitor,
        siteSpace === undefined
          ? await getCustomization(app.store, site)
          : await effectiveCustomization(app.store, site, siteSpace),
      ),
  }
}

/** Returns the customization of the default space of a site, for pages that belong to no space. */
export const defaultLook = (visit: Visit): Promise<SiteCustomization> =>
  visit.look(shownSiteSpaces(visit.visitor.view).find(isSiteDefault)?.entry.id)
