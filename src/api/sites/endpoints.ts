import { Type } from '@sinclair/typebox'
import { viewPublishedSite } from '../../domain/sites/view.js'
import { deleteSite } from '../../domain/sites/delete-site.js'
import { publishSite, unpublishSite, updateSite } from '../../domain/sites/settings.js'
import { createSite, listSites } from '../../domain/sites/sites.js'
import { paginate } from '../../kernel/paging.js'
import { CreateSite, Id, listOf, PublishedContentSite, pageQuery, Site, UpdateSite } from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentSite, sitePath } from './present.js'
import { presentPublished } from './present-published.js'
import { shareKey } from './share-key-query.js'

const section = 'Sites'

export const listSitesInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites',
  summary: 'List the sites of an organization that you may see',
  description: 'Oldest first. `space`: only sites that show this space; `title`: only those whose title contains it, whatever the case.',
  section,
  needs: 'organization:view',
  query: Type.Object({
    ...pageQuery,
    space: Type.Optional(Id),
    title: Type.Optional(Type.String({ maxLength: 128 })),
    published: Type.Optional(Type.Boolean()),
  }),
  returns: listOf(Site, { $id: 'SiteList' }),
  handle: async ({ app, actor, organization, query }) => {
    const page = paginate(await listSites(app, actor, organization, query), query, ({ doc }) => [doc.createdAt, doc.id])
    return { ...page, items: page.items.map((site) => presentSite(app, organization, site)) }
  },
})

export const createSiteInOrganization = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/sites',
  summary: 'Create a site',
  description:
    '`spaces` is a list of spaces to show (the first is the default; you need the role create on each, since publishing hands their content out), or `empty` or `sample`: a new space without or with sample content. Without it the site shows nothing yet. The title is by default that of the first space, the basename is made from the title. The site is public to be, but not published.',
  section,
  needs: 'organization:createContent',
  body: Type.Optional(CreateSite),
  status: 201,
  returns: Site,
  handle: async ({ app, actor, organization, body }) => {
    const site = await createSite(app, actor, organization, body ?? {})
    return created(presentSite(app, organization, site), sitePath(site.doc))
  },
})

export const getSiteById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites/{siteId}',
  summary: 'Get a site',
  description:
    '`urls.published` is there while the site is published: the address of its proxy, else its own hostname, else `/sites/{organization hostname or ID}/{basename}` below this service. `proxy.origin` is what visitors see, `proxy.target` where the proxy must forward to. `siteSpaces` counts all spaces that it shows, those that you may not see too, but not deleted ones.',
  section,
  needs: 'site:view',
  returns: Site,
  handle: ({ app, organization, site }) => presentSite(app, organization, site),
})

export const updateSiteById = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}/sites/{siteId}',
  summary: 'Change the settings of a site',
  description:
    '`defaultSiteSpace` also makes its section the default one. A basename is a slug: lower-case letters and digits of any script, `-`, `_`, `.`, `+`, a letter or digit first; it is unique in the organization, a hostname in the whole service. `hostname`, `icon` and `proxy` are removed by null.',
  section,
  needs: 'site:admin',
  body: UpdateSite,
  returns: Site,
  fails: [409],
  handle: async ({ app, actor, organization, site, body }) => presentSite(app, organization, await updateSite(app, actor, site, body)),
})

export const deleteSiteById = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/sites/{siteId}',
  summary: 'Delete a site',
  description: 'With its structure and all that is its own, for good. The spaces that it showed stay.',
  section,
  needs: 'site:create',
  deletes: 'leaf',
  handle: ({ app, actor, site }) => deleteSite(app, actor, site),
})

export const publishSiteById = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/publish',
  summary: 'Publish a site',
  description: 'Makes it live for the audience of its visibility. A site that is published stays so.',
  section,
  needs: 'site:admin',
  returns: Site,
  handle: async ({ app, actor, organization, site }) => presentSite(app, organization, await publishSite(app, actor, site)),
})

export const unpublishSiteById = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/unpublish',
  summary: 'Unpublish a site',
  description: 'Hides it from all visitors. A site that is not published stays so.',
  section,
  needs: 'site:admin',
  returns: Site,
  handle: async ({ app, actor, organization, site }) => presentSite(app, organization, await unpublishSite(app, actor, site)),
})

export const getPublishedContentSite = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/published',
  summary: 'Get what visitors of a site are shown',
  description:
    'Sections and groups without anything to show are left out, and so are spaces that you may not see. 404 while the site is not published, and, on a site published by share link, for a share key that is not of an active link.',
  section,
  needs: 'site:view',
  query: Type.Object({ shareKey }),
  returns: PublishedContentSite,
  handle: async ({ app, actor, organization, site, query }) =>
    presentPublished(app, organization, site, await viewPublishedSite(app, actor, organization, site, query.shareKey)),
})
