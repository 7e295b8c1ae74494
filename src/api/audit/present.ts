// Turns audit log entries into the JSON that clients get.
import { outcomeOf } from '../../domain/events/audit.js'
import type { AuditDoc } from '../../model/index.js'

/** Returns an audit log entry as JSON. */
export const presentAuditEntry = (entry: AuditDoc) => ({
  object: 'audit-entry' as const,
  id: entry.id,
  organization: entry.organization,
  at: entry.at,
  actor: { user: entry.user, ...(entry.token === undefined ? {} : { token: entry.token }) },
  operation: entry.operation,
  method: entry.method,
  outcome: outcomeOf(entry),
  status: entry.status,
  resources: entry.resources,
  ...(entry.created === undefined ? {} : { created: entry.created }),
  members: entry.members,
  ...(entry.overruled === undefined ? {} : { overruled: entry.overruled }),
  from: { address: entry.address, ...(entry.userAgent === undefined ? {} : { userAgent: entry.userAgent }) },
  requestId: entry.requestId,
})
