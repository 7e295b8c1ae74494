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
    'Needs the role create on it and on the collections (or the organization) it goes from and to. It inherits from its new parent from then on; with the visibility `in-collection` it becomes private where it leaves for the top level. 409 where nothing would change.',
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
  summary: 'Transfer a space to another organization, collection or both',
  description:
    'It goes to the end of `parent`, or of the top level. Content, change requests and comments go along; roles that were given to teams, and to people who are not members of the other organization, have no effect there, and take effect again where it comes back; reviews awaited of them are removed. Needs the role create on it and where it goes from and to; default levels and roles that take effect in the other organization must not be above your own there. 412 says what is missing.',
  section,
  needs: 'space:create',
  body: TransferContent,
  returns: Space,
  fails: [409, 412],
  handle: async ({ app, actor, space, body }) => presentSpace(app, await transferSpace(app, actor, space, body)),
})
