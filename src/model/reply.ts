/** Replies to comments. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, listOf, pageQuery } from './common.js'
import { CommentBodyInput, formatQuery, type Post, postFields } from './post.js'
import { reactionMembers } from './reaction.js'

/** A reply to a comment, as stored. */
export interface ReplyDoc extends Post {
  comment: string
}

export const replies = table<ReplyDoc>()({
  name: 'replies',
  indexes: { space: (reply) => reply.space, comment: (reply) => reply.comment },
  orders: { posted: { group: (reply) => reply.comment, by: (reply) => reply.postedAt } },
  owner: 'space',
})

export const CommentReply = Type.Object(
  { object: Type.Literal('comment-reply'), ...postFields },
  { $id: 'CommentReply' },
)

export const CommentReplyList = listOf(CommentReply, { $id: 'CommentReplyList' })

export const CreateReply = Type.Object({ body: CommentBodyInput }, { ...closed, $id: 'CreateCommentReply' })
export type CreateReply = Static<typeof CreateReply>

export const UpdateReply = Type.Object(
  { body: Type.Optional(CommentBodyInput), ...reactionMembers },
  { ...closed, $id: 'UpdateCommentReply' },
)
export type UpdateReply = Static<typeof UpdateReply>

export const RepliesQuery = Type.Object({ ...pageQuery, ...formatQuery })
