import { type Static, Type } from '@sinclair/typebox'
import { collection } from '../kernel/documents.js'
import { Id, oneOf, Timestamp } from './common.js'
import { User } from './user.js'

export const changeRequestStatuses = ['draft', 'open', 'archived', 'merged'] as const
export type ChangeRequestStatus = (typeof changeRequestStatuses)[number]

/** A change request, as stored. Its content is the branch `refs/heads/change-requests/<number>`. */
export interface ChangeRequestDoc {
  id: string
  space: string
  number: number
  status: ChangeRequestStatus
  subject: string
  createdBy: string
  createdAt: string
  updatedAt: string
  revisionInitial: string
  revisionMergedAncestor?: string
  revisionMerged?: string
  comments: number
  /** Set on the change request that holds a sync's conflict: the key of the remote. */
  remoteKey?: string
  /** Why it was archived by the server, in words. */
  note?: string
}

export const changeRequests = collection<ChangeRequestDoc>()({
  name: 'change-requests',
  indexes: { space: (cr) => cr.space, number: (cr) => `${cr.space}/${cr.number}`, remote: (cr) => (cr.remoteKey ? `${cr.space}/${cr.remoteKey}` : null) },
  unique: ['number'],
  owner: (cr) => cr.space,
})

export const ChangeRequest = Type.Object(
  {
    object: Type.Literal('change-request'),
    id: Id,
    number: Type.Integer(),
    status: oneOf(changeRequestStatuses),
    subject: Type.String({ maxLength: 100 }),
    createdBy: User,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    revision: Type.String(),
    revisionInitial: Type.String(),
    revisionMergedAncestor: Type.Optional(Type.String()),
    revisionMerged: Type.Optional(Type.String()),
    comments: Type.Integer(),
    outdated: Type.Boolean(),
    urls: Type.Object({ app: Type.String(), location: Type.String() }),
  },
  { $id: 'ChangeRequest' },
)

export const CreateChangeRequest = Type.Object(
  { subject: Type.Optional(Type.String({ maxLength: 100 })), agentTaskId: Type.Optional(Type.String({ maxLength: 64 })) },
  { additionalProperties: false, $id: 'CreateChangeRequest' },
)
export type CreateChangeRequest = Static<typeof CreateChangeRequest>

export const UpdateChangeRequest = Type.Object(
  { subject: Type.Optional(Type.String({ maxLength: 100 })), status: Type.Optional(oneOf(['draft', 'open', 'archived'])) },
  { additionalProperties: false, $id: 'UpdateChangeRequest' },
)
export type UpdateChangeRequest = Static<typeof UpdateChangeRequest>

export const MergeResult = Type.Object({ revision: Type.String(), result: Type.Literal('merge') }, { $id: 'MergeResult' })
export const UpdateResult = Type.Object({ revision: Type.String(), result: Type.Literal('update') }, { $id: 'UpdateResult' })
