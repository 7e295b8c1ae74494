/** Comments on spaces and change requests, their pages, nodes and table cells. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, listOf, oneOf, pageQuery, Timestamp } from './common.js'
import { CommentBodyInput, discussionKey, formatQuery, MAX_COMMENT_LENGTH, type Post, postFields } from './post.js'
import { User } from './user.js'
import { reactionMembers } from './reaction.js'

const commentStatuses = ['open', 'resolved'] as const

type CommentStatus = (typeof commentStatuses)[number]

/**
 * A page in the state that was commented on. It is shown if the page no longer exists, and compared with the current
 * state.
 */
export interface SeenPage {
  id: string
  title: string
  path: string
  emoji?: string
  icon?: string
  createdAt?: string
  updatedAt?: string
  /** Digest of its text, without front matter. Equal digests mean equal text. */
  content: string
}

/** A node of a page, or a table cell (by record and column), in the state that was commented on. */
export interface CommentLocation {
  /** Key of the node; for a cell, key of its table. */
  node: string
  record?: string
  definition?: string
  /** The first characters of its text. */
  preview: string
  /** A hash of the type and text. Nodes with the same type and text have equal hashes. */
  digest: string
  /** Number of earlier nodes in the page with the same digest. */
  occurrence: number
}

/** A comment, as stored. */
export interface CommentDoc extends Post {
  status: CommentStatus
  resolvedAt?: string
  resolvedBy?: string
  replies: number
  /** The current revision when the comment was written. */
  revision: string
  page?: SeenPage
  place?: CommentLocation
  /** ID of the review that the comment belongs to. */
  review?: string
  suggestion?: StoredSuggestion
}

/** Another text for the block that a comment is about. */
export interface StoredSuggestion {
  markdown: string
  /** The source of the block when the comment was written. */
  original: string
  acceptedAt?: string
  acceptedBy?: string
  /** The revision with the text. */
  revision?: string
}

/** A filter for a list of comments. Absent fields do not restrict it. */
interface CommentFilter {
  page?: string
  author?: string
  status?: CommentStatus
}

export const commentList = (discussion: string, { page, author, status }: CommentFilter): string =>
  [discussion, page, author, status].join('/')

/** Returns the keys of all lists that contain a comment. */
function listsOf(comment: CommentDoc): string[] {
  const pages = comment.page ? [undefined, comment.page.id] : [undefined]
  const found = pages.flatMap((page) =>
    [undefined, comment.postedBy].flatMap((author) =>
      [undefined, comment.status].map((status) => ({ page, author, status })),
    ),
  )
  return found.map((filter) => commentList(discussionKey(comment), filter as CommentFilter))
}

export const comments = table<CommentDoc>()({
  name: 'comments',
  indexes: { space: (comment) => comment.space },
  orders: { posted: { group: listsOf, by: (comment) => comment.postedAt } },
  owner: 'space',
})

const CommentTarget = Type.Object(
  {
    space: Id,
    changeRequest: Type.Optional(Id),
    review: Type.Optional(Type.String({ description: 'ID of the review that the comment belongs to.' })),
    revision: Type.String({ description: 'The current revision when the comment was written.' }),
    page: Type.Optional(
      Type.Object(
        {
          id: Id,
          title: Type.String(),
          emoji: Type.Optional(Type.String()),
          icon: Type.Optional(Type.String()),
          createdAt: Type.Optional(Timestamp),
          updatedAt: Type.Optional(Timestamp),
          path: Type.String(),
          outdated: Type.Boolean({
            description:
              'Whether the text that was commented on has changed or no longer exists: the text of the node or cell, otherwise that of the page.',
          }),
          deleted: Type.Optional(
            Type.Literal(true, {
              description: 'The page no longer exists. The other members are from the time of the comment.',
            }),
          ),
        },
        { description: 'The page in its current state. It keeps its ID when it is moved.' },
      ),
    ),
    node: Type.Optional(
      Type.Object({
        id: Type.String({
          description: 'Key of the node in the current page, or its last known key if it no longer exists.',
        }),
        changed: Type.Optional(
          Type.Literal(true, {
            description: 'Its text has changed since the comment was written. `id` is the current key of the block.',
          }),
        ),
        preview: Type.String({
          description:
            'Its text at the time of the comment, at most 200 characters; for a table cell, the text of the cell.',
        }),
      }),
    ),
    tableCell: Type.Optional(Type.Object({ record: Type.String(), definition: Type.String() })),
  },
  { $id: 'CommentTarget' },
)

const Suggestion = Type.Object(
  {
    markdown: Type.String({ description: 'The proposed source of the block.' }),
    original: Type.String({ description: 'The source of the block when the comment was written.' }),
    acceptedAt: Type.Optional(Timestamp),
    acceptedBy: Type.Optional(User),
    revision: Type.Optional(Type.String({ description: 'The revision of the change request with the text.' })),
  },
  { $id: 'Suggestion' },
)

export const Comment = Type.Object(
  {
    object: Type.Literal('comment'),
    ...postFields,
    replies: Type.Integer({ minimum: 0, description: 'Number of replies.' }),
    repliers: Type.Array(User, {
      description: 'The users who replied, in order of their first reply. Only the first 200 replies are considered.',
    }),
    target: CommentTarget,
    status: oneOf(commentStatuses),
    resolvedAt: Type.Optional(Timestamp),
    resolvedBy: Type.Optional(User),
    suggestion: Type.Optional(Suggestion),
  },
  { $id: 'Comment' },
)

export const CommentList = listOf(Comment, { $id: 'CommentList' })

export const CreateComment = Type.Object(
  {
    body: CommentBodyInput,
    page: Type.Optional(Id),
    node: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: "Key of a node of the page's document. Requires `page`.",
      }),
    ),
    tableCell: Type.Optional(
      Type.Object(
        {
          record: Type.String({ minLength: 1, maxLength: 64 }),
          definition: Type.String({ minLength: 1, maxLength: 64 }),
        },
        {
          ...closed,
          description:
            'A cell of the table `node`, by the IDs of its record and column. If the page has only one table, you can omit `node`.',
        },
      ),
    ),
    suggestion: Type.Optional(
      Type.Object(
        {
          markdown: Type.String({
            minLength: 1,
            maxLength: MAX_COMMENT_LENGTH,
            pattern: '\\S',
            'x-pattern-message': 'must not be blank',
          }),
        },
        {
          ...closed,
          description:
            'A new source for the top-level block that contains `node`. Requires `page` and `node`, and a change request.',
        },
      ),
    ),
  },
  { ...closed, $id: 'CreateComment' },
)
export type CreateComment = Static<typeof CreateComment>

export const UpdateComment = Type.Object(
  { resolved: Type.Optional(Type.Boolean()), body: Type.Optional(CommentBodyInput), ...reactionMembers },
  { ...closed, $id: 'UpdateComment' },
)
export type UpdateComment = Static<typeof UpdateComment>

export const CommentsQuery = Type.Object({
  ...pageQuery,
  ...formatQuery,
  order: oneOf(['asc', 'desc'], { default: 'desc', description: 'By `postedAt`.' }),
  status: oneOf(['all', ...commentStatuses], { default: 'all' }),
  targetPage: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'ID of a page. Returns only the comments on it, even if it no longer exists.',
    }),
  ),
  authors: Type.Optional(
    Type.Array(Id, {
      maxItems: 50,
      uniqueItems: true,
      description:
        'IDs of users. Returns only their comments, even if they are no longer members. Repeat the parameter for several users.',
    }),
  ),
})
export type CommentsQuery = Static<typeof CommentsQuery>
