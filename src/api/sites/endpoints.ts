/** Endpoints of sites: clients create, edit, delete, publish and unpublish them. */
import { Type } from '@sinclair/typebox'
import { deleteSite } from '../../domain/sites/delete-site.js'
import { publishSite, unpublishSite, updateSite } from '../../domain/sites/settings.js'
import { createSite, listSites } from '../../domain/sites/sites.js'
import { paginate } from '../../kernel/paging.js'
import { CreateSite, Id, listOf, pageQuery, Site, UpdateSite } from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentSite, presentSiteToReviewer, sitePath } from './present.js'

const section = 'Sites'

export const listSitesInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites',
  summary: 'List the sites of an organization that you can see',
  description:
    'Oldest first. `space`: only sites that show this space. `title`: only sites whose title contains this text, ignoring case.',
  section,
  needs: 'organization:view',
  repeatable: true,
  query: Type.Object({
    ...pageQuery,
    space: Type.Optional(Id),
    title: Type.Optional(Type.String({ maxLength: 128 })),
    published: Type.Optional(Type.Boolean()),
  }),
  returns: listOf(Site, { $id: 'SiteList' }),
  handle: async ({ app, actor, organization, query }) => {
    const page = paginate(await listSites(app, actor, organization, query), query, ({ doc }) => [doc.createdAt, doc.id])
    const items = page.items.map((site) => presentSiteToReviewer(app, actor, organization, site))
    return { ...page, items: await Promise.all(items) }
  },
})

export const createSiteInOrganization = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/sites',
  summary: 'Create a site',
  description:
    '`spaces` is a list of spaces to show, or `empty` or `sample`: a new space without or with sample content. The first space of a list is the default; ' +
    'you need the role create on each, because publishing makes their content public. Without `spaces`, the site is empty. The title defaults to that of ' +
    'the first space, and the basename is derived from the title. The visibility defaults to `public`, but the site is not published yet.',
  section,
  needs: 'organization:createContent',
  body: Type.Optional(CreateSite),
  status: 201,
  returns: Site,
  handle: async ({ app, actor, organization, body }) => {
    const site = await createSite(app, actor, organization, body ?? {})
    return created(presentSite(app, organization, site, { previewer: actor }), sitePath(site.doc))
  },
})

export const getSiteById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites/{siteId}',
  summary: 'Get a site',
  description:
    '`urls.published` is present while the site is published: the address of its proxy, otherwise its own hostname, otherwise ' +
    '`/{basename}` on the hostname of the organization, otherwise `/{organization hostname or ID}/{basename}` on the origin of the sites ' +
    '(`BINDERY_SITES_ORIGIN`). `proxy.origin` is the address that visitors see, `proxy.target` the address that the proxy must forward ' +
    'to. `siteSpaces` counts all spaces of the site except deleted ones, including those that you cannot see.',
  section,
  needs: 'site:view',
  returns: Site,
  handle: ({ app, actor, organization, site }) => presentSiteToReviewer(app, actor, organization, site),
})

export const updateSiteById = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}/sites/{siteId}',
  summary: 'Change the settings of a site',
  description:
    '`defaultSiteSpace` also makes its section the default one. A basename consists of lowercase letters and digits of any script, `-`, `_`, `.` and `+`, ' +
    'and starts with a letter or digit. It is unique in the organization; a hostname is unique in the whole service. Set `hostname`, `icon` or `proxy` to ' +
    'null to remove it.',
  section,
  needs: 'site:admin',
  body: UpdateSite,
  returns: Site,
  fails: [409],
  handle: async ({ app, actor, organization, site, body }) =>
    presentSite(app, organization, await updateSite(app, actor, site, body), { previewer: actor }),
})

export const deleteSiteById = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/sites/{siteId}',
  summary: 'Delete a site',
  description: 'Deletes the site permanently, with its structure and settings. The spaces that it showed remain.',
  section,
  needs: 'site:create',
  deletes: 'leaf',
  handle: ({ app, actor, site }) => deleteSite(app, actor, site),
})

export const publishSiteById = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/publish',
  summary: 'Publish a site',
  description:
    'Makes the site available to the audience that its visibility allows. Publishing a published site changes nothing.',
  section,
  needs: 'site:admin',
  returns: Site,
  handle: async ({ app, actor, organization, site }) =>
    presentSite(app, organization, await publishSite(app, actor, site), { previewer: actor }),
})

export const unpublishSiteById = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/unpublish',
  summary: 'Unpublish a site',
  description: 'Hides the site from all visitors. Unpublishing a site that is not published changes nothing.',
  section,
  needs: 'site:admin',
  returns: Site,
  handle: async ({ app, actor, organization, site }) =>
    presentSite(app, organization, await unpublishSite(app, actor, site), { previewer: actor }),
})
