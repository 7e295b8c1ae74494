import { Type } from '@sinclair/typebox'
import { listAuditLog } from '../../domain/events/audit.js'
import { AuditEntry, auditOutcomes, Id, listOf, oneOf, pageQuery, Timestamp } from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentAuditEntry } from './present.js'

export const listAuditLogInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/audit-log',
  summary: 'List who changed what in an organization, newest first',
  description:
    'Every request that was to change something, also one that was refused: who, what, when, from where. Values are not recorded. Of those that were refused or failed, the newest 20,000 are kept. With a filter, one request looks at 10,000 entries of either sort at most: where that is not enough, a page may be short, or empty, and still have a `next` that goes on, and `count` is how many of the newest so many match. What a user does beside any organization, such as making a token, is in the log of each that he is a member of.',
  section: 'Events',
  needs: 'organization:admin',
  query: Type.Object({
    ...pageQuery,
    actor: Type.Optional(Type.String({ maxLength: 64, description: 'ID of a user.' })),
    operation: Type.Optional(Type.String({ maxLength: 100, description: 'operationId.' })),
    outcome: Type.Optional(oneOf(auditOutcomes)),
    space: Type.Optional(Id),
    resource: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'ID of any resource of the path.' })),
    from: Type.Optional(Timestamp),
    to: Type.Optional(Timestamp),
  }),
  returns: listOf(AuditEntry, { $id: 'AuditLog' }),
  handle: async ({ app, organization, query }) => {
    const { page, limit, ...filter } = query
    const found = await listAuditLog(app, organization, filter, { limit, ...(page === undefined ? {} : { page }) })
    return { ...found, items: found.items.map(presentAuditEntry) }
  },
})
