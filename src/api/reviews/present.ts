// Turns reviews of change requests into the JSON that clients get.
import type { LoadedChangeRequest } from '../../domain/context/loaded.js'
import { findComment } from '../../domain/comments/comments.js'
import { decidingReviews } from '../../domain/commits/rules/approvals.js'
import type { RequestedReviewDoc, ReviewDoc } from '../../model/index.js'
import { type CommentContext, presentComment, presentEach } from '../comments/present.js'
import { defined } from '../../kernel/defined.js'

/** Returns the path of a review. */
export const reviewPath = (review: ReviewDoc): string =>
  `/v1/spaces/${review.space}/change-requests/${review.changeRequest}/reviews/${review.id}`

/** Reviews of one change request, and which of them count now. */
export async function presentReviews(
  context: CommentContext,
  changeRequest: LoadedChangeRequest,
  list: readonly ReviewDoc[],
) {
  const { app, discussion, user } = context
  const { approvals, objections } = await decidingReviews(app.store, discussion.space.doc, changeRequest)
  const counting = new Set([...approvals, ...objections].map(({ id }) => id))
  return presentEach(list, async (review) => {
    const comment =
      review.comment === undefined ? null : await findComment(app, discussion.space, changeRequest, review.comment)
    return {
      object: 'change-request-review' as const,
      id: review.id,
      changeRequest: review.changeRequest,
      reviewer: await user(review.reviewer),
      status: review.status,
      revision: review.revision,
      stale: review.revision !== changeRequest.head,
      counts: counting.has(review.id),
      ...(comment === null ? {} : { comment: await presentComment(context, comment) }),
      createdAt: review.createdAt,
      ...defined({ dismissedAt: review.dismissedAt }),
      ...(review.dismissedBy === undefined ? {} : { dismissedBy: await user(review.dismissedBy) }),
      urls: { location: `${app.settings.publicUrl}${reviewPath(review)}` },
    }
  })
}

export const presentRequestedReviewers = ({ user }: CommentContext, list: readonly RequestedReviewDoc[]) =>
  presentEach(list, async (one) => ({
    object: 'change-request-requested-reviewer' as const,
    kind: 'user' as const,
    user: await user(one.user),
    requestedBy: await user(one.requestedBy),
    revision: one.revision,
    createdAt: one.requestedAt,
  }))
