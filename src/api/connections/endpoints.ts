/** Endpoints of connections: clients create, read, change, pause and delete them. */
import { Type } from '@sinclair/typebox'
import {
  deleteConnection as remove,
  listAllConnections,
  listConnectionsOf,
} from '../../domain/connections/connections.js'
import { createConnection as create } from '../../domain/connections/create-connection.js'
import { setPaused, updateConnection as change } from '../../domain/connections/update.js'
import { Connection, CreateConnection, listOf, pageQuery, UpdateConnection } from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { connectionPath, presentConnection } from './present.js'

const section = 'Connections'
const List = listOf(Connection, { $id: 'ConnectionList' })

export const listConnectionsInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/git/connections',
  summary: 'List the connections of an organization',
  description: 'Lists the connections of the spaces that you can see.',
  section,
  needs: 'organization:view',
  query: Type.Object(pageQuery),
  returns: List,
  handle: async ({ app, actor, organization, query }) => {
    const page = await listAllConnections(app, actor, organization, query)
    return { ...page, items: await Promise.all(page.items.map((doc) => presentConnection(app, { doc }))) }
  },
})

export const listConnections = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/git/connections',
  summary: 'List the connections of a space',
  section,
  needs: 'space:view',
  query: Type.Object(pageQuery),
  returns: List,
  handle: async ({ app, space, query }) => {
    const page = await listConnectionsOf(app, space, query)
    return { ...page, items: await Promise.all(page.items.map((doc) => presentConnection(app, { doc }))) }
  },
})

export const createConnection = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/git/connections',
  summary: 'Connect a space to a repository',
  description:
    "Keeps the space and the branch in sync in the given direction. Syncs start on webhooks from the host, on regular polls of the repository's branches, " +
    'and after every change of the main content. Enter `urls.webhook` and `webhookSecret` at the host for webhooks; the secret is returned only in this ' +
    'response. A space can have at most 10 connections.',
  section,
  needs: 'space:admin',
  body: CreateConnection,
  status: 201,
  returns: Connection,
  fails: [409],
  handle: async ({ app, actor, space, body }) => {
    const made = await create(app, actor, space, body)
    return created(await presentConnection(app, made), connectionPath(made.doc))
  },
})

export const getConnection = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/git/connections/{connectionId}',
  summary: 'Get a connection',
  section,
  needs: 'space:view',
  returns: Connection,
  handle: ({ app, connection }) => presentConnection(app, { doc: connection }),
})

export const updateConnection = endpoint({
  method: 'PATCH',
  path: '/v1/spaces/{spaceId}/git/connections/{connectionId}',
  summary: 'Change a connection',
  description:
    'If `url` names another server, or `apiUrl` changes, send the credential again: a stored credential is never sent to another server. With ' +
    '`webhookSecret: null`, a new secret is generated and returned once.',
  section,
  needs: 'space:admin',
  body: UpdateConnection,
  returns: Connection,
  fails: [409],
  handle: async ({ app, actor, connection, body }) =>
    presentConnection(app, await change(app, actor, connection, body)),
})

export const deleteConnection = endpoint({
  method: 'DELETE',
  path: '/v1/spaces/{spaceId}/git/connections/{connectionId}',
  summary: 'Delete a connection',
  description: 'The sync log is kept: another connection to the same branch continues from there.',
  section,
  needs: 'space:admin',
  deletes: 'leaf',
  handle: ({ app, actor, connection }) => remove(app, actor, connection),
})

export const pauseConnection = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/git/connections/{connectionId}/pause',
  summary: 'Pause a connection',
  description: 'The connection does nothing until it is resumed. A run that is in progress makes no further changes.',
  section,
  needs: 'space:admin',
  returns: Connection,
  handle: async ({ app, actor, connection }) =>
    presentConnection(app, { doc: await setPaused(app, actor, connection, true) }),
})

export const resumeConnection = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/git/connections/{connectionId}/resume',
  summary: 'Resume a connection',
  description: 'The connection catches up with the changes on both sides.',
  section,
  needs: 'space:admin',
  returns: Connection,
  handle: async ({ app, actor, connection }) =>
    presentConnection(app, { doc: await setPaused(app, actor, connection, false) }),
})
