import { Type } from '@sinclair/typebox'
import { createCollection, listCollections, listSpacesIn, updateCollection } from '../../domain/spaces/collections.js'
import { deleteCollection } from '../../domain/spaces/delete-collection.js'
import { moveCollection } from '../../domain/spaces/move.js'
import { openSpaces } from '../../domain/spaces/spaces.js'
import { transferCollection } from '../../domain/spaces/transfer.js'
import { orderKey } from '../../kernel/order.js'
import { paginate } from '../../kernel/paging.js'
import { Collection, CreateCollection, listOf, MoveContent, pageQuery, Space, TransferContent, UpdateCollection } from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentSpace } from '../spaces/present.js'
import { presentCollection } from './present.js'

const section = 'Collections'

export const listCollectionsInOrganizationById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/collections',
  summary: 'List the collections of an organization that you may see',
  description: 'With those that lie in others, by creation; `nested=false`: those at the top level, in their order there.',
  section,
  needs: 'organization:view',
  query: Type.Object({ ...pageQuery, nested: Type.Boolean({ default: true, description: 'Whether collections in collections are listed as well.' }) }),
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
    'The last of its parent. Needs the role create there: on the collection `parent`, or in the organization. Collections can lie 32 deep in each other.',
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
  description: 'A description of null removes it. `defaultLevel` holds for all that lies in the collection and says `inherit` itself.',
  section,
  needs: 'collection:admin',
  body: UpdateCollection,
  returns: Collection,
  handle: async ({ app, actor, collection, body }) => presentCollection(app, await updateCollection(app, actor, collection, body)),
})

export const deleteCollectionById = endpoint({
  method: 'DELETE',
  path: '/v1/collections/{collectionId}',
  summary: 'Delete a collection',
  description:
    'No content is deleted: the spaces and collections in it go to its parent (or the top level of the organization), where it stood, in the same order; deleted spaces as well, to be restored there. Nobody gains or loses access: its default level and the roles given on it are written into what was in it, and spaces with the visibility `in-collection` become private, with the same readers. Unless it is empty, this needs the role create where the content goes.',
  section,
  needs: 'collection:create',
  deletes: 'leaf',
  handle: ({ app, actor, collection }) => deleteCollection(app, actor, collection),
})

export const listSpacesInCollectionById = endpoint({
  method: 'GET',
  path: '/v1/collections/{collectionId}/spaces',
  summary: 'List the spaces in a collection that you may see',
  description: 'Those in the collection itself, in their order. Compare `position` to put collections between them.',
  section,
  needs: 'collection:view',
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
    'With everything in it, which inherits from its new parent from then on. Needs the role create on it, on everything below it where its parent changes, and on the collections (or the organization) it goes from and to. 409 where nothing would change, or where it would lie in itself.',
  section,
  needs: 'collection:create',
  body: Type.Optional(MoveContent),
  returns: Collection,
  fails: [409],
  handle: async ({ app, actor, collection, body }) => presentCollection(app, await moveCollection(app, actor, collection, body ?? {})),
})

export const transferCollectionById = endpoint({
  method: 'POST',
  path: '/v1/collections/{collectionId}/transfer',
  summary: 'Transfer a collection with everything below it to another organization',
  description:
    'All or nothing, deleted spaces included. Content, change requests and comments go along; roles that were given to teams, and to people who are not members of the other organization, have no effect there, and take effect again where it comes back; reviews awaited of them are removed. Needs the role create on everything below it and where it goes from and to; default levels and roles that take effect in the other organization must not be above your own there. 412 says what is missing.',
  section,
  needs: 'collection:create',
  body: TransferContent,
  returns: Collection,
  fails: [409, 412],
  handle: async ({ app, actor, collection, body }) => presentCollection(app, await transferCollection(app, actor, collection, body)),
})
