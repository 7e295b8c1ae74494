/** Declares the endpoints of comments and replies once. Spaces and change requests mount them under their own paths. */
import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import type { LoadedChangeRequest, LoadedSpace } from '../../domain/context/loaded.js'
import { createComment, deleteComment, listComments, updateComment } from '../../domain/comments/comments.js'
import type { LoadedDiscussion } from '../../domain/comments/discussion.js'
import { createReply, deleteReply, listReplies, updateReply } from '../../domain/comments/replies.js'
import {
  Comment,
  CommentList,
  CommentReply,
  CommentReplyList,
  CommentsQuery,
  CreateComment,
  CreateReply,
  type Format,
  FormatQuery,
  RepliesQuery,
  UpdateComment,
  UpdateReply,
} from '../../model/index.js'
import { endpoint } from '../service.js'
import { about, COMMENT_BODY_LIMIT_BYTES } from './descriptions.js'
import { commentContext, presentComment, presentEach, presentReply } from './present.js'
import { defined } from '../../kernel/defined.js'

/** The kind of resource that comments belong to. */
export interface CommentedResource {
  /** Path of the space or change request. */
  path: '/v1/spaces/{spaceId}' | '/v1/spaces/{spaceId}/change-requests/{changeRequestId}'
  /** The noun in summaries. */
  noun: string
  section: string
  /** The part of the list's description that is specific to the resource. */
  list: string
  /** The part of the create description that is specific to the resource. */
  create: string
}

/** The context of every handler; `space` and `changeRequest` come from the path. */
interface CommentRequest {
  app: App
  actor: Actor
  space: LoadedSpace
  changeRequest?: LoadedChangeRequest
}

/**
 * Returns the discussion that the path names: that of the change request if there is one, otherwise that of the space.
 */
export const discussionOf = ({
  space,
  changeRequest,
}: Pick<CommentRequest, 'space' | 'changeRequest'>): LoadedDiscussion => ({
  space,
  ...defined({ changeRequest }),
})

const presentation = (context: CommentRequest & { query: { format: Format } }) =>
  commentContext(context.app, context.actor, discussionOf(context), context.query.format)

/** The types know only the path of a space. If the path names a change request, the context contains it anyway. */
const below = ({ path }: CommentedResource) => `${path as '/v1/spaces/{spaceId}'}/comments` as const

/** Declares the endpoints of comments. */
export function commentEndpoints(on: CommentedResource) {
  const { noun, section } = on
  const path = below(on)
  const bodyLimitBytes = COMMENT_BODY_LIMIT_BYTES
  return {
    list: endpoint({
      method: 'GET',
      path,
      summary: `List the comments on ${noun}`,
      description: `${on.list} ${about.page}`,
      section,
      needs: 'space:view',
      repeatable: true,
      query: CommentsQuery,
      returns: CommentList,
      handle: async (context) => {
        const page = await listComments(context.app, discussionOf(context), context.query)
        const how = presentation(context)
        return { ...page, items: await presentEach(page.items, (one) => presentComment(how, one)) }
      },
    }),
    create: endpoint({
      method: 'POST',
      path,
      summary: `Comment on ${noun}`,
      description: `${about.target} ${on.create}`,
      section,
      needs: 'space:comment',
      query: FormatQuery,
      body: CreateComment,
      bodyLimitBytes,
      returns: Comment,
      handle: async (context) =>
        presentComment(
          presentation(context),
          await createComment(context.app, context.actor, discussionOf(context), context.body),
        ),
    }),
    ...oneComment(on),
  }
}

function oneComment(on: CommentedResource) {
  const { noun, section } = on
  const path = `${below(on)}/{commentId}` as const
  const bodyLimitBytes = COMMENT_BODY_LIMIT_BYTES
  return {
    get: endpoint({
      method: 'GET',
      path,
      summary: `Get a comment on ${noun}`,
      description: about.page,
      section,
      needs: 'space:view',
      query: FormatQuery,
      returns: Comment,
      handle: (context) => presentComment(presentation(context), context.comment),
    }),
    update: endpoint({
      method: 'PUT',
      path,
      summary: `Edit or resolve a comment on ${noun}, or react to it`,
      description: `${about.update} ${about.reactions}`,
      section,
      needs: 'space:comment',
      query: FormatQuery,
      body: UpdateComment,
      bodyLimitBytes,
      returns: Comment,
      fails: [409],
      handle: async (context) => {
        const updated = await updateComment(
          context.app,
          context.actor,
          discussionOf(context),
          context.comment,
          context.body,
        )
        return presentComment(presentation(context), updated)
      },
    }),
    delete: endpoint({
      method: 'DELETE',
      path,
      summary: `Delete a comment on ${noun}`,
      description: 'Also deletes its replies. Only the author and admins can delete a comment.',
      section,
      needs: 'space:comment',
      deletes: 'leaf',
      handle: (context) => deleteComment(context.app, context.actor, discussionOf(context), context.comment),
    }),
  }
}

/** Declares the endpoints of the replies to a comment. */
export function replyEndpoints(on: CommentedResource) {
  const { noun, section } = on
  const path = `${below(on)}/{commentId}/replies` as const
  const bodyLimitBytes = COMMENT_BODY_LIMIT_BYTES
  return {
    list: endpoint({
      method: 'GET',
      path,
      summary: `List the replies to a comment on ${noun}`,
      description: 'Oldest first.',
      section,
      needs: 'space:view',
      repeatable: true,
      query: RepliesQuery,
      returns: CommentReplyList,
      handle: async (context) => {
        const page = await listReplies(context.app, context.comment, context.query)
        const how = presentation(context)
        return { ...page, items: await presentEach(page.items, (one) => presentReply(how, one)) }
      },
    }),
    create: endpoint({
      method: 'POST',
      path,
      summary: `Reply to a comment on ${noun}`,
      description: 'You can also reply to a resolved comment; it stays resolved.',
      section,
      needs: 'space:comment',
      query: FormatQuery,
      body: CreateReply,
      bodyLimitBytes,
      returns: CommentReply,
      handle: async (context) =>
        presentReply(
          presentation(context),
          await createReply(context.app, context.actor, discussionOf(context), context.comment, context.body),
        ),
    }),
    ...oneReply(on),
  }
}

function oneReply(on: CommentedResource) {
  const { noun, section } = on
  const path = `${below(on)}/{commentId}/replies/{commentReplyId}` as const
  return {
    get: endpoint({
      method: 'GET',
      path,
      summary: `Get a reply to a comment on ${noun}`,
      section,
      needs: 'space:view',
      query: FormatQuery,
      returns: CommentReply,
      handle: (context) => presentReply(presentation(context), context.reply),
    }),
    update: endpoint({
      method: 'PUT',
      path,
      summary: `Edit a reply to a comment on ${noun}, or react to it`,
      description: `Only its author can edit it. ${about.reactions}`,
      section,
      needs: 'space:comment',
      query: FormatQuery,
      body: UpdateReply,
      bodyLimitBytes: COMMENT_BODY_LIMIT_BYTES,
      returns: CommentReply,
      fails: [409],
      handle: async (context) =>
        presentReply(
          presentation(context),
          await updateReply(context.app, context.actor, discussionOf(context), context.reply, context.body),
        ),
    }),
    delete: endpoint({
      method: 'DELETE',
      path,
      summary: `Delete a reply to a comment on ${noun}`,
      description: 'Only the author and admins can delete a reply.',
      section,
      needs: 'space:comment',
      deletes: 'leaf',
      handle: (context) => deleteReply(context.app, context.actor, discussionOf(context), context.reply),
    }),
  }
}
