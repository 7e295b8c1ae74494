import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { Id, listOf, oneOf, pageQuery, permissionsOf, Timestamp } from './common.js'
import { formats } from './content.js'
import { User } from './user.js'

export const commentStatuses = ['open', 'resolved'] as const
export type CommentStatus = (typeof commentStatuses)[number]

/** Where comments stand: on a space, or on one of its change requests. */
export interface Discussion {
  space: string
  changeRequest?: string
}

export const discussionKey = ({ space, changeRequest }: Discussion): string =>
  changeRequest === undefined ? `space:${space}` : `change-request:${changeRequest}`

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

/** A place in a page as it was when it was commented on. */
export interface SeenPlace {
  /** Key of the node; of the table, where a cell was commented on. */
  node: string
  record?: string
  definition?: string
  /** The beginning of its text. */
  preview: string
  /** What it is recognised by: see content/blocks/comment-targets.ts. */
  digest: string
  occurrence: number
}

/** What comments and replies have in common, as stored. Reactions are documents of their own. */
interface Post extends Discussion {
  id: string
  postedBy: string
  postedAt: string
  editedAt?: string
  markdown: string
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
  place?: SeenPlace
  /** ID of the review that it was made with. */
  review?: string
}

/** One list of comments; what is left out does not matter. */
export interface CommentFilter {
  page?: string
  author?: string
  status?: CommentStatus
}

export const commentList = (discussion: string, { page, author, status }: CommentFilter): string => [discussion, page, author, status].join('/')

/** Every list that a comment is in. */
function listsOf(comment: CommentDoc): string[] {
  const pages = comment.page ? [undefined, comment.page.id] : [undefined]
  const found = pages.flatMap((page) =>
    [undefined, comment.postedBy].flatMap((author) => [undefined, comment.status].map((status) => ({ page, author, status }))),
  )
  return found.map((filter) => commentList(discussionKey(comment), filter as CommentFilter))
}

export const comments = table<CommentDoc>()({
  name: 'comments',
  indexes: { space: (comment) => comment.space },
  orders: { posted: { group: listsOf, by: (comment) => comment.postedAt } },
  owner: (comment) => comment.space,
})

/** A reply to a comment, as stored. */
export interface ReplyDoc extends Post {
  comment: string
}

export const replies = table<ReplyDoc>()({
  name: 'replies',
  indexes: { space: (reply) => reply.space, comment: (reply) => reply.comment },
  orders: { posted: { group: (reply) => reply.comment, by: (reply) => reply.postedAt } },
  owner: (reply) => reply.space,
})

/** One user's reaction to a comment or reply, as stored. Its ID is `<post>:<user>:<emoji>`. */
export interface ReactionDoc {
  id: string
  space: string
  /** ID of the comment or reply. */
  post: string
  user: string
  emoji: string
  reactedAt: string
}

export const reactions = table<ReactionDoc>()({
  name: 'reactions',
  indexes: { space: (reaction) => reaction.space, post: (reaction) => reaction.post },
  owner: (reaction) => reaction.space,
})
export const reactionId = (post: string, user: string, emoji: string): string => `${post}:${user}:${emoji}`

/** How much somebody wrote in a discussion, as stored. Its ID is `<discussion>:<user>`; it goes with his last post. */
export interface CommenterDoc {
  id: string
  space: string
  discussion: string
  user: string
  /** Comments and replies. */
  posts: number
}

export const commenters = table<CommenterDoc>()({
  name: 'commenters',
  indexes: { space: (one) => one.space, discussion: (one) => one.discussion },
  owner: (one) => one.space,
})
export const commenterId = (discussion: string, user: string): string => `${discussion}:${user}`

const optional = Type.Optional

/** Most characters of a comment or reply, as markdown. */
export const MAX_COMMENT_LENGTH = 20_000
/** Most users that are named of those who reacted with one emoji. */
export const MAX_REACTION_USERS = 100

const Body = Type.Object(
  { markdown: optional(Type.String()), document: optional(Type.Unknown({ description: 'The body as a block tree.' })) },
  { $id: 'CommentBody', description: 'In the `format` that was asked for.' },
)

const Reaction = Type.Object(
  {
    emoji: Type.String(),
    count: Type.Integer({ minimum: 1 }),
    users: Type.Array(Type.Object({ user: User, reactedAt: Timestamp }), {
      maxItems: MAX_REACTION_USERS,
      description: `Who reacted, the first ones first; at most ${MAX_REACTION_USERS} are named.`,
    }),
  },
  { $id: 'Reaction' },
)

const CommentTarget = Type.Object(
  {
    space: Id,
    changeRequest: optional(Id),
    review: optional(Type.String({ description: 'ID of the review that the comment was made with.' })),
    revision: Type.String({ description: 'The revision that was the content when the comment was made.' }),
    page: optional(
      Type.Object(
        {
          id: Id,
          title: Type.String(),
          emoji: optional(Type.String()),
          icon: optional(Type.String()),
          createdAt: optional(Timestamp),
          updatedAt: optional(Timestamp),
          path: Type.String(),
          outdated: Type.Boolean({ description: 'What was commented on has changed since: the text of the node or cell, else of the page; or it is gone.' }),
          deleted: optional(Type.Literal(true, { description: 'The page is gone; all else is as it was when the comment was made.' })),
        },
        { description: 'The page as it is now: followed by its ID wherever it is moved.' },
      ),
    ),
    node: optional(
      Type.Object({
        id: Type.String({ description: 'Key of the node in the page as it is now; where it is not there any more, the one it had.' }),
        preview: Type.String({ description: 'Its text when the comment was made, at most 200 characters; of a table cell, the text of the cell.' }),
      }),
    ),
    tableCell: optional(Type.Object({ record: Type.String(), definition: Type.String() })),
  },
  { $id: 'CommentTarget' },
)

export const commentPermissions = ['view', 'edit', 'reply', 'delete'] as const

const postFields = {
  id: Id,
  postedBy: User,
  postedAt: Timestamp,
  editedAt: optional(Timestamp),
  reactions: Type.Array(Reaction),
  body: Body,
  urls: Type.Object({ location: Type.String() }),
  permissions: permissionsOf(commentPermissions),
}

export const Comment = Type.Object(
  {
    object: Type.Literal('comment'),
    ...postFields,
    replies: Type.Integer({ minimum: 0, description: 'Number of replies.' }),
    target: CommentTarget,
    status: oneOf(commentStatuses),
    resolvedAt: optional(Timestamp),
    resolvedBy: optional(User),
  },
  { $id: 'Comment' },
)
export const CommentList = listOf(Comment, { $id: 'CommentList' })

export const CommentReply = Type.Object({ object: Type.Literal('comment-reply'), ...postFields }, { $id: 'CommentReply' })
export const CommentReplyList = listOf(CommentReply, { $id: 'CommentReplyList' })

const strict = { additionalProperties: false }
export const CommentBodyInput = Type.Union(
  [
    Type.Object({ markdown: Type.String({ minLength: 1, maxLength: MAX_COMMENT_LENGTH }) }, strict),
    Type.Object({ document: Type.Object({}, { additionalProperties: true }) }, strict),
  ],
  { description: `The text, as markdown (kept as it is) or as a block tree (kept as markdown): not blank, at most ${MAX_COMMENT_LENGTH} characters.` },
)
export type CommentBodyInput = Static<typeof CommentBodyInput>

const Emojis = (description: string) => optional(Type.Array(Type.String({ minLength: 1, maxLength: 50 }), { maxItems: 20, uniqueItems: true, description }))
const reactionMembers = {
  addedReactions: Emojis('Emoji to react with: the emoji itself, or its code points in hexadecimal (`1f44d`). One that is there already is no error.'),
  removedReactions: Emojis('Your own reactions to take back. One that is not there is no error.'),
}

export const CreateComment = Type.Object(
  {
    body: CommentBodyInput,
    page: optional(Id),
    node: optional(Type.String({ minLength: 1, maxLength: 1024, description: 'Key of a node of the page’s document; needs `page`.' })),
    tableCell: optional(
      Type.Object(
        { record: Type.String({ minLength: 1, maxLength: 64 }), definition: Type.String({ minLength: 1, maxLength: 64 }) },
        { ...strict, description: 'A cell of the table `node`, by the IDs of its record and column; `node` may be left out where the page has one table.' },
      ),
    ),
  },
  { ...strict, $id: 'CreateComment' },
)
export type CreateComment = Static<typeof CreateComment>

export const UpdateComment = Type.Object(
  { resolved: optional(Type.Boolean()), body: optional(CommentBodyInput), ...reactionMembers },
  { ...strict, $id: 'UpdateComment' },
)
export type UpdateComment = Static<typeof UpdateComment>

export const CreateReply = Type.Object({ body: CommentBodyInput }, { ...strict, $id: 'CreateCommentReply' })
export type CreateReply = Static<typeof CreateReply>

export const UpdateReply = Type.Object({ body: optional(CommentBodyInput), ...reactionMembers }, { ...strict, $id: 'UpdateCommentReply' })
export type UpdateReply = Static<typeof UpdateReply>

const formatQuery = { format: oneOf(formats, { default: 'markdown', description: 'Format of the bodies in the answer.' }) }
export const FormatQuery = Type.Object(formatQuery)
export const RepliesQuery = Type.Object({ ...pageQuery, ...formatQuery })
export const CommentsQuery = Type.Object({
  ...pageQuery,
  ...formatQuery,
  order: oneOf(['asc', 'desc'], { default: 'desc', description: 'By `postedAt`.' }),
  status: oneOf(['all', ...commentStatuses], { default: 'all' }),
  targetPage: optional(Type.String({ minLength: 1, maxLength: 64, description: 'ID of a page: the comments on it, also when it is gone.' })),
  authors: optional(
    Type.Array(Id, {
      maxItems: 50,
      uniqueItems: true,
      description: 'IDs of users: what they posted, also when they are no members any more. Repeat it for several.',
    }),
  ),
})
export type CommentsQuery = Static<typeof CommentsQuery>
