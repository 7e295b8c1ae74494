/** The fields that comments and replies share. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, Id, oneOf, permissionsOf, Timestamp } from './common.js'
import { formats } from './content.js'
import { Reaction } from './reaction.js'
import { User } from './user.js'

/** The resource that comments belong to: a space, or one of its change requests. */
interface Discussion {
  space: string
  changeRequest?: string
}

export const discussionKey = ({ space, changeRequest }: Discussion): string =>
  changeRequest === undefined ? `space:${space}` : `change-request:${changeRequest}`

/** The stored fields of comments and replies. Reactions are separate documents. */
export interface Post extends Discussion {
  id: string
  postedBy: string
  postedAt: string
  editedAt?: string
  markdown: string
}

/** Maximum length of a comment or reply, in characters of markdown. */
export const MAX_COMMENT_LENGTH = 20_000

const Body = Type.Object(
  {
    markdown: Type.Optional(Type.String()),
    document: Type.Optional(Type.Unknown({ description: 'The body as a block tree.' })),
  },
  { $id: 'CommentBody', description: 'In the requested `format`.' },
)

const commentPermissions = ['view', 'edit', 'reply', 'delete'] as const

export const postFields = {
  id: Id,
  postedBy: User,
  postedAt: Timestamp,
  editedAt: Type.Optional(Timestamp),
  reactions: Type.Array(Reaction),
  body: Body,
  urls: Type.Object({ location: Type.String() }),
  permissions: permissionsOf(commentPermissions),
}

export const CommentBodyInput = Type.Union(
  [
    Type.Object({ markdown: Type.String({ minLength: 1, maxLength: MAX_COMMENT_LENGTH }) }, closed),
    Type.Object({ document: Type.Object({}, { additionalProperties: true }) }, closed),
  ],
  {
    description: `The text, as markdown (stored unchanged) or as a block tree (stored as markdown): not blank, at most ${MAX_COMMENT_LENGTH} characters.`,
  },
)
export type CommentBodyInput = Static<typeof CommentBodyInput>

export const formatQuery = {
  format: oneOf(formats, { default: 'markdown', description: 'Format of the bodies in the response.' }),
}

export const FormatQuery = Type.Object(formatQuery)
