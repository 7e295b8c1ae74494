/** Loads the comment or reply whose ID is in a path, for spaces and change requests. */
import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import type { LoadedChangeRequest, LoadedSpace } from '../../domain/context/loaded.js'
import { findComment } from '../../domain/comments/comments.js'
import { findReply } from '../../domain/comments/replies.js'
import type { CommentDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { resolversOf } from '../resolver.js'

const resolver = resolversOf<App, Actor>()

export const commentResolvers = {
  commentId: resolver<{ space: LoadedSpace; changeRequest?: LoadedChangeRequest }>()({
    as: 'comment',
    needs: ['space'],
    description: 'ID of a comment: on the space itself, or on the change request of the path.',
    load: ({ app, parents, id }) => findComment(app, parents.space, parents.changeRequest, id),
  }),
  commentReplyId: resolver<{ comment: Document<CommentDoc> }>()({
    as: 'reply',
    needs: ['comment'],
    description: 'ID of a reply to the comment.',
    load: ({ app, parents, id }) => findReply(app, parents.comment, id),
  }),
}
