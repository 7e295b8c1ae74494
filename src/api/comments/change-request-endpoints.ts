/** Endpoints of comments on change requests. */
import { loadHead } from '../../domain/context/loaded.js'
import { acceptSuggestion } from '../../domain/comments/suggestions.js'
import { Comment, FormatQuery } from '../../model/index.js'
import { endpoint } from '../service.js'
import { commentContext, presentComment } from './present.js'
import { commentEndpoints, type CommentedResource, replyEndpoints } from './endpoints.js'

const changeRequest: CommentedResource = {
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}',
  noun: 'a change request',
  section: 'Comments on change requests',
  list: 'Comments remain when the change request is merged or archived. Its `comments` member is the number of open comments.',
  create:
    'Page IDs refer to pages of the change request. Its `comments` member counts the comment until it is resolved or deleted.',
}
export const acceptSuggestionInChangeRequest = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/accept',
  summary: 'Accept the suggestion of a comment',
  description:
    'Writes the proposed text into the change request as one commit, with the author of the comment as co-author, and resolves the comment. Nothing but ' +
    'the block changes. Returns 409 if the text of the block has changed since the comment, or if the suggestion was already accepted.',
  section: changeRequest.section,
  needs: 'space:edit',
  query: FormatQuery,
  returns: Comment,
  fails: [409, 423],
  handle: async ({ app, actor, space, changeRequest: on, comment, query }) => {
    const discussion = { space, changeRequest: on }
    const accepted = await acceptSuggestion(app, actor, discussion, comment)
    // The text of the change request has changed.
    const now = { space, changeRequest: loadHead(space, on.doc) }
    return presentComment(commentContext(app, actor, now, query.format), accepted)
  },
})

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
