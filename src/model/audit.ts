/** Entries of the audit log: the recorded data of a request, and the fields that admins see. */
import { Type } from '@sinclair/typebox'
import { journal, table } from '../kernel/documents.js'
import { Id, oneOf, Timestamp } from './common.js'

export const auditOutcomes = ['succeeded', 'refused', 'failed'] as const
export type AuditOutcome = (typeof auditOutcomes)[number]

/**
 * A request that could change something, as stored. It never changes and is removed when its retention ends. It
 * contains no values and no secrets.
 */
export interface AuditDoc {
  /** IDs sort by time. */
  id: string
  organization: string
  at: string
  /** The user who made the request, and the token. */
  user: string
  token?: string
  /** The operationId. */
  operation: string
  method: string
  /** IDs of the resources in the path, by kind. */
  resources: Record<string, string>
  /** Path of the created resource. */
  created?: string
  /** Names of the members of the body. */
  members: string[]
  /** Rules of the space that did not apply because an admin made the request. */
  overruled?: string[]
  /** HTTP status of the response. */
  status: number
  /** The caller's address. */
  address: string
  userAgent?: string
  requestId: string
}

/** IDs for the audit log that are in neither the token nor the path of the request. */
export interface Audited {
  user?: string
  token?: string
  organization?: string
}

/** A request that could change something. Mutable fields are completed while it runs. */
export interface AuditedRequest<Actor> {
  /** Null if the caller was unknown before the request was handled; then `audited` contains the user. */
  readonly actor: Actor | null
  readonly audited: Audited
  readonly operation: string
  readonly method: string
  /** Resources that were loaded for the path parameters, by name. Some are missing if one was not found. */
  readonly resources: Readonly<Record<string, unknown>>
  /** Names of the members of a valid body. */
  members: readonly string[]
  /** Rules of the space that did not apply because an admin made the request. */
  readonly overruled: string[]
  /** HTTP status of a success. */
  readonly success: number
  readonly address: string
  readonly userAgent?: string
  readonly requestId: string
}

/** The result of a request: the HTTP status, and the `Location` of the response. */
export interface AuditedResult {
  status: number
  created?: string
}

/**
 * The entry of a request that has changed documents, stored with the first change. The end of the request replaces it by
 * entries of the log.
 */
export interface UnfinishedEntryDoc {
  /** IDs sort by time. */
  id: string
  /** One request has several unfinished entries if it ran several transactions at the same time. */
  request: string
  /** The organizations whose logs get the entry; at least one. */
  organizations: string[]
  entry: Omit<AuditDoc, 'id' | 'organization'>
}

export const unfinishedEntries = table<UnfinishedEntryDoc>()({
  name: 'unfinished-audit-entries',
  indexes: {},
  owner: ({ organizations: [first = ''] }) => first,
})

/** The group of an organization's unsuccessful requests. They only displace each other. */
export const failedEntries = (organization: string): string => `${organization}/failed`

/** The group of an entry. Successful requests are in the group of their organization. */
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
    operation: Type.String({
      description:
        'operationId, as in the OpenAPI document. For a command of an operator, its name, such as `space-delete`: the user is then `operator`, and the method `COMMAND`.',
    }),
    method: Type.String(),
    outcome: oneOf(auditOutcomes, { description: '`refused`: 401 or 403; `failed`: any other error.' }),
    status: Type.Integer({ description: 'HTTP status of the response.' }),
    resources: Type.Record(Type.String(), Type.String(), { description: 'IDs of the resources in the path, by kind.' }),
    created: Type.Optional(Type.String({ description: 'Path of the created resource.' })),
    members: Type.Array(Type.String(), { description: 'Names of the members of the body; values are not recorded.' }),
    overruled: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Rules of the space that did not apply to this request: `requiredApprovals` and `mergeRules`, if an admin changed the main content directly, or if the ' +
          'user is allowed to bypass the rules.',
      }),
    ),
    from: Type.Object({ address: Type.String(), userAgent: Type.Optional(Type.String()) }),
    requestId: Type.String(),
  },
  { $id: 'AuditEntry' },
)
