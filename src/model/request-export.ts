/** Change requests that are exported as pull requests: the stored document, the input and the response. */
import type { CommitId, RefName } from '../kernel/ids.js'
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, nullable, oneOf, Timestamp } from './common.js'

const requestExportStatuses = ['pending', 'open', 'merged', 'closed'] as const

/** A revision of the change request, and the commit on the host's branch that has its content. */
export interface ExportedRevision {
  revision: CommitId
  commit: CommitId
}

/** The reason why an export is currently blocked. */
export interface ExportProblem {
  /** The cause as a code, such as `rateLimited` or `conflict`. */
  cause: string
  /** The problem and the remedy. */
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
  /**
   * The key of the connection's remote at the start. An export does not follow a connection that is changed to another
   * remote.
   */
  key: string
  /** Full name of the branch on the host. */
  branch: RefName
  /** Full name of the target branch of the pull request. */
  base: RefName
  /** `pending`: there is no pull request yet. `merged` and `closed` are final. */
  status: (typeof requestExportStatuses)[number]
  /** Number of this export of the change request. Each export has its own branch. */
  round: number
  /** The revision and commit that the branch on the host contains. */
  pushed?: ExportedRevision
  /** Earlier values of `pushed`, newest first: the pull request may have been merged at one of them. */
  earlier?: ExportedRevision[]
  /** The unconfirmed push, which is running or was interrupted. */
  offered?: ExportedRevision
  pullRequest?: { number: number; url: string }
  /** Digest of the title and text that were last sent to the pull request. */
  told?: string
  /** Logins that a review was requested from. */
  asked: string[]
  /** Users whose login is unknown or rejected by the host. The text of the pull request names them. */
  named: string[]
  /** Whether the final comment on the pull request was posted. It is posted at most once. */
  said?: boolean
  /** The result of the merge on the host. */
  became?: { method: 'merge' | 'squash' | 'rebase'; commits: CommitId[]; by?: string; at?: string }
  /**
   * The newest exported revision that the host reports as merged; null if it reports none, absent if it was not
   * queried.
   */
  mergedFrom?: ExportedRevision | null
  /** The revision of main that recorded the merge. */
  revisionMerged?: CommitId
  /** The reason why the pull request was closed without a merge, or why the change request stays open after a merge. */
  reason?: string
  /** Whether the service archived the change request because the pull request was closed. */
  archived?: boolean
  /** The run that it waits for before it can end. */
  waitsFor?: 'import' | 'export'
  problem?: ExportProblem
  /** Digest of the change request at the last poll. */
  seen?: string
  lookedAt?: string
  /** Time of the last change, here or there. Inactive exports are polled less often. */
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
    /** The exports that the host may still report changes for. */
    connection: (one) => (one.status === 'merged' && one.waitsFor === undefined ? null : one.connection),
    waiting: (one) => (one.waitsFor === undefined ? null : 'waiting'),
  },
  owner: 'space',
})

export const ExportChangeRequest = Type.Object(
  {
    connection: Type.Optional(
      nullable(
        Type.String({
          maxLength: 64,
          description:
            'ID of a connection of the space; absent = the only connection that is allowed to export change requests.',
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
      description: '`pending`: the pull request is not open yet. `merged` and `closed`: the export has ended.',
    }),
    branch: Type.String({ description: 'Full name of the branch on the host.' }),
    base: Type.String({ description: 'Full name of the target branch of the pull request.' }),
    revision: Type.Optional(
      Type.String({ description: 'The revision of the change request that the branch contains.' }),
    ),
    commit: Type.Optional(Type.String({ description: 'The head of the branch on the host.' })),
    pullRequest: Type.Optional(Type.Object({ number: Type.Integer(), url: Type.String() })),
    reviewers: Type.Object({
      asked: Type.Array(Type.String(), { description: 'Logins that a review was requested from on the host.' }),
      named: Type.Array(Id, {
        description: 'Users whose login is unknown or rejected by the host. The text of the pull request names them.',
      }),
    }),
    merged: Type.Optional(
      Type.Object({
        method: oneOf(['merge', 'squash', 'rebase']),
        commits: Type.Array(Type.String(), {
          description: "The resulting commits on the host's branch, oldest first.",
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
        description:
          'The reason why it was closed without a merge, or why the change request stays open after a merge.',
      }),
    ),
    waitsFor: Type.Optional(
      oneOf(['import', 'export'], { description: 'The run of the connection that it waits for.' }),
    ),
    problem: Type.Optional(
      Type.Object(
        {
          cause: Type.String(),
          message: Type.String({ description: 'The problem and the remedy.' }),
          since: Timestamp,
        },
        {
          description: 'The reason why the export is currently blocked; absent otherwise. It is retried automatically.',
        },
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
