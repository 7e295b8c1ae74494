/** Endpoints of the external links in the groups of a site: clients list, add, edit and delete them. */
import { Type } from '@sinclair/typebox'
import { changeLink, createLink, deleteLink } from '../../domain/sites/edit-links.js'
import { shownLinks, viewSite } from '../../domain/sites/view.js'
import { paginate } from '../../kernel/paging.js'
import {
  CreateSiteExternalLink,
  pageQuery,
  SiteExternalLink,
  SiteExternalLinkList,
  UpdateSiteExternalLink,
} from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { sitePath } from './present.js'
import { presentLink, presentLinkById } from './present-structure.js'

const section = 'Site section groups'
const base = '/v1/orgs/{organizationId}/sites/{siteId}/external-links'

export const listSiteExternalLinks = endpoint({
  method: 'GET',
  path: base,
  summary: 'List the external links of a site',
  description: 'In their order on the site. Groups also list them among their `children`.',
  section,
  needs: 'site:view',
  query: Type.Object(pageQuery),
  returns: SiteExternalLinkList,
  handle: async ({ app, actor, organization, site, query }) => {
    const view = await viewSite(app, actor, organization, site)
    const page = paginate(shownLinks(view), query, ({ sortKey, entry }) => [sortKey, entry.id])
    return { ...page, items: page.items.map((one) => presentLink(app, view, one)) }
  },
})

export const addExternalLinkToSite = endpoint({
  method: 'POST',
  path: base,
  summary: 'Add an external link to a group of a site',
  description:
    'The link is placed last in the group. `target` is an https or http URL, or a path of the site. Returns 409 for more than 200 links.',
  section,
  needs: 'site:create',
  body: CreateSiteExternalLink,
  status: 201,
  returns: SiteExternalLink,
  fails: [409],
  handle: async ({ app, actor, organization, site, body }) => {
    const made = await createLink(app, actor, site, body)
    const presented = presentLinkById(app, await viewSite(app, actor, organization, made.site), made.id)
    return created(presented, `${sitePath(site.doc)}/external-links/${made.id}`)
  },
})

export const getSiteExternalLinkById = endpoint({
  method: 'GET',
  path: `${base}/{siteExternalLinkId}`,
  summary: 'Get an external link of a site',
  section,
  needs: 'site:view',
  returns: SiteExternalLink,
  handle: async ({ app, actor, organization, site, link }) =>
    presentLinkById(app, await viewSite(app, actor, organization, site), link.id),
})

export const updateSiteExternalLinkById = endpoint({
  method: 'PATCH',
  path: `${base}/{siteExternalLinkId}`,
  summary: 'Change an external link of a site',
  description: 'A different `sectionGroup` moves the link to the end of that group. Set `icon` to null to remove it.',
  section,
  needs: 'site:create',
  body: UpdateSiteExternalLink,
  returns: SiteExternalLink,
  handle: async ({ app, actor, organization, site, link, body }) =>
    presentLinkById(
      app,
      await viewSite(app, actor, organization, await changeLink(app, actor, site, link.id, body)),
      link.id,
    ),
})

export const deleteSiteExternalLinkById = endpoint({
  method: 'DELETE',
  path: `${base}/{siteExternalLinkId}`,
  summary: 'Delete an external link of a site',
  section,
  needs: 'site:create',
  deletes: 'leaf',
  handle: async ({ app, actor, site, link }) => void (await deleteLink(app, actor, site, link.id)),
})
