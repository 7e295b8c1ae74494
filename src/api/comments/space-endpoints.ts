/** Endpoints of comments on spaces. */
import { commentEndpoints, type CommentedResource, replyEndpoints } from './endpoints.js'

const space: CommentedResource = {
  path: '/v1/spaces/{spaceId}',
  noun: 'a space',
  section: 'Comments on spaces',
  list: 'Comments on change requests are not included. The `comments` member of the space is the number of open comments.',
  create: 'The `comments` member of the space counts the comment until it is resolved or deleted.',
}
const comments = commentEndpoints(space)
const replies = replyEndpoints(space)

export const listCommentsInSpace = comments.list
export const postCommentInSpace = comments.create
export const getCommentInSpace = comments.get
export const updateCommentInSpace = comments.update
export const deleteCommentInSpace = comments.delete

export const listCommentRepliesInSpace = replies.list
export const postCommentReplyInSpace = replies.create
export const getCommentReplyInSpace = replies.get
export const updateCommentReplyInSpace = replies.update
export const deleteCommentReplyInSpace = replies.delete
