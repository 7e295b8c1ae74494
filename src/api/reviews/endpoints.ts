/**
 * Endpoints of reviews: clients submit, read and dismiss reviews of a change request, and request reviews from others.
 */
import { Type } from '@sinclair/typebox'
import { listRequestedReviews, withdrawRequest } from '../../domain/reviews/requests.js'
import { requestReviews } from '../../domain/reviews/request-reviews.js'
import { createReview, dismissReview, listReviews } from '../../domain/reviews/reviews.js'
import {
  CreateReview,
  type Format,
  pageQuery,
  RequestedReviewerList,
  RequestReviews,
  Review,
  type ReviewDoc,
  ReviewList,
  ReviewQuery,
  ReviewsQuery,
} from '../../model/index.js'
import { COMMENT_BODY_LIMIT_BYTES } from '../comments/descriptions.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentRequestedReviewers, presentReviews, reviewPath } from './present.js'
import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import { type LoadedChangeRequest, type LoadedSpace, loadHead } from '../../domain/context/loaded.js'
import type { PageQuery } from '../../kernel/paging.js'
import { commentContext } from '../comments/present.js'
import { required } from '../../kernel/defined.js'

/** The context of review handlers. */
interface About {
  app: App
  actor: Actor
  space: LoadedSpace
  changeRequest: LoadedChangeRequest
}

const contextOf = ({ app, actor, space, changeRequest }: About, format: Format = 'markdown') =>
  commentContext(app, actor, { space, changeRequest }, format)

/** Reads and presents reviews and requested reviewers. Several endpoints share these responses. */
async function reviewsResponse(about: About & { query: PageQuery & { format: Format } }) {
  const page = await listReviews(about.app, about.changeRequest, about.query)
  return { ...page, items: await presentReviews(contextOf(about, about.query.format), about.changeRequest, page.items) }
}

/**
 * Returns a review, evaluated at the current head of the change request, which may have moved since the request
 * arrived.
 */
async function reviewResponse(about: About & { query: { format: Format } }, review: ReviewDoc) {
  const changeRequest = loadHead(about.space, about.changeRequest.doc)
  const [presented] = await presentReviews(contextOf({ ...about, changeRequest }, about.query.format), changeRequest, [
    review,
  ])
  return required(presented)
}

async function requestedReviewersResponse(about: About & { query: PageQuery }) {
  const page = await listRequestedReviews(about.app, about.changeRequest, about.query)
  return { ...page, items: await presentRequestedReviewers(contextOf(about), page.items) }
}

const section = 'Reviews'

export const getReviewsByChangeRequestId = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews',
  summary: 'List the reviews of a change request',
  description:
    'Newest first, including outdated and dismissed reviews. `counts` is true for the reviews that currently count.',
  section,
  needs: 'space:view',
  repeatable: true,
  query: ReviewsQuery,
  returns: ReviewList,
  handle: reviewsResponse,
})

export const submitChangeRequestReview = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews',
  summary: 'Approve a change request, or request changes',
  description:
    'Reviews the current revision. If you send `revision` and the change request has moved on since, 409 is returned. An approval becomes stale with the ' +
    'next commit, including an update from the main content. Only the latest review of each reviewer counts. Requested changes stay requested until that ' +
    'reviewer approves or the review is dismissed. The author of a change request can review it, but the review does not count. Contributors, including ' +
    'people who resolved its conflicts, can approve it, but only admins can merge it on their own approval. A review fulfills a request for it. `comment` ' +
    'becomes a comment on the change request. If `requiredApprovals` of the space is 0, reviews are advisory. Returns 409 if the change request is merged ' +
    'or archived.',
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
    return created(await reviewResponse(about, review), reviewPath(review))
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
  handle: (about) => reviewResponse(about, about.review),
})

export const dismissReviewOfChangeRequest = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews/{reviewId}/dismiss',
  summary: 'Dismiss a review of a change request',
  description:
    'The review stays in the list but no longer counts. Admins can dismiss any review, reviewers their own. An earlier review by the same person does not count again.',
  section,
  needs: 'space:review',
  query: ReviewQuery,
  returns: Review,
  fails: [409],
  handle: async (about) =>
    reviewResponse(about, await dismissReview(about.app, about.actor, about.space, about.changeRequest, about.review)),
})

export const getRequestedReviewersByChangeRequestId = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers',
  summary: 'List the requested reviewers of a change request',
  description: 'Only users who have not reviewed it since the request, in the order of the requests.',
  section,
  needs: 'space:view',
  repeatable: true,
  query: Type.Object(pageQuery),
  returns: RequestedReviewerList,
  handle: requestedReviewersResponse,
})

export const requestReviewersForChangeRequest = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers',
  summary: 'Request reviews of a change request',
  description:
    'Adds requested reviewers; existing requests are kept. A draft becomes open. Returns 400 with the names of users who may not review in the space, or ' +
    'who opened the change request. Returns the first page of the list.',
  section,
  needs: 'space:edit',
  body: RequestReviews,
  returns: RequestedReviewerList,
  fails: [409],
  handle: async (about) => {
    await requestReviews(about.app, about.actor, about.space, about.changeRequest, about.body)
    return requestedReviewersResponse({ ...about, query: { limit: 50 } })
  },
})

export const removeRequestedReviewerFromChangeRequest = endpoint({
  method: 'DELETE',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers/{userId}',
  summary: 'Withdraw the request for a review',
  section,
  needs: 'space:edit',
  deletes: 'leaf',
  handle: ({ app, actor, space, changeRequest, user }) => withdrawRequest(app, actor, space, changeRequest, user.id),
})
