/** Endpoints of a site's sections: clients list, add, edit, move and delete them. */
import { Type } from '@sinclair/typebox'
import { changeSection, createSection, deleteSection, moveInStructure } from '../../domain/sites/edit-structure.js'
import { shownSections, viewSite } from '../../domain/sites/view.js'
import { paginate } from '../../kernel/paging.js'
import {
  CreateSiteSection,
  listOf,
  MoveSiteSection,
  pageQuery,
  SiteSection,
  UpdateSiteSection,
} from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { sitePath } from './present.js'
import { presentSection, presentSectionById } from './present-structure.js'
import { shareKey } from './share-key-query.js'

const section = 'Site sections'

export const listSiteSections = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/sections',
  summary: 'List the sections of a site',
  description: 'In their order on the site, including those in groups.',
  section,
  needs: 'site:view',
  repeatable: true,
  query: Type.Object({ ...pageQuery, shareKey }),
  returns: listOf(SiteSection, { $id: 'SiteSectionList' }),
  handle: async ({ app, actor, organization, site, query }) => {
    const view = await viewSite(app, actor, organization, site, query.shareKey)
    const page = paginate(shownSections(view), query, ({ sortKey, entry }) => [sortKey, entry.id])
    return { ...page, items: await Promise.all(page.items.map((one) => presentSection(app, view, one))) }
  },
})

export const addSectionToSite = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/sections',
  summary: 'Add a section to a site',
  description:
    'The section shows the given space (you need the role create on it) and is placed last. Its title defaults to that of the space, and its path is ' +
    'derived from the title. When a site gets its first section, the site spaces at its root move into a new section, which becomes the default. ' +
    'Returns 409 if the site already shows the space.',
  section,
  needs: 'site:create',
  body: CreateSiteSection,
  status: 201,
  returns: SiteSection,
  fails: [409],
  handle: async ({ app, actor, organization, site, body }) => {
    const made = await createSection(app, actor, site, body)
    const presented = await presentSectionById(app, await viewSite(app, actor, organization, made.site), made.id)
    return created(presented, `${sitePath(site.doc)}/sections/${made.id}`)
  },
})

export const getSiteSectionById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}',
  summary: 'Get a section of a site',
  section,
  needs: 'site:view',
  query: Type.Object({ shareKey }),
  returns: SiteSection,
  handle: async ({ app, actor, organization, site, section: { id }, query }) =>
    presentSectionById(app, await viewSite(app, actor, organization, site, query.shareKey), id),
})

export const updateSiteSectionById = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}',
  summary: 'Change a section of a site',
  description:
    'A path consists of lowercase letters and digits of any script, `-`, `_`, `.` and `+`, and starts with a letter or digit. Returns 409 if another ' +
    'section of the site has the path. Set `condition`, `icon` or `description` to null to remove it.',
  section,
  needs: 'site:create',
  body: UpdateSiteSection,
  returns: SiteSection,
  fails: [409],
  handle: async ({ app, actor, organization, site, section: { id }, body }) =>
    presentSectionById(
      app,
      await viewSite(app, actor, organization, await changeSection(app, actor, site, id, body)),
      id,
    ),
})

export const deleteSiteSectionById = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}',
  summary: 'Delete a section of a site',
  description:
    'Also deletes its site spaces; the spaces themselves remain. If it was the default section, the next one becomes the default.',
  section,
  needs: 'site:create',
  deletes: 'leaf',
  handle: async ({ app, actor, site, section: { id } }) => void (await deleteSection(app, actor, site, id)),
})

export const moveSiteSection = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}/move',
  summary: 'Move a section within its group, or within the top level',
  description:
    'With `into`, moves it into another group. Use sortSiteStructure instead, which moves sections, groups, external links and site spaces.',
  deprecated: true,
  section,
  needs: 'site:create',
  body: Type.Optional(MoveSiteSection),
  returns: SiteSection,
  fails: [409],
  handle: async ({ app, actor, organization, site, section: { id }, body }) => {
    const { before, after } = body?.position ?? {}
    const position = {
      ...(before ? { before: { type: before.type, id: before.siteSection } } : {}),
      ...(after ? { after: { type: after.type, id: after.siteSection } } : {}),
    }
    const moved = await moveInStructure(app, actor, site, { type: 'site-section', id }, { position, into: body?.into })
    return presentSectionById(app, await viewSite(app, actor, organization, moved), id)
  },
})
