/** Endpoints of spaces: clients create, list, edit, delete, restore and duplicate them. */
import { Type } from '@sinclair/typebox'
import {
  createSpace,
  deleteSpace,
  duplicateSpace,
  listDeletedSpaces,
  listSpaces,
  openSpaces,
  restoreSpace,
} from '../../domain/spaces/spaces.js'
import { updateSpace } from '../../domain/spaces/update-space.js'
import { purgeDeletedSpace } from '../../domain/upkeep/purge-space.js'
import { CreateSpace, listOf, pageQuery, Space, UpdateSpace } from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentSpace } from './present.js'

const section = 'Spaces'

export const listSpacesInOrganizationById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/spaces',
  summary: 'List the spaces of an organization that you can see',
  description:
    'In the order of creation, including spaces in collections. With `nested=false`, only the spaces at the top level, in their order there.',
  section,
  needs: 'organization:view',
  repeatable: true,
  query: Type.Object({
    ...pageQuery,
    nested: Type.Boolean({ default: true, description: 'Whether to include spaces in collections.' }),
  }),
  returns: listOf(Space, { $id: 'SpaceList' }),
  handle: async ({ app, actor, organization, query }) => {
    const page = await listSpaces(app, actor, organization, query)
    const shown = await openSpaces(app, page.items)
    return { ...page, items: await Promise.all(shown.map((one) => presentSpace(app, one))) }
  },
})

export const listDeletedSpacesInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/deleted-spaces',
  summary: 'List the deleted spaces of an organization that can be restored',
  description:
    'Lists the spaces that you can see, last deleted first. Seven days after `deletedAt`, they are deleted permanently. Restore one with restoreSpaceById.',
  section,
  needs: 'organization:view',
  query: Type.Object(pageQuery),
  returns: listOf(Space, { $id: 'DeletedSpaceList' }),
  handle: async ({ app, actor, organization, query }) => {
    const page = await listDeletedSpaces(app, actor, organization, query)
    const shown = await openSpaces(app, page.items)
    return { ...page, items: await Promise.all(shown.map((one) => presentSpace(app, one))) }
  },
})

export const createSpaceInOrganization = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/spaces',
  summary: 'Create a space',
  description:
    'Creates the repository with one commit: README.md and SUMMARY.md, the sample content, or the content of a template. The space is placed last in its ' +
    'parent. Requires the role create on the collection `parent`, or in the organization if there is none.',
  section,
  needs: 'organization:view',
  body: Type.Optional(CreateSpace),
  status: 201,
  returns: Space,
  handle: async ({ app, actor, organization, body }) => {
    const space = await createSpace(app, actor, organization, body ?? {})
    return created(await presentSpace(app, space), `/v1/spaces/${space.doc.id}`)
  },
})

export const getSpaceById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}',
  summary: 'Get a space',
  section,
  needs: 'space:view',
  repeatable: true,
  query: Type.Object({ shareKey: Type.Optional(Type.String({ maxLength: 256 })) }),
  returns: Space,
  handle: ({ app, space, query }) => presentSpace(app, space, query.shareKey),
})

export const updateSpaceById = endpoint({
  method: 'PATCH',
  path: '/v1/spaces/{spaceId}',
  summary: 'Change the settings of a space',
  description:
    'Set `language`, `visitorAuth` or `codeSpace` to null to remove it. The `visibility` `in-collection` is for spaces in a collection: everyone who can see the ' +
    'collection can read the space.',
  section,
  needs: 'space:admin',
  body: UpdateSpace,
  returns: Space,
  handle: async ({ app, actor, space, body }) => presentSpace(app, await updateSpace(app, actor, space, body)),
})

export const deleteSpaceById = endpoint({
  method: 'DELETE',
  path: '/v1/spaces/{spaceId}',
  summary: 'Delete a space',
  description: 'The space can be restored for seven days. Then it is deleted permanently, with its repository.',
  section,
  needs: 'space:create',
  deletes: 'leaf',
  handle: ({ app, actor, space }) => deleteSpace(app, actor, space),
})

export const restoreSpaceById = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/restore',
  summary: 'Restore a space deleted in the last seven days',
  description:
    'The space returns to its former position. If its collection has been deleted since, it goes where the content of the collection went.',
  section,
  needs: 'space:create',
  aliases: { spaceId: 'deletedSpaceId' },
  returns: Space,
  fails: [409],
  handle: async ({ app, actor, space }) => presentSpace(app, await restoreSpace(app, actor, space)),
})

export const purgeSpaceById = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/purge',
  summary: 'Delete a deleted space permanently',
  description:
    'Removes a deleted space now, with its repository, change requests and comments, instead of seven days after its deletion. This cannot be undone.',
  section,
  needs: 'space:admin',
  aliases: { spaceId: 'deletedSpaceId' },
  fails: [409],
  handle: ({ app, actor, space }) => purgeDeletedSpace(app, actor, space),
})

export const duplicateSpaceById = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/duplicate',
  summary: 'Duplicate a space',
  description:
    'The copy is placed right after the original. Content, history, page IDs and the roles given on the space are copied; change requests, comments and the ' +
    'link to a remote repository are not.',
  section,
  needs: 'space:create',
  status: 201,
  returns: Space,
  handle: async ({ app, actor, space }) => {
    const copy = await duplicateSpace(app, actor, space)
    return created(await presentSpace(app, copy), `/v1/spaces/${copy.doc.id}`)
  },
})
