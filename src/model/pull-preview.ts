/** Previews of pull requests: the stored document, and what clients get. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import type { Diagnostic } from '../kernel/diagnostic.js'
import { Id, oneOf, Timestamp } from './common.js'

const previewStates = ['ready', 'refused'] as const

/** Something that the pull request adds. */
export interface PreviewProblem extends Omit<Diagnostic, 'code'> {
  code: Diagnostic['code'] | 'broken-link' | 'vanished-page'
  /** Whether the commit status fails because of it. */
  fails: boolean
}

/** The preview of an open pull request, as stored. Its ID is made by `previewId`. It is removed when the pull request is closed. */
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
  /** `repository`: the fork that it comes from; null = the repository itself, or one that is gone. */
  head: { ref: string; repository: string | null }
  /** The head that the preview was made of; absent until it is made. */
  commit?: string
  /** `refused`: the content cannot be shown, `message` says why. */
  state: (typeof previewStates)[number]
  message?: string
  /** The commit here that shows the head. */
  revision?: string
  /** The commit here that it is compared with. */
  baseRevision?: string
  problems: PreviewProblem[]
  /** How many problems there are, and how many of them fail. */
  counts: { all: number; failing: number }
  /** The status that the commit has on the host; absent until it is set. */
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
  owner: (one) => one.space,
})

export const PullRequestPreview = Type.Object(
  {
    object: Type.Literal('pull-request-preview'),
    connection: Id,
    number: Type.Integer(),
    title: Type.String(),
    author: Type.Optional(Type.String({ description: 'Login of the author at the host.' })),
    head: Type.Object({
      ref: Type.String({ description: 'Name of the branch.' }),
      repository: Type.Optional(
        Type.String({ description: 'The fork that it comes from; absent = the repository itself.' }),
      ),
      commit: Type.Optional(Type.String({ description: 'The head that the preview was made of.' })),
    }),
    state: oneOf(previewStates, { description: '`refused`: its content cannot be shown; see `message`.' }),
    message: Type.Optional(Type.String({ description: 'Why it is refused, and what to do.' })),
    revision: Type.Optional(
      Type.String({ description: 'The revision of the space that shows it: read it like any other.' }),
    ),
    baseRevision: Type.Optional(
      Type.String({ description: 'The revision that it is compared with: where it branched off.' }),
    ),
    problems: Type.Array(
      Type.Object({
        code: Type.String(),
        message: Type.String(),
        file: Type.Optional(Type.String()),
        line: Type.Optional(Type.Integer()),
        column: Type.Optional(Type.Integer()),
        fails: Type.Boolean({ description: 'Whether the commit status fails because of it.' }),
      }),
      { description: 'What the pull request adds; those that fail first. At most 50.' },
    ),
    moreProblems: Type.Optional(Type.Integer({ description: 'How many more there are.' })),
    status: Type.Optional(
      Type.Object(
        { commit: Type.String(), state: oneOf(['success', 'failure']), description: Type.String(), at: Timestamp },
        { description: 'The commit status that was set on the host.' },
      ),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    urls: Type.Object({
      location: Type.String(),
      pullRequest: Type.String({ description: 'The pull request on the host.' }),
      revision: Type.Optional(Type.String({ description: 'The revision that shows it.' })),
    }),
  },
  { $id: 'PullRequestPreview' },
)
export type PullRequestPreview = Static<typeof PullRequestPreview>
