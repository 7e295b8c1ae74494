/** Endpoints of collections: clients create, edit, delete, move and transfer them, and list the spaces they contain. */
import { Type } from '@sinclair/typebox'
import { createCollection, listCollections, listSpacesIn, updateCollection } from '../../domain/spaces/collections.js'
import { deleteCollection } from '../../domain/spaces/delete-collection.js'
import { moveCollection } from '../../domain/spaces/move.js'
import { openSpaces } from '../../domain/spaces/spaces.js'
import { transferCollection } from '../../domain/spaces/transfer.js'
import { orderKey } from '../../kernel/order.js'
import { paginate } from '../../kernel/paging.js'
import {
  Collection,
  CreateCollection,
  listOf,
  MoveContent,
  pageQuery,
  Space,
  TransferContent,
  UpdateCollection,
} from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentSpace } from '../spaces/present.js'
import { presentCollectionPermissions } from '../../access/index.js'
import type { App } from '../../domain/context/app.js'
import { collectionAddress } from '../../domain/context/app-addresses.js'
import type { LoadedCollection } from '../../domain/context/loaded.js'
import { defined } from '../../kernel/defined.js'

/** Returns a collection as JSON. */
function presentCollection(app: App, { doc, role }: LoadedCollection) {
  const location = `${app.settings.publicUrl}/v1/collections/${doc.id}`
  return {
    object: 'collection' as const,
    id: doc.id,
    title: doc.title,
    ...defined({ description: doc.description }),
    organization: doc.organization,
    ...defined({ parent: doc.parent }),
    defaultLevel: doc.defaultLevel,
    position: orderKey(doc),
    urls: { location, app: collectionAddress(app, doc.id) },
    permissions: presentCollectionPermissions({ role, readOnly: app.readOnly }),
  }
}

const section = 'Collections'

export const listCollectionsInOrganizationById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/collections',
  summary: 'List the collections of an organization that you can see',
  description:
    'In the order of creation, including nested collections. With `nested=false`, only the collections at the top level, in their order there.',
  section,
  needs: 'organization:view',
  repeatable: true,
  query: Type.Object({
    ...pageQuery,
    nested: Type.Boolean({ default: true, description: 'Whether to include nested collections.' }),
  }),
  returns: listOf(Collection, { $id: 'CollectionList' }),
  handle: async ({ app, actor, organization, query }) => {
    const all = await listCollections(app, actor, organization, query.nested)
    const page = paginate(all, query, ({ doc }) => [query.nested ? doc.createdAt : orderKey(doc), doc.id])
    return { ...page, items: page.items.map((one) => presentCollection(app, one)) }
  },
})

export const createCollectionInOrganization = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/collections',
  summary: 'Create a collection',
  description:
    'The collection is placed last in its parent. Requires the role create on the collection `parent`, or in the organization if there is none. Collections ' +
    'can be nested 32 levels deep.',
  section,
  needs: 'organization:view',
  body: Type.Optional(CreateCollection),
  status: 201,
  returns: Collection,
  handle: async ({ app, actor, organization, body }) => {
    const collection = await createCollection(app, actor, organization, body ?? {})
    return created(presentCollection(app, collection), `/v1/collections/${collection.doc.id}`)
  },
})

export const getCollectionById = endpoint({
  method: 'GET',
  path: '/v1/collections/{collectionId}',
  summary: 'Get a collection',
  section,
  needs: 'collection:view',
  returns: Collection,
  handle: ({ app, collection }) => presentCollection(app, collection),
})

export const updateCollectionById = endpoint({
  method: 'PATCH',
  path: '/v1/collections/{collectionId}',
  summary: 'Change a collection',
  description:
    'Set `description` to null to remove it. `defaultLevel` applies to all content of the collection whose own default level is `inherit`.',
  section,
  needs: 'collection:admin',
  body: UpdateCollection,
  returns: Collection,
  handle: async ({ app, actor, collection, body }) =>
    presentCollection(app, await updateCollection(app, actor, collection, body)),
})

export const deleteCollectionById = endpoint({
  method: 'DELETE',
  path: '/v1/collections/{collectionId}',
  summary: 'Delete a collection',
  description:
    'No content is deleted. The spaces and collections in it move to its position in its parent (or at the top level of the organization), in the same ' +
    "order; deleted spaces can be restored there. No one gains or loses access: the collection's default level and roles are copied to its content, and " +
    'spaces with the visibility `in-collection` become private, with the same readers. Unless the collection is empty, this requires the role create in the ' +
    'place where the content goes.',
  section,
  needs: 'collection:create',
  deletes: 'leaf',
  handle: ({ app, actor, collection }) => deleteCollection(app, actor, collection),
})

export const listSpacesInCollectionById = endpoint({
  method: 'GET',
  path: '/v1/collections/{collectionId}/spaces',
  summary: 'List the spaces in a collection that you can see',
  description:
    'Only spaces directly in the collection, in their order. To combine them with the nested collections, sort both by `position`.',
  section,
  needs: 'collection:view',
  repeatable: true,
  query: Type.Object(pageQuery),
  returns: listOf(Space, { $id: 'SpaceList' }),
  handle: async ({ app, actor, collection, query }) => {
    const page = paginate(await listSpacesIn(app, actor, collection), query, ({ doc }) => [orderKey(doc), doc.id])
    const shown = await openSpaces(app, page.items)
    return { ...page, items: await Promise.all(shown.map((one) => presentSpace(app, one))) }
  },
})

export const moveCollectionById = endpoint({
  method: 'POST',
  path: '/v1/collections/{collectionId}/move',
  summary: 'Move a collection into another one, or to another position',
  description:
    'All content of the collection moves with it and inherits from the new parent. Requires the role create on the collection, on all its content if its ' +
    'parent changes, and on the collections (or the organization) it moves from and to. Returns 409 if nothing would change, or if the collection would be ' +
    'inside itself.',
  section,
  needs: 'collection:create',
  body: Type.Optional(MoveContent),
  returns: Collection,
  fails: [409],
  handle: async ({ app, actor, collection, body }) =>
    presentCollection(app, await moveCollection(app, actor, collection, body ?? {})),
})

export const transferCollectionById = endpoint({
  method: 'POST',
  path: '/v1/collections/{collectionId}/transfer',
  summary: 'Transfer a collection with all its content to another organization',
  description:
    'All or nothing, including deleted spaces. Content, change requests and comments are transferred with the collection. Roles given to teams, and to ' +
    'people who are not members of the other organization, have no effect there until the content is transferred back; reviews requested from these people ' +
    'are withdrawn. Requires the role create on all content and in both places. Default levels and roles that take effect in the other organization must ' +
    'not exceed your own role there. Returns 412 with the missing requirements.',
  section,
  needs: 'collection:create',
  body: TransferContent,
  returns: Collection,
  fails: [409, 412],
  handle: async ({ app, actor, collection, body }) =>
    presentCollection(app, await transferCollection(app, actor, collection, body)),
})
