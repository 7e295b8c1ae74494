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

const section = 'Comments on change requests'

export const listCommentsInChangeRequest = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments',
  summary: 'List the comments on a change request',
  description: `\`comments\` of the change request is the number of open ones. They stay with it when it is merged or archived. ${about.page}`,
  section,
  needs: 'space:view',
  query: CommentsQuery,
  returns: CommentList,
  handle: answerComments,
})

export const postCommentInChangeRequest = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments',
  summary: 'Comment on a change request',
  description: `${about.target} Pages are those of the change request. \`comments\` of the change request counts it until it is resolved or deleted.`,
  section,
  needs: 'space:comment',
  query: FormatQuery,
  body: CreateComment,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  returns: Comment,
  handle: answerNewComment,
})

export const getCommentInChangeRequest = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}',
  summary: 'Get a comment on a change request',
  description: about.page,
  section,
  needs: 'space:view',
  query: FormatQuery,
  returns: Comment,
  handle: answerComment,
})

export const updateCommentInChangeRequest = endpoint({
  method: 'PUT',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}',
  summary: 'Edit or resolve a comment on a change request, or react to it',
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

export const deleteCommentInChangeRequest = endpoint({
  method: 'DELETE',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}',
  summary: 'Delete a comment on a change request',
  description: 'With its replies. Its author or an admin may.',
  section,
  needs: 'space:comment',
  deletes: 'leaf',
  handle: removeComment,
})

export const listCommentRepliesInChangeRequest = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies',
  summary: 'List the replies to a comment on a change request',
  description: 'Oldest first.',
  section,
  needs: 'space:view',
  query: RepliesQuery,
  returns: CommentReplyList,
  handle: answerReplies,
})

export const postCommentReplyInChangeRequest = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies',
  summary: 'Reply to a comment on a change request',
  description: 'To a resolved one too; it stays resolved.',
  section,
  needs: 'space:comment',
  query: FormatQuery,
  body: CreateReply,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  returns: CommentReply,
  handle: answerNewReply,
})

export const getCommentReplyInChangeRequest = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}',
  summary: 'Get a reply to a comment on a change request',
  section,
  needs: 'space:view',
  query: FormatQuery,
  returns: CommentReply,
  handle: answerReply,
})

export const updateCommentReplyInChangeRequest = endpoint({
  method: 'PUT',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}',
  summary: 'Edit a reply to a comment on a change request, or react to it',
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

export const deleteCommentReplyInChangeRequest = endpoint({
  method: 'DELETE',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}',
  summary: 'Delete a reply to a comment on a change request',
  description: 'Its author or an admin may.',
  section,
  needs: 'space:comment',
  deletes: 'leaf',
  handle: removeReply,
})
