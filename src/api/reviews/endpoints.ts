import { Type } from '@sinclair/typebox'
import { requestReviews, withdrawRequest } from '../../domain/reviews/requests.js'
import { createReview, dismissReview } from '../../domain/reviews/reviews.js'
import { CreateReview, pageQuery, RequestedReviewerList, RequestReviews, Review, ReviewList, ReviewQuery, ReviewsQuery } from '../../model/index.js'
import { COMMENT_BODY_LIMIT_BYTES } from '../comments/descriptions.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { answerRequestedReviewers, answerReview, answerReviews } from './answers.js'
import { reviewPath } from './present.js'

const section = 'Reviews'

export const getReviewsByChangeRequestId = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews',
  summary: 'List the reviews of a change request',
  description: 'Newest first. All that were ever made: `counts` tells which of them decide now.',
  section,
  needs: 'space:view',
  query: ReviewsQuery,
  returns: ReviewList,
  handle: answerReviews,
})

export const submitChangeRequestReview = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews',
  summary: 'Approve a change request, or request changes',
  description:
    'Of the change request as it is now, or at the `revision` that you name: when it has another one by now, 409. A later commit makes an approval stale, an update from the main content too. ' +
    'Of each reviewer the latest review counts; changes that are requested stay requested until that reviewer approves, or the review is dismissed. ' +
    'Who opened the change request may review it, but his review does not count; who wrote in it, or decided its conflicts, may approve it, but unless he is an admin does not merge it on that approval. Whoever was asked for a review has given it then. `comment` becomes a comment on the change request. ' +
    'Where the space has `requiredApprovals` 0, reviews advise and forbid nothing. 409 where the change request is merged or archived.',
  section,
  needs: 'space:review',
  query: ReviewQuery,
  body: CreateReview,
  bodyLimitBytes: COMMENT_BODY_LIMIT_BYTES,
  status: 201,
  returns: Review,
  fails: [409],
  handle: async (about) => {
    const review = await createReview(about.app, about.actor, about.space, about.changeRequest, about.body)
    return created(await answerReview(about, review), reviewPath(review))
  },
})

export const getReviewOfChangeRequestById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews/{reviewId}',
  summary: 'Get a review of a change request',
  section,
  needs: 'space:view',
  query: ReviewQuery,
  returns: Review,
  handle: (about) => answerReview(about, about.review),
})

export const dismissReviewOfChangeRequest = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews/{reviewId}/dismiss',
  summary: 'Dismiss a review of a change request',
  description:
    'It stays in the list and counts no more. An admin dismisses any review, its author withdraws his own; an earlier review of his does not come back.',
  section,
  needs: 'space:review',
  query: ReviewQuery,
  returns: Review,
  fails: [409],
  handle: async (about) => answerReview(about, await dismissReview(about.app, about.actor, about.space, about.changeRequest, about.review)),
})

export const getRequestedReviewersByChangeRequestId = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers',
  summary: 'List who is asked to review a change request',
  description: 'Those who have not reviewed it since they were asked; whoever was asked first comes first.',
  section,
  needs: 'space:view',
  query: Type.Object(pageQuery),
  returns: RequestedReviewerList,
  handle: answerRequestedReviewers,
})

export const requestReviewersForChangeRequest = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers',
  summary: 'Ask for reviews of a change request',
  description:
    'Adds to those who are asked; whoever is asked already stays so. A draft becomes open. 400 names the users who may not review the space, or opened the change request. Answers the first page of the list.',
  section,
  needs: 'space:edit',
  body: RequestReviews,
  returns: RequestedReviewerList,
  fails: [409],
  handle: async (about) => {
    await requestReviews(about.app, about.actor, about.space, about.changeRequest, about.body)
    return answerRequestedReviewers({ ...about, query: { limit: 50 } })
  },
})

export const removeRequestedReviewerFromChangeRequest = endpoint({
  method: 'DELETE',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers/{userId}',
  summary: 'Ask somebody for a review no more',
  section,
  needs: 'space:edit',
  deletes: 'leaf',
  handle: ({ app, actor, space, changeRequest, user }) => withdrawRequest(app, actor, space, changeRequest, user.id),
})
