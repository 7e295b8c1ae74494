/** A site for one reader: their view, its addresses, and its customization. */
import type { App } from '../domain/context/app.js'
import {
  chosenTheme,
  draftedCustomization,
  effectiveCustomization,
  getCustomization,
} from '../domain/sites/customization.js'
import type { Preview } from '../domain/sites/preview.js'
import { customizationFor } from '../domain/sites/visitor-customization.js'
import type { Visitor } from '../domain/sites/visitor.js'
import { defined } from '../kernel/defined.js'
import { isShared } from './access.js'
import type { Audience, SiteRequest } from './exchange.js'
import type { Look } from './look/attributes.js'

/** A site for one reader. */
export interface Visit {
  app: App
  visitor: Visitor
  /** The path of the site in links, without a trailing slash. Behind a proxy it is the path that readers see. */
  base: string
  /** The address of the site that readers use, without a trailing slash. */
  address: string
  audience: Audience
  /** The gate's decision about the reader, as text. Readers with the same decision see the same content. */
  outcome: string
  /** Whether search engines may list the pages of the site. */
  isIndexed: boolean
  /** Absent unless it is a preview. */
  preview?: Omit<Preview, 'visitor'>
  /** Set if the pages are for a bundle, which has no server. */
  offline?: true
  request: SiteRequest
  /** Returns the customization of the site, or of one of its spaces, for this reader. */
  look(siteSpace?: string): Promise<Look>
}

/** The arguments of `openVisit`. */
interface Opening {
  app: App
  request: SiteRequest
  /** The path of the site in links, without a trailing slash. */
  base: string
  address: string
  visitor: Visitor
  preview?: Omit<Preview, 'visitor'>
}

/** Opens the visit of an admitted reader. */
export function openVisit({ app, request, base, address, visitor, preview }: Opening): Visit {
  const { doc: site } = visitor.site
  const shared = isShared(site)
  return {
    app,
    visitor,
    base,
    address,
    audience: preview ? 'no one' : shared ? 'public' : 'private',
    outcome: shared ? '' : JSON.stringify(visitor.claims),
    isIndexed: !preview && site.visibility === 'public',
    ...defined({ preview }),
    request,
    look: async (siteSpace) => ({
      ...customizationFor(
        visitor,
        preview?.hasDraftLook
          ? await draftedCustomization(app.store, site, siteSpace)
          : siteSpace === undefined
            ? await getCustomization(app.store, site)
            : await effectiveCustomization(app.store, site, siteSpace),
      ),
      ...defined({ chosenTheme: await chosenTheme(app.store, site, siteSpace) }),
    }),
  }
}
