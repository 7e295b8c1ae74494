/** Endpoints of a site's structure as a whole: clients read it and move any part of it. */
import { Type } from '@sinclair/typebox'
import { moveInStructure } from '../../domain/sites/edit-structure.js'
import { viewSite } from '../../domain/sites/view.js'
import { SiteStructureResponse, SortSiteStructure } from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentStructure } from './present-structure.js'
import { shareKey } from './share-key-query.js'

const section = 'Sites'

export const getSiteStructure = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/structure',
  summary: 'Get the structure of a site',
  description:
    'Returns sections and section groups in their order, or, if the site has none, the site spaces at its root. Site spaces are left out if you cannot see ' +
    'their space, or while their space is deleted.',
  section,
  needs: 'site:view',
  query: Type.Object({ shareKey }),
  returns: SiteStructureResponse,
  handle: async ({ app, actor, organization, site, query }) =>
    presentStructure(app, await viewSite(app, actor, organization, site, query.shareKey)),
})

export const sortSiteStructure = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/structure/sort',
  summary: 'Move a part of a site among its siblings, or into a group',
  description:
    'The item is placed directly before `before`, otherwise directly after `after`, otherwise last. Siblings are the items of the same group, the sections ' +
    'and groups of the top level, or the site spaces of a section or of the root. With `into`, sections, groups and external links are moved into another ' +
    'group, or to the top level (null), and siblings are those there. Returns 400 if the position does not name a sibling, 404 if the item does not exist, ' +
    '409 if nothing would change.',
  section,
  needs: 'site:create',
  body: SortSiteStructure,
  returns: SiteStructureResponse,
  fails: [409],
  handle: async ({ app, actor, organization, site, body }) =>
    presentStructure(
      app,
      await viewSite(app, actor, organization, await moveInStructure(app, actor, site, body.item, body)),
    ),
})
