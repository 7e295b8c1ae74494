/** Comments on change requests. */
import { commentEndpoints, type CommentedResource, replyEndpoints } from './endpoints.js'

const changeRequest: CommentedResource = {
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}',
  noun: 'a change request',
  section: 'Comments on change requests',
  list: 'They stay when it is merged or archived. The `comments` member of the change request is the number of open ones.',
  create:
    'Pages are those of the change request, whose `comments` member counts the comment until it is resolved or deleted.',
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
