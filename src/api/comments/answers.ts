import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import type { LoadedChangeRequest, LoadedSpace } from '../../domain/context/loaded.js'
import { createComment, deleteComment, updateComment } from '../../domain/comments/comments.js'
import type { LoadedDiscussion } from '../../domain/comments/discussion.js'
import { listComments } from '../../domain/comments/listing.js'
import { createReply, deleteReply, listReplies, updateReply } from '../../domain/comments/replies.js'
import type { PageQuery } from '../../kernel/paging.js'
import type { CommentDoc, CommentsQuery, CreateComment, CreateReply, Format, ReplyDoc, UpdateComment, UpdateReply } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { commentContext, presentComment, presentEach, presentReply } from './present.js'

/** What a request about comments brings along; without a change request it is about those on the space itself. */
interface About {
  app: App
  actor: Actor
  space: LoadedSpace
  changeRequest?: LoadedChangeRequest
}
type AboutComment = About & { comment: Document<CommentDoc> }
type AboutReply = AboutComment & { reply: Document<ReplyDoc> }

const discussionOf = ({ space, changeRequest }: About): LoadedDiscussion => ({ space, ...(changeRequest === undefined ? {} : { changeRequest }) })
const contextOf = (about: About, { format }: { format: Format }) => commentContext(about.app, about.actor, discussionOf(about), format)

export async function answerComments(about: About & { query: CommentsQuery }) {
  const page = await listComments(about.app, discussionOf(about), about.query)
  const context = contextOf(about, about.query)
  return { ...page, items: await presentEach(page.items, (one) => presentComment(context, one)) }
}

export const answerComment = (about: AboutComment & { query: { format: Format } }) => presentComment(contextOf(about, about.query), about.comment)

export async function answerNewComment(about: About & { query: { format: Format }; body: CreateComment }) {
  return presentComment(contextOf(about, about.query), await createComment(about.app, about.actor, discussionOf(about), about.body))
}

export async function answerUpdatedComment(about: AboutComment & { query: { format: Format }; body: UpdateComment }) {
  return presentComment(contextOf(about, about.query), await updateComment(about.app, about.actor, discussionOf(about), about.comment, about.body))
}

export const removeComment = (about: AboutComment) => deleteComment(about.app, about.actor, discussionOf(about), about.comment)

export async function answerReplies(about: AboutComment & { query: PageQuery & { format: Format } }) {
  const page = await listReplies(about.app, about.comment, about.query)
  const context = contextOf(about, about.query)
  return { ...page, items: await presentEach(page.items, (one) => presentReply(context, one)) }
}

export const answerReply = (about: AboutReply & { query: { format: Format } }) => presentReply(contextOf(about, about.query), about.reply)

export async function answerNewReply(about: AboutComment & { query: { format: Format }; body: CreateReply }) {
  return presentReply(contextOf(about, about.query), await createReply(about.app, about.actor, discussionOf(about), about.comment, about.body))
}

export async function answerUpdatedReply(about: AboutReply & { query: { format: Format }; body: UpdateReply }) {
  return presentReply(contextOf(about, about.query), await updateReply(about.app, about.actor, discussionOf(about), about.reply, about.body))
}

export const removeReply = (about: AboutReply) => deleteReply(about.app, about.actor, discussionOf(about), about.reply)
