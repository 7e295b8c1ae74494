import { Type } from '@sinclair/typebox'
import { moveInStructure } from '../../domain/sites/edit-structure.js'
import { viewSite } from '../../domain/sites/view.js'
import { SiteStructureAnswer, SortSiteStructure } from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentStructure } from './present-structure.js'
import { shareKey } from './share-key-query.js'

const section = 'Sites'

export const getSiteStructure = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/structure',
  summary: 'Get the structure of a site',
  description:
    'Sections and groups of sections in order, or, while the site has none, the site spaces at its root. A site space whose space is deleted is hidden until that is restored; one whose space you may not see is left out.',
  section,
  needs: 'site:view',
  query: Type.Object({ shareKey }),
  returns: SiteStructureAnswer,
  handle: async ({ app, actor, organization, site, query }) => presentStructure(app, await viewSite(app, actor, organization, site, query.shareKey)),
})

export const sortSiteStructure = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/structure/sort',
  summary: 'Move a section, a group or a site space among its siblings',
  description:
    'Directly before `before`, else directly after `after`, else to the end. Siblings are the sections of a group, the sections and groups of the top level, the site spaces of a section or of the root. 400 where the position names no sibling, 404 where there is no such item, 409 where nothing would change.',
  section,
  needs: 'site:create',
  body: SortSiteStructure,
  returns: SiteStructureAnswer,
  fails: [409],
  handle: async ({ app, actor, organization, site, body }) =>
    presentStructure(app, await viewSite(app, actor, organization, await moveInStructure(app, actor, site, body.item, body.position))),
})
