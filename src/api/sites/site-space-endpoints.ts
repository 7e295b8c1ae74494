/** Endpoints of site spaces: clients add spaces to a site, and list, edit, move or remove them there. */
import { Type } from '@sinclair/typebox'
import {
  changeSiteSpace,
  createSiteSpace,
  deleteSiteSpace,
  moveInStructure,
} from '../../domain/sites/edit-structure.js'
import { isSiteDefault, shownSiteSpaces, viewSite } from '../../domain/sites/view.js'
import { paginate } from '../../kernel/paging.js'
import { CreateSiteSpace, listOf, MoveSiteSpace, pageQuery, SiteSpace, UpdateSiteSpace } from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { sitePath } from './present.js'
import { presentSiteSpace, presentSiteSpaceById } from './present-structure.js'
import { shareKey } from './share-key-query.js'

const section = 'Site spaces'

export const listSiteSpaces = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces',
  summary: 'List the site spaces of a site',
  description:
    'In their order on the site. `default`: true lists only the default site space of the site, false only the others. Site spaces are left out if you ' +
    'cannot see their space, or while their space is deleted.',
  section,
  needs: 'site:view',
  repeatable: true,
  query: Type.Object({ ...pageQuery, shareKey, default: Type.Optional(Type.Boolean()) }),
  returns: listOf(SiteSpace, { $id: 'SiteSpaceList' }),
  handle: async ({ app, actor, organization, site, query }) => {
    const view = await viewSite(app, actor, organization, site, query.shareKey)
    const asked = shownSiteSpaces(view).filter(
      (one) => query.default === undefined || isSiteDefault(one) === query.default,
    )
    const page = paginate(asked, query, ({ sortKey, entry }) => [sortKey, entry.id])
    return { ...page, items: await Promise.all(page.items.map((one) => presentSiteSpace(app, view, one))) }
  },
})

export const addSpaceToSite = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces',
  summary: 'Add a space to a site',
  description:
    'The site space is placed last in the given section, otherwise in the default section, or at the root of a site without sections. You need the role ' +
    'create on the space, because publishing makes its content public. Its path is derived from its title. Returns 409 if the site already shows the space.',
  section,
  needs: 'site:create',
  body: CreateSiteSpace,
  status: 201,
  returns: SiteSpace,
  fails: [409],
  handle: async ({ app, actor, organization, site, body }) => {
    const made = await createSiteSpace(app, actor, site, body)
    const presented = await presentSiteSpaceById(app, await viewSite(app, actor, organization, made.site), made.id)
    return created(presented, `${sitePath(site.doc)}/site-spaces/${made.id}`)
  },
})

export const getSiteSpaceById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}',
  summary: 'Get a site space',
  section,
  needs: 'site:view',
  query: Type.Object({ shareKey }),
  returns: SiteSpace,
  handle: async ({ app, actor, organization, site, siteSpace, query }) =>
    presentSiteSpaceById(app, await viewSite(app, actor, organization, site, query.shareKey), siteSpace.id),
})

export const updateSiteSpaceById = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}',
  summary: 'Change a site space',
  description:
    'A path consists of lowercase letters and digits of any script, `-`, `_`, `.` and `+`, and starts with a letter or digit. Returns 409 if a sibling has ' +
    'the path. `spaceId` shows another space in the same position (you need the role create on it). Set `condition` to null to remove it.',
  section,
  needs: 'site:create',
  body: UpdateSiteSpace,
  returns: SiteSpace,
  fails: [409],
  handle: async ({ app, actor, organization, site, siteSpace, body }) =>
    presentSiteSpaceById(
      app,
      await viewSite(app, actor, organization, await changeSiteSpace(app, actor, site, siteSpace.id, body)),
      siteSpace.id,
    ),
})

export const deleteSiteSpaceById = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}',
  summary: 'Remove a space from a site',
  description: 'The space itself remains. If it was the default site space, the next one becomes the default.',
  section,
  needs: 'site:create',
  deletes: 'leaf',
  handle: async ({ app, actor, site, siteSpace }) => void (await deleteSiteSpace(app, actor, site, siteSpace.id)),
})

export const moveSiteSpace = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/move',
  summary: 'Move a site space within its section, or within the root',
  section,
  needs: 'site:create',
  body: Type.Optional(MoveSiteSpace),
  returns: SiteSpace,
  fails: [409],
  handle: async ({ app, actor, organization, site, siteSpace: { id }, body }) => {
    const { before, after } = body?.position ?? {}
    const position = {
      ...(before ? { before: { type: before.type, id: before.siteSpace } } : {}),
      ...(after ? { after: { type: after.type, id: after.siteSpace } } : {}),
    }
    const moved = await moveInStructure(app, actor, site, { type: 'site-space', id }, { position })
    return presentSiteSpaceById(app, await viewSite(app, actor, organization, moved), id)
  },
})
