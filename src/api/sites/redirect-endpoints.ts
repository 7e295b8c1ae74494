/** Endpoints of a site's redirects: clients list, create, edit and delete them. */
import { Type } from '@sinclair/typebox'
import { createRedirect, deleteRedirect, listRedirects, updateRedirect } from '../../domain/sites/redirects.js'
import { CreateSiteRedirect, listOf, pageQuery, SiteRedirect, UpdateSiteRedirect } from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentRedirect, presentRedirects, sitePath } from './present-site-documents.js'

const section = 'Site redirects'
const base = '/v1/orgs/{organizationId}/sites/{siteId}/redirects'

export const listSiteRedirects = endpoint({
  method: 'GET',
  path: base,
  summary: 'List the redirects of a site',
  section,
  needs: 'site:view',
  query: Type.Object(pageQuery),
  returns: listOf(SiteRedirect, { $id: 'SiteRedirectList' }),
  handle: async ({ app, site, query }) => {
    const page = await listRedirects(app, site, query)
    return { ...page, items: await presentRedirects(app, site, page.items) }
  },
})

export const createSiteRedirect = endpoint({
  method: 'POST',
  path: base,
  summary: 'Create a redirect',
  description:
    'The source is a path of the site. It is compared and returned in its normal form (no trailing slash, no empty segments, percent-encoded UTF-8). The ' +
    'destination is a URL, another path of the site, or a page, space, section or site space of the site. Returns 409 if the source already has a redirect, ' +
    'or if redirects would form a loop. A site can have at most 5,000 redirects.',
  section,
  needs: 'site:admin',
  body: CreateSiteRedirect,
  status: 201,
  returns: SiteRedirect,
  fails: [409],
  handle: async ({ app, actor, site, body }) => {
    const redirect = await createRedirect(app, actor, site, body)
    return created(await presentRedirect(app, site, redirect), `${sitePath(site)}/redirects/${redirect.id}`)
  },
})

export const getSiteRedirectById = endpoint({
  method: 'GET',
  path: `${base}/{redirectId}`,
  summary: 'Get a redirect',
  section,
  needs: 'site:view',
  returns: SiteRedirect,
  handle: ({ app, site, redirect }) => presentRedirect(app, site, redirect),
})

export const updateSiteRedirectById = endpoint({
  method: 'PATCH',
  path: `${base}/{redirectId}`,
  summary: 'Change a redirect',
  section,
  needs: 'site:admin',
  body: UpdateSiteRedirect,
  returns: SiteRedirect,
  fails: [409],
  handle: async ({ app, actor, site, redirect, body }) =>
    presentRedirect(app, site, await updateRedirect(app, actor, site, redirect, body)),
})

export const deleteSiteRedirectById = endpoint({
  method: 'DELETE',
  path: `${base}/{redirectId}`,
  summary: 'Delete a redirect',
  section,
  needs: 'site:admin',
  deletes: 'leaf',
  handle: ({ app, actor, site, redirect }) => deleteRedirect(app, actor, site, redirect),
})
