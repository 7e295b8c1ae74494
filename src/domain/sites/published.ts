import { notFound } from '../../kernel/errors.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedOrganization, LoadedSite } from '../context/loaded.js'
import { isGroup, type SiteView, viewSite } from './view.js'

/**
 * What visitors of a site get, with what the caller may see of it: without sections and groups that have nothing to show.
 * Throws 404 while it is not published, and for a share key that opens nothing.
 */
export async function viewPublishedSite(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  site: LoadedSite,
  shareKey: string | undefined,
): Promise<SiteView> {
  if (!site.doc.published) throw notFound('The published site')
  const view = await viewSite(app, actor, organization, site, shareKey)
  if (site.doc.visibility === 'share-link' && shareKey !== undefined && view.address.shareKey === undefined) throw notFound('The share link')
  const items = view.items.flatMap((item): SiteView['items'] => {
    if (!isGroup(item)) return item.siteSpaces.length > 0 ? [item] : []
    const sections = item.sections.filter((section) => section.siteSpaces.length > 0)
    return sections.length > 0 ? [{ ...item, sections }] : []
  })
  return { ...view, items }
}
