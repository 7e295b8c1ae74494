import {
  answerComment,
  answerComments,
  answerNewComment,
  answerNewReply,
  answerReplies,
  answerReply,
  answerUpdatedComment,
  answerUpdatedReply,
  removeComment,
  removeReply,
} from './answers.js'
import { about, BODY_LIMIT_BYTES } from './descriptions.js'
import {
  Comment,
  CommentList,
  CommentReply,
  CommentReplyList,
  CommentsQuery,
  CreateComment,
  CreateReply,
  FormatQuery,
  RepliesQuery,
  UpdateComment,
  UpdateReply,
} from '../../model/index.js'
import { endpoint } from '../service.js'

const section = 'Comments on spaces'

export const listCommentsInSpace = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/comments',
  summary: 'List the comments on a space',
  description: `Those on its change requests are listed there; \`comments\` of the space is the number of open ones here. ${about.page}`,
  section,
  needs: 'space:view',
  query: CommentsQuery,
  returns: CommentList,
  handle: answerComments,
})

export const postCommentInSpace = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/comments',
  summary: 'Comment on a space',
  description: `${about.target} \`comments\` of the space counts it until it is resolved or deleted.`,
  section,
  needs: 'space:comment',
  query: FormatQuery,
  body: CreateComment,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  returns: Comment,
  handle: answerNewComment,
})

export const getCommentInSpace = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/comments/{commentId}',
  summary: 'Get a comment on a space',
  description: about.page,
  section,
  needs: 'space:view',
  query: FormatQuery,
  returns: Comment,
  handle: answerComment,
})

export const updateCommentInSpace = endpoint({
  method: 'PUT',
  path: '/v1/spaces/{spaceId}/comments/{commentId}',
  summary: 'Edit or resolve a comment on a space, or react to it',
  description: `${about.update} ${about.reactions}`,
  section,
  needs: 'space:comment',
  query: FormatQuery,
  body: UpdateComment,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  returns: Comment,
  fails: [409],
  handle: answerUpdatedComment,
})

export const deleteCommentInSpace = endpoint({
  method: 'DELETE',
  path: '/v1/spaces/{spaceId}/comments/{commentId}',
  summary: 'Delete a comment on a space',
  description: 'With its replies. Its author or an admin may.',
  section,
  needs: 'space:comment',
  deletes: 'leaf',
  handle: removeComment,
})

export const listCommentRepliesInSpace = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/comments/{commentId}/replies',
  summary: 'List the replies to a comment on a space',
  description: 'Oldest first.',
  section,
  needs: 'space:view',
  query: RepliesQuery,
  returns: CommentReplyList,
  handle: answerReplies,
})

export const postCommentReplyInSpace = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/comments/{commentId}/replies',
  summary: 'Reply to a comment on a space',
  description: 'To a resolved one too; it stays resolved.',
  section,
  needs: 'space:comment',
  query: FormatQuery,
  body: CreateReply,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  returns: CommentReply,
  handle: answerNewReply,
})

export const getCommentReplyInSpace = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}',
  summary: 'Get a reply to a comment on a space',
  section,
  needs: 'space:view',
  query: FormatQuery,
  returns: CommentReply,
  handle: answerReply,
})

export const updateCommentReplyInSpace = endpoint({
  method: 'PUT',
  path: '/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}',
  summary: 'Edit a reply to a comment on a space, or react to it',
  description: `Only its author edits it. ${about.reactions}`,
  section,
  needs: 'space:comment',
  query: FormatQuery,
  body: UpdateReply,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  returns: CommentReply,
  fails: [409],
  handle: answerUpdatedReply,
})

export const deleteCommentReplyInSpace = endpoint({
  method: 'DELETE',
  path: '/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}',
  summary: 'Delete a reply to a comment on a space',
  description: 'Its author or an admin may.',
  section,
  needs: 'space:comment',
  deletes: 'leaf',
  handle: removeReply,
})
