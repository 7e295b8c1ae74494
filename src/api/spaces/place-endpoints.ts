/** Endpoints that move a space into another collection, position or organization. */
import { Type } from '@sinclair/typebox'
import { moveSpace } from '../../domain/spaces/move.js'
import { transferSpace } from '../../domain/spaces/transfer.js'
import { MoveContent, Space, TransferContent } from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentSpace } from './present.js'

const section = 'Spaces'

export const moveSpaceById = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/move',
  summary: 'Move a space into another collection, or to another position',
  description:
    'Requires the role create on the space and on the collections (or the organization) it moves from and to. The space inherits from its new parent; a ' +
    'space with the visibility `in-collection` becomes private when it is moved to the top level. Returns 409 if nothing would change.',
  section,
  needs: 'space:create',
  body: Type.Optional(MoveContent),
  returns: Space,
  fails: [409],
  handle: async ({ app, actor, space, body }) => presentSpace(app, await moveSpace(app, actor, space, body ?? {})),
})

export const transferSpaceById = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/transfer',
  summary: 'Transfer a space to another organization or collection',
  description:
    'The space is placed last in `parent`, or at the top level. Content, change requests and comments are transferred with it. Roles given to teams, and to ' +
    'people who are not members of the other organization, have no effect there until the space is transferred back; reviews requested from these people ' +
    'are withdrawn. Requires the role create on the space and in both places. Default levels and roles that take effect in the other organization must not ' +
    'exceed your own role there. Returns 412 with the missing requirements.',
  section,
  needs: 'space:create',
  body: TransferContent,
  returns: Space,
  fails: [409, 412],
  handle: async ({ app, actor, space, body }) => presentSpace(app, await transferSpace(app, actor, space, body)),
})
