import { Type } from '@sinclair/typebox'
import { changeSection, createSection, deleteSection, moveInStructure } from '../../domain/sites/edit-structure.js'
import { shownSections, viewSite } from '../../domain/sites/view.js'
import { paginate } from '../../kernel/paging.js'
import { CreateSiteSection, listOf, MoveSiteSection, pageQuery, SiteSection, UpdateSiteSection } from '../../model/index.js'
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
  description: 'In their order on the site, those in groups too.',
  section,
  needs: 'site:view',
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
    'It shows the given space (you need the role create on it), and stands at the end. Its title is by default that of the space, its path is made from the title. With the first section of a site, the site spaces that stood at its root become the site spaces of a section of their own, which is the default. 409 where the site shows the space already.',
  section,
  needs: 'site:create',
  body: CreateSiteSection,
  status: 201,
  returns: SiteSection,
  fails: [409],
  handle: async ({ app, actor, organization, site, body }) => {
    const made = await createSection(app, actor, site, body)
    const answer = await presentSectionById(app, await viewSite(app, actor, organization, made.site), made.id)
    return created(answer, `${sitePath(site.doc)}/sections/${made.id}`)
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
    'A path is a slug: lower-case letters and digits of any script, `-`, `_`, `.`, `+`, a letter or digit first; 409 where another section of the site has it. `condition`, `icon` and `description` are removed by null.',
  section,
  needs: 'site:create',
  body: UpdateSiteSection,
  returns: SiteSection,
  fails: [409],
  handle: async ({ app, actor, organization, site, section: { id }, body }) =>
    presentSectionById(app, await viewSite(app, actor, organization, await changeSection(app, actor, site, id, body)), id),
})

export const deleteSiteSectionById = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}',
  summary: 'Delete a section of a site',
  description: 'With its site spaces; the spaces stay. The next section becomes the default where it was.',
  section,
  needs: 'site:create',
  deletes: 'leaf',
  handle: async ({ app, actor, site, section: { id } }) => void (await deleteSection(app, actor, site, id)),
})

export const moveSiteSection = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}/move',
  summary: 'Move a section among those of its group, or of the top level',
  description: 'Use sortSiteStructure, which moves everything.',
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
    const moved = await moveInStructure(app, actor, site, { type: 'site-section', id }, position)
    return presentSectionById(app, await viewSite(app, actor, organization, moved), id)
  },
})
