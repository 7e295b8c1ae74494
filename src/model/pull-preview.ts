/** Previews of pull requests: the stored document, and the response. */
import type { CommitId } from '../kernel/ids.js'
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import type { Diagnostic } from '../kernel/diagnostic.js'
import { Id, oneOf, Timestamp } from './common.js'

const previewStates = ['ready', 'refused'] as const

/** A problem that the pull request adds. */
export interface PreviewProblem extends Omit<Diagnostic, 'code'> {
  code: Diagnostic['code'] | 'broken-link' | 'vanished-page'
  /** Whether the commit status fails because of it. */
  fails: boolean
}

/**
 * The preview of an open pull request, as stored. `previewId` computes its ID. It is removed when the pull request is
 * closed.
 */
export interface PullPreviewDoc {
  id: string
  connection: string
  space: string
  /** The key of the connection's remote. */
  key: string
  number: number
  title: string
  author: string | null
  url: string
  /**
   * `repository`: the fork that the pull request comes from; null = the repository itself, or one that no longer
   * exists.
   */
  head: { ref: string; repository: string | null }
  /** The head that the preview shows; absent until the preview is built. */
  commit?: CommitId
  /** `refused`: the content cannot be shown, and `message` contains the reason. */
  state: (typeof previewStates)[number]
  message?: string
  /** The local commit that shows the head. */
  revision?: CommitId
  /** The local commit that it is compared with. */
  baseRevision?: CommitId
  problems: PreviewProblem[]
  /** Number of all problems, and of those that fail the commit status. */
  counts: { all: number; failing: number }
  /** The commit status on the host; absent until it is set. */
  status?: { commit: string; state: 'success' | 'failure'; description: string; at: string }
  createdAt: string
  updatedAt: string
}

export const previewId = (connection: string, number: number): string => `${connection}:${number}`

export const pullPreviews = table<PullPreviewDoc>()({
  name: 'pull-previews',
  indexes: {
    connection: (one) => one.connection,
    space: (one) => one.space,
  },
  owner: 'space',
})

export const PullRequestPreview = Type.Object(
  {
    object: Type.Literal('pull-request-preview'),
    connection: Id,
    number: Type.Integer(),
    title: Type.String(),
    author: Type.Optional(Type.String({ description: 'Login of the author on the host.' })),
    head: Type.Object({
      ref: Type.String({ description: 'Name of the branch.' }),
      repository: Type.Optional(
        Type.String({ description: 'The fork that the pull request comes from; absent = the repository itself.' }),
      ),
      commit: Type.Optional(Type.String({ description: 'The head that the preview shows.' })),
    }),
    state: oneOf(previewStates, { description: '`refused`: the content cannot be shown; see `message`.' }),
    message: Type.Optional(Type.String({ description: 'The reason why the content cannot be shown, and the remedy.' })),
    revision: Type.Optional(
      Type.String({ description: 'The revision of the space with the preview. Read it like any other revision.' }),
    ),
    baseRevision: Type.Optional(
      Type.String({
        description: 'The revision that the preview is compared with: the point where the branch started.',
      }),
    ),
    problems: Type.Array(
      Type.Object({
        code: Type.String(),
        message: Type.String(),
        file: Type.Optional(Type.String()),
        line: Type.Optional(Type.Integer()),
        column: Type.Optional(Type.Integer()),
        fails: Type.Boolean({ description: 'Whether this problem makes the commit status fail.' }),
      }),
      { description: 'The problems that the pull request adds, failing ones first. At most 50.' },
    ),
    moreProblems: Type.Optional(Type.Integer({ description: 'Number of further problems.' })),
    status: Type.Optional(
      Type.Object(
        { commit: Type.String(), state: oneOf(['success', 'failure']), description: Type.String(), at: Timestamp },
        { description: 'The commit status on the host.' },
      ),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    urls: Type.Object({
      location: Type.String(),
      pullRequest: Type.String({ description: 'The pull request on the host.' }),
      revision: Type.Optional(Type.String({ description: 'The revision with the preview.' })),
    }),
  },
  { $id: 'PullRequestPreview' },
)
export type PullRequestPreview = Static<typeof PullRequestPreview>
