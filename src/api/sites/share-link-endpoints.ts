/**
 * Endpoints of share links, which let people without an account visit a site: admins create, edit, list and delete
 * them.
 */
import { Type } from '@sinclair/typebox'
import { createShareLink, deleteShareLink, listShareLinks, updateShareLink } from '../../domain/sites/share-links.js'
import { CreateShareLink, listOf, pageQuery, ShareLink, UpdateShareLink } from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentShareLink, sitePath } from './present-site-documents.js'

const section = 'Site share links'
const base = '/v1/orgs/{organizationId}/sites/{siteId}/share-links'

export const listSiteShareLinks = endpoint({
  method: 'GET',
  path: base,
  summary: 'List the share links of a site',
  description: 'Their addresses contain the secrets that give access to the site, so only its admins can list them.',
  section,
  needs: 'site:admin',
  query: Type.Object(pageQuery),
  returns: listOf(ShareLink, { $id: 'ShareLinkList' }),
  handle: async ({ app, organization, site, query }) => {
    const page = await listShareLinks(app, site, query)
    return { ...page, items: page.items.map((link) => presentShareLink(app, organization, site, link)) }
  },
})

export const createSiteShareLink = endpoint({
  method: 'POST',
  path: base,
  summary: 'Create a share link',
  description:
    'The link is active immediately. Its address is the one that the site has when it is published; it gives access while the visibility of the site is ' +
    '`share-link`. A site can have at most 1,000 share links.',
  section,
  needs: 'site:admin',
  body: CreateShareLink,
  status: 201,
  returns: ShareLink,
  fails: [409],
  handle: async ({ app, actor, organization, site, body }) => {
    const link = await createShareLink(app, actor, site, body)
    return created(presentShareLink(app, organization, site, link), `${sitePath(site)}/share-links/${link.id}`)
  },
})

export const getSiteShareLinkById = endpoint({
  method: 'GET',
  path: `${base}/{shareLinkId}`,
  summary: 'Get a share link',
  section,
  needs: 'site:admin',
  returns: ShareLink,
  handle: ({ app, organization, site, shareLink }) => presentShareLink(app, organization, site, shareLink),
})

export const updateSiteShareLinkById = endpoint({
  method: 'PATCH',
  path: `${base}/{shareLinkId}`,
  summary: 'Change a share link',
  description: 'With `active: false`, the link gives no access until it is activated again.',
  section,
  needs: 'site:admin',
  body: UpdateShareLink,
  returns: ShareLink,
  handle: async ({ app, actor, organization, site, shareLink, body }) =>
    presentShareLink(app, organization, site, await updateShareLink(app, actor, site, shareLink, body)),
})

export const deleteSiteShareLinkById = endpoint({
  method: 'DELETE',
  path: `${base}/{shareLinkId}`,
  summary: 'Delete a share link',
  section,
  needs: 'site:admin',
  deletes: 'leaf',
  handle: ({ app, actor, site, shareLink }) => deleteShareLink(app, actor, site, shareLink),
})
