/**
 * Endpoints of section groups: clients add, edit, move and delete groups, and add sections to them or remove sections.
 */
import { Type } from '@sinclair/typebox'
import {
  addSectionToGroup,
  changeGroup,
  createGroup,
  deleteGroup,
  moveInStructure,
  removeSectionFromGroup,
} from '../../domain/sites/edit-structure.js'
import { shownGroups, viewSite } from '../../domain/sites/view.js'
import { paginate } from '../../kernel/paging.js'
import {
  AddSectionToGroup,
  CreateSiteSectionGroup,
  listOf,
  MoveSiteSectionGroup,
  pageQuery,
  SiteSectionGroup,
  UpdateSiteSectionGroup,
} from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { sitePath } from './present.js'
import { presentGroup, presentGroupById } from './present-structure.js'

const section = 'Site section groups'

export const listSiteSectionGroups = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/section-groups',
  summary: 'List the section groups of a site',
  description: 'In their order on the site. Each group comes before its subgroups.',
  section,
  needs: 'site:view',
  query: Type.Object(pageQuery),
  returns: listOf(SiteSectionGroup, { $id: 'SiteSectionGroupList' }),
  handle: async ({ app, actor, organization, site, query }) => {
    const view = await viewSite(app, actor, organization, site)
    const page = paginate(shownGroups(view), query, ({ sortKey, entry }) => [sortKey, entry.id])
    return { ...page, items: await Promise.all(page.items.map((one) => presentGroup(app, view, one))) }
  },
})

export const addSectionGroupToSite = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/section-groups',
  summary: 'Add a section group to a site',
  description:
    'Only `title` is required. With `sectionGroup`, the new group is added to that group; groups can be nested 5 levels deep. The sections are moved into ' +
    'it in the given order. The group takes the position of the first section if that has the same parent; otherwise it is placed last.',
  section,
  needs: 'site:create',
  body: CreateSiteSectionGroup,
  status: 201,
  returns: SiteSectionGroup,
  fails: [409],
  handle: async ({ app, actor, organization, site, body }) => {
    const made = await createGroup(app, actor, site, body)
    const presented = await presentGroupById(app, await viewSite(app, actor, organization, made.site), made.id)
    return created(presented, `${sitePath(site.doc)}/section-groups/${made.id}`)
  },
})

export const getSiteSectionGroupById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}',
  summary: 'Get a section group of a site',
  section,
  needs: 'site:view',
  returns: SiteSectionGroup,
  handle: async ({ app, actor, organization, site, group }) =>
    presentGroupById(app, await viewSite(app, actor, organization, site), group.id),
})

export const updateSiteSectionGroupById = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}',
  summary: 'Change a section group of a site',
  description: 'Set `icon` to null to remove it.',
  section,
  needs: 'site:create',
  body: UpdateSiteSectionGroup,
  returns: SiteSectionGroup,
  handle: async ({ app, actor, organization, site, group, body }) =>
    presentGroupById(
      app,
      await viewSite(app, actor, organization, await changeGroup(app, actor, site, group.id, body)),
      group.id,
    ),
})

export const deleteSiteSectionGroupById = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}',
  summary: 'Delete a section group of a site',
  description:
    'The sections and groups in it take its position. Its external links do so, too, if it is inside another group; the top level cannot have links, so ' +
    'there they are deleted with it.',
  section,
  needs: 'site:create',
  deletes: 'leaf',
  handle: async ({ app, actor, site, group }) => void (await deleteGroup(app, actor, site, group.id)),
})

export const addSectionToSiteSectionGroup = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/sections',
  summary: 'Move a section to the end of a group',
  description: 'The section can be anywhere in the site. A section that is already in the group keeps its position.',
  section,
  needs: 'site:create',
  body: AddSectionToGroup,
  returns: SiteSectionGroup,
  handle: async ({ app, actor, organization, site, group, body }) =>
    presentGroupById(
      app,
      await viewSite(app, actor, organization, await addSectionToGroup(app, actor, site, group.id, body.sectionId)),
      group.id,
    ),
})

export const removeSectionFromSiteSectionGroup = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/sections/{siteSectionId}',
  summary: 'Remove a section from a group',
  description: 'The section is placed right after the group. A section that is not in the group keeps its position.',
  section,
  needs: 'site:create',
  deletes: 'leaf',
  handle: async ({ app, actor, site, group, section: { id } }) =>
    void (await removeSectionFromGroup(app, actor, site, group.id, id)),
})

export const moveSiteSectionGroup = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/move',
  summary: 'Move a group among its siblings, or into another group',
  description:
    'With `into`, moves the group into another group, or to the top level (null); `position` then refers to siblings there. Returns 400 if the target is ' +
    'the group itself or one of its subgroups, 409 if groups would be nested more than 5 levels deep.',
  section,
  needs: 'site:create',
  body: Type.Optional(MoveSiteSectionGroup),
  returns: SiteSectionGroup,
  fails: [409],
  handle: async ({ app, actor, organization, site, group, body }) => {
    const moved = await moveInStructure(
      app,
      actor,
      site,
      { type: 'site-section-group', id: group.id },
      { position: body?.position, into: body?.into },
    )
    return presentGroupById(app, await viewSite(app, actor, organization, moved), group.id)
  },
})
