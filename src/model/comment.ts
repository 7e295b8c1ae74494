/** Comments on spaces and change requests, their pages, nodes and table cells. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, listOf, oneOf, pageQuery, Timestamp } from './common.js'
import { CommentBodyInput, discussionKey, formatQuery, type Post, postFields } from './post.js'
import { User } from './user.js'
import { reactionMembers } from './reaction.js'

const commentStatuses = ['open', 'resolved'] as const

type CommentStatus = (typeof commentStatuses)[number]

/** A page as it was when it was commented on: shown when the page is gone, and compared with what it is now. */
export interface SeenPage {
  id: string
  title: string
  path: string
  emoji?: string
  icon?: string
  createdAt?: string
  updatedAt?: string
  /** Digest of its text, without front matter: equal = the page says the same. */
  content: string
}

/** A node of a page, or a cell of a table (by record and column), as it was when it was commented on. */
export interface CommentLocation {
  /** Key of the node; for a cell, of its table. */
  node: string
  record?: string
  definition?: string
  /** The beginning of its text. */
  preview: string
  /** A hash of the type and text: equal for places with the same type and text. */
  digest: string
  /** How many places before it in the page have the same digest. */
  occurrence: number
}

/** A comment, as stored. */
export interface CommentDoc extends Post {
  status: CommentStatus
  resolvedAt?: string
  resolvedBy?: string
  replies: number
  /** The revision that was the content when the comment was made. */
  revision: string
  page?: SeenPage
  place?: CommentLocation
  /** ID of the review that it was made with. */
  review?: string
}

/** Selects a list of comments; fields that are left out do not restrict it. */
interface CommentFilter {
  page?: string
  author?: string
  status?: CommentStatus
}

export const commentList = (discussion: string, { page, author, status }: CommentFilter): string =>
  [discussion, page, author, status].join('/')

/** Every list that a comment is in. */
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
  owner: (comment) => comment.space,
})

const CommentTarget = Type.Object(
  {
    space: Id,
    changeRequest: Type.Optional(Id),
    review: Type.Optional(Type.String({ description: 'ID of the review that the comment was made with.' })),
    revision: Type.String({ description: 'The revision that was current when the comment was made.' }),
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
              'Whether the text that was commented on has changed since or is gone: that of the node or cell, otherwise that of the page.',
          }),
          deleted: Type.Optional(
            Type.Literal(true, {
              description: 'The page is gone; the other members are as they were when the comment was made.',
            }),
          ),
        },
        { description: 'The page as it is now; it is followed by its ID when it is moved.' },
      ),
    ),
    node: Type.Optional(
      Type.Object({
        id: Type.String({ description: 'Key of the node in the current page; if it is gone, its last known key.' }),
        preview: Type.String({
          description:
            'Its text when the comment was made, at most 200 characters; for a table cell, the text of the cell.',
        }),
      }),
    ),
    tableCell: Type.Optional(Type.Object({ record: Type.String(), definition: Type.String() })),
  },
  { $id: 'CommentTarget' },
)

export const Comment = Type.Object(
  {
    object: Type.Literal('comment'),
    ...postFields,
    replies: Type.Integer({ minimum: 0, description: 'Number of replies.' }),
    repliers: Type.Array(User, {
      description: 'The users who replied, the first one first; those of the first 200 replies.',
    }),
    target: CommentTarget,
    status: oneOf(commentStatuses),
    resolvedAt: Type.Optional(Timestamp),
    resolvedBy: Type.Optional(User),
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
        description: 'Key of a node of the page’s document; needs `page`.',
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
            'A cell of the table `node`, by the IDs of its record and column; `node` may be left out if the page has only one table.',
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
      description: 'ID of a page: only the comments on it, even if it is gone.',
    }),
  ),
  authors: Type.Optional(
    Type.Array(Id, {
      maxItems: 50,
      uniqueItems: true,
      description:
        'IDs of users: only what they posted, even if they are no longer members. Repeat the parameter for several users.',
    }),
  ),
})
export type CommentsQuery = Static<typeof CommentsQuery>
