/** Change requests that are exported as pull requests: the stored document, and what clients send and get. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, nullable, oneOf, Timestamp } from './common.js'

const requestExportStatuses = ['pending', 'open', 'merged', 'closed'] as const

/** A revision of the change request, and the commit on the host's branch that has its content. */
export interface ExportedRevision {
  revision: string
  commit: string
}

/** Why an export cannot go on at the moment. */
export interface ExportProblem {
  /** In one word, such as `rateLimited` or `conflict`. */
  cause: string
  /** What is wrong, and what to do. */
  message: string
  since: string
  attempts: number
}

/** The export of a change request, as stored. Its ID is that of the change request. */
export interface RequestExportDoc {
  id: string
  space: string
  organization: string
  connection: string
  /** The key of the connection's remote when it began: an export does not follow the connection elsewhere. */
  key: string
  /** Full name of the branch on the host. */
  branch: string
  /** Full name of the branch that the pull request is against. */
  base: string
  /** `pending`: there is no pull request yet. `merged` and `closed` are ends. */
  status: (typeof requestExportStatuses)[number]
  /** How often this change request was exported: each time has a branch of its own. */
  round: number
  /** What the host's branch has. */
  pushed?: ExportedRevision
  /** Earlier values of `pushed`, newest first: the pull request may have been merged at one of them. */
  earlier?: ExportedRevision[]
  /** What is being pushed, or was when the push broke off. */
  offered?: ExportedRevision
  pullRequest?: { number: number; url: string }
  /** Digest of the title and text that the pull request was last given. */
  told?: string
  /** Logins that were asked for a review. */
  asked: string[]
  /** Users whose login is not known, or not accepted by the host: they are named in the text. */
  named: string[]
  /** Whether the last words on the pull request were said: they are said once at most. */
  said?: boolean
  /** What it became on the host. */
  became?: { method: 'merge' | 'squash' | 'rebase'; commits: string[]; by?: string; at?: string }
  /** The newest exported revision that the host reports as merged; null if it reports none, absent if it was not asked. */
  mergedFrom?: ExportedRevision | null
  /** The revision of main that recorded the merge. */
  revisionMerged?: string
  /** Why it was closed without a merge, or why the change request stays open after one. */
  reason?: string
  /** Whether the service archived the change request because the pull request was closed. */
  archived?: boolean
  /** What is waited for before it can end. */
  waitsFor?: 'import' | 'export'
  problem?: ExportProblem
  /** Digest of the change request as the last look saw it. */
  seen?: string
  lookedAt?: string
  /** When something last changed, here or there: what is quiet is looked at less often. */
  changedAt: string
  requestedBy: string
  createdAt: string
}

const isLive = ({ status }: RequestExportDoc): boolean => status === 'pending' || status === 'open'

export const requestExports = table<RequestExportDoc>()({
  name: 'request-exports',
  indexes: {
    space: (one) => one.space,
    liveInSpace: (one) => (isLive(one) ? one.space : null),
    liveInOrganization: (one) => (isLive(one) ? one.organization : null),
    /** Those that the host may still have something to tell about. */
    connection: (one) => (one.status === 'merged' && one.waitsFor === undefined ? null : one.connection),
    waiting: (one) => (one.waitsFor === undefined ? null : 'waiting'),
  },
  owner: (one) => one.space,
})

export const ExportChangeRequest = Type.Object(
  {
    connection: Type.Optional(
      nullable(
        Type.String({
          maxLength: 64,
          description: 'ID of a connection of the space; absent = the only one that may export change requests.',
        }),
      ),
    ),
  },
  { ...closed, $id: 'ExportChangeRequest' },
)
export type ExportChangeRequest = Static<typeof ExportChangeRequest>

export const ChangeRequestExport = Type.Object(
  {
    object: Type.Literal('change-request-export'),
    changeRequest: Id,
    connection: Id,
    status: oneOf(requestExportStatuses, {
      description: '`pending`: the pull request is not opened yet; `merged` and `closed`: it has ended.',
    }),
    branch: Type.String({ description: 'Full name of the branch on the host.' }),
    base: Type.String({ description: 'Full name of the branch that the pull request is against.' }),
    revision: Type.Optional(Type.String({ description: 'The revision of the change request that the branch has.' })),
    commit: Type.Optional(Type.String({ description: "The head of the host's branch." })),
    pullRequest: Type.Optional(Type.Object({ number: Type.Integer(), url: Type.String() })),
    reviewers: Type.Object({
      asked: Type.Array(Type.String(), { description: 'Logins that were asked for a review on the host.' }),
      named: Type.Array(Id, {
        description: 'Users whose login is not known, or not accepted by the host: they are named in the text.',
      }),
    }),
    merged: Type.Optional(
      Type.Object({
        method: oneOf(['merge', 'squash', 'rebase']),
        commits: Type.Array(Type.String(), {
          description: "The commits that it became on the host's branch, oldest first.",
        }),
        by: Type.Optional(Type.String()),
        at: Type.Optional(Type.String()),
        revision: Type.Optional(
          Type.String({
            description:
              'The revision of the main content that records the merge; absent until the commits are imported.',
          }),
        ),
      }),
    ),
    reason: Type.Optional(
      Type.String({
        description: 'Why it was closed without a merge, or why the change request stays open after one.',
      }),
    ),
    waitsFor: Type.Optional(
      oneOf(['import', 'export'], { description: 'The run of the connection that it waits for.' }),
    ),
    problem: Type.Optional(
      Type.Object(
        {
          cause: Type.String(),
          message: Type.String({ description: 'What is wrong, and what to do.' }),
          since: Timestamp,
        },
        { description: 'Why it cannot go on at the moment; absent while it can. It is retried automatically.' },
      ),
    ),
    requestedBy: Id,
    createdAt: Timestamp,
    lookedAt: Type.Optional(Timestamp),
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'ChangeRequestExport' },
)
export type ChangeRequestExport = Static<typeof ChangeRequestExport>
