// Turns audit log entries into the JSON that clients get.
import { outcomeOf } from '../../domain/events/audit.js'
import type { AuditDoc } from '../../model/index.js'
import { defined } from '../../kernel/defined.js'

/** Returns an audit log entry as JSON. */
export const presentAuditEntry = (entry: AuditDoc) => ({
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
