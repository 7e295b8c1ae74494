/** Endpoints of comments on change requests. */
import { commentEndpoints, type CommentedResource, replyEndpoints } from './endpoints.js'

const changeRequest: CommentedResource = {
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}',
  noun: 'a change request',
  section: 'Comments on change requests',
  list: 'Comments remain when the change request is merged or archived. Its `comments` member is the number of open comments.',
  create:
    'Page IDs refer to pages of the change request. Its `comments` member counts the comment until it is resolved or deleted.',
}
const comments = commentEndpoints(changeRequest)
const replies = replyEndpoints(changeRequest)

export const listCommentsInChangeRequest = comments.list
export const postCommentInChangeRequest = comments.create
export const getCommentInChangeRequest = comments.get
export const updateCommentInChangeRequest = comments.update
export const deleteCommentInChangeRequest = comments.delete

export const listCommentRepliesInChangeRequest = replies.list
export const postCommentReplyInChangeRequest = replies.create
export const getCommentReplyInChangeRequest = replies.get
export const updateCommentReplyInChangeRequest = replies.update
export const deleteCommentReplyInChangeRequest = replies.delete
