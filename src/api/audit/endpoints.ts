/** The endpoint of the audit log, in which admins see the callers, operations, addresses and results of changes. */
import { Type } from '@sinclair/typebox'
import { listAuditLog, outcomeOf } from '../../domain/events/audit.js'
import { type AuditDoc, AuditEntry, auditOutcomes, Id, listOf, oneOf, pageQuery, Timestamp } from '../../model/index.js'
import { endpoint } from '../service.js'
import { defined } from '../../kernel/defined.js'

/** Returns an audit log entry as JSON. */
const presentAuditEntry = (entry: AuditDoc) => ({
  object: 'audit-entry' as const,
  id: entry.id,
  organization: entry.organization,
  at: entry.at,
  actor: { user: entry.user, ...defined({ token: entry.token }) },
  operation: entry.operation,
  method: entry.method,
  outcome: outcomeOf(entry),
  status: entry.status,
  resources: entry.resources,
  ...defined({ created: entry.created }),
  members: entry.members,
  ...defined({ overruled: entry.overruled }),
  from: { address: entry.address, ...defined({ userAgent: entry.userAgent }) },
  requestId: entry.requestId,
})

export const listAuditLogInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/audit-log',
  summary: 'List the changes made in an organization, newest first',
  description:
    'Lists every request that could change something, including rejected ones: the caller, the operation, the time and the address. Values are not ' +
    'recorded. Of the rejected and failed requests, the newest 20,000 are kept. With a filter, each request examines at most 10,000 successful and 10,000 ' +
    'other entries. If more entries would have to be examined, a page can be short or empty and still have a `next`, and `count` covers only the examined ' +
    'entries. Actions outside any organization, such as creating a token, are in the log of every organization that the user belongs to.',
  section: 'Events',
  needs: 'organization:admin',
  query: Type.Object({
    ...pageQuery,
    actor: Type.Optional(Type.String({ maxLength: 64, description: 'ID of a user.' })),
    operation: Type.Optional(Type.String({ maxLength: 100, description: 'operationId.' })),
    outcome: Type.Optional(oneOf(auditOutcomes)),
    space: Type.Optional(Id),
    resource: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'ID of any resource in the path.' }),
    ),
    from: Type.Optional(Timestamp),
    to: Type.Optional(Timestamp),
  }),
  returns: listOf(AuditEntry, { $id: 'AuditLog' }),
  handle: async ({ app, organization, query }) => {
    const { page, limit, ...filter } = query
    const found = await listAuditLog(app, organization, filter, { limit, ...defined({ page }) })
    return { ...found, items: found.items.map(presentAuditEntry) }
  },
})
