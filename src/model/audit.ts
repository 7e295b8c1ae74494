/** Entries of the audit log: what is recorded about a request, and what admins get to see of it. */
import { Type } from '@sinclair/typebox'
import { journal } from '../kernel/documents.js'
import { Id, oneOf, Timestamp } from './common.js'

export const auditOutcomes = ['succeeded', 'refused', 'failed'] as const
export type AuditOutcome = (typeof auditOutcomes)[number]

/** A request that was meant to change something, as stored: never changed, removed when its retention ends. No values, no secrets. */
export interface AuditDoc {
  /** Sorts by time. */
  id: string
  organization: string
  at: string
  /** Who: the user, and the token that was used. */
  user: string
  token?: string
  /** What: operationId. */
  operation: string
  method: string
  /** IDs of the resources of the path, by kind. */
  resources: Record<string, string>
  /** Path of the resource that was created. */
  created?: string
  /** Names of the body's members. */
  members: string[]
  /** Rules of the space that did not apply because an admin made the request. */
  overruled?: string[]
  /** HTTP status of the response. */
  status: number
  /** From where. */
  address: string
  userAgent?: string
  requestId: string
}

/** IDs that the audit log needs and that neither the token nor the path of the request tells. */
export interface Audited {
  user?: string
  token?: string
  organization?: string
}

/** A request that was meant to change something, and what came of it. */
export interface AuditedRequest<Actor> {
  /** Null if nobody was known before the request was handled: then `audited` says who it was. */
  actor: Actor | null
  audited: Audited
  operation: string
  method: string
  /** Resources that were loaded for the parameters of the path, by name; not all of them if one was missing. */
  resources: Readonly<Record<string, unknown>>
  /** The `Location` of the response. */
  created?: string
  /** Names of the members of a valid body. */
  members: readonly string[]
  /** Rules of the space that did not apply because an admin made the request. */
  overruled: readonly string[]
  status: number
  address: string
  userAgent?: string
  requestId: string
}

/** The group of an organization's requests that did not succeed: they push out only each other. */
export const failedEntries = (organization: string): string => `${organization}/failed`

/** The group of an entry; the others are in that of their organization. */
const groupOf = ({ organization, status }: AuditDoc): string =>
  status < 400 ? organization : failedEntries(organization)

export const auditLog = journal<AuditDoc>()({
  name: 'journal-audit-log',
  group: groupOf,
  at: (entry) => entry.at,
})

export const AuditEntry = Type.Object(
  {
    object: Type.Literal('audit-entry'),
    id: Id,
    organization: Id,
    at: Timestamp,
    actor: Type.Object({ user: Id, token: Type.Optional(Type.String({ description: 'ID of the token.' })) }),
    operation: Type.String({ description: 'operationId, as in the OpenAPI document.' }),
    method: Type.String(),
    outcome: oneOf(auditOutcomes, { description: '`refused`: 401 or 403; `failed`: any other error.' }),
    status: Type.Integer({ description: 'HTTP status of the response.' }),
    resources: Type.Record(Type.String(), Type.String(), { description: 'IDs of the resources in the path, by kind.' }),
    created: Type.Optional(Type.String({ description: 'Path of the resource that was created.' })),
    members: Type.Array(Type.String(), { description: 'Names of the members of the body; values are not recorded.' }),
    overruled: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Rules of the space that did not apply to this request because of who made it: `requiredApprovals` and `mergeRules`, if the admin changed the main content directly, or if the user may bypass the rules.',
      }),
    ),
    from: Type.Object({ address: Type.String(), userAgent: Type.Optional(Type.String()) }),
    requestId: Type.String(),
  },
  { $id: 'AuditEntry' },
)
