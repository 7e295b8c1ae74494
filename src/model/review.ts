/** Reviews of change requests, requests for them, and viewed pages: stored forms, inputs and responses. */
import type { CommitId } from '../kernel/ids.js'
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { Comment } from './comment.js'
import { closed, Id, listOf, oneOf, pageQuery, Timestamp } from './common.js'
import { formats } from './content.js'
import { CommentBodyInput } from './post.js'
import { User } from './user.js'

const reviewStatuses = ['approved', 'changes-requested'] as const
type ReviewStatus = (typeof reviewStatuses)[number]

/** A review of a change request at one revision, as stored. */
export interface ReviewDoc {
  id: string
  space: string
  changeRequest: string
  /** 1, 2, 3 … within its change request. */
  sequence: number
  reviewer: string
  status: ReviewStatus
  /** Head of the branch at the time of the review. */
  revision: CommitId
  createdAt: string
  /** ID of the comment of the review; it may have been deleted since. */
  comment?: string
  dismissedAt?: string
  dismissedBy?: string
}

export const reviews = table<ReviewDoc>()({
  name: 'reviews',
  indexes: { space: (review) => review.space, changeRequest: (review) => review.changeRequest },
  orders: { sequence: { group: (review) => review.changeRequest, by: (review) => review.sequence } },
  owner: 'space',
})

/** A request for a review that has not been given yet, as stored. Its ID is `<change request>:<user>`. */
export interface RequestedReviewDoc {
  id: string
  space: string
  changeRequest: string
  user: string
  requestedBy: string
  requestedAt: string
  /** Head of the branch at the time of the request. */
  revision: CommitId
}

export const requestedReviews = table<RequestedReviewDoc>()({
  name: 'requested-reviews',
  indexes: { space: (one) => one.space, user: (one) => one.user },
  orders: { requestedAt: { group: (one) => one.changeRequest, by: (one) => one.requestedAt } },
  owner: 'space',
})
export const requestedReviewId = (changeRequest: string, user: string): string => `${changeRequest}:${user}`

/** The pages of a change request that a user has viewed, as stored. Its ID is `<change request>:<user>`. */
export interface ViewedPagesDoc {
  id: string
  space: string
  user: string
  /** In the order in which they were marked. */
  pages: { page: string; version: string; viewedAt: string }[]
}

export const viewedPages = table<ViewedPagesDoc>()({
  name: 'viewed-pages',
  indexes: { space: (one) => one.space, user: (one) => one.user },
  owner: 'space',
})
export const viewedPagesId = (changeRequest: string, user: string): string => `${changeRequest}:${user}`
/** Maximum number of pages of a change request that a user has marked as viewed. */
export const MAX_VIEWED_PAGES = 1_000

export const Review = Type.Object(
  {
    object: Type.Literal('change-request-review'),
    id: Id,
    changeRequest: Id,
    reviewer: User,
    status: oneOf(reviewStatuses),
    revision: Type.String({ description: 'The revision of the change request that was reviewed.' }),
    stale: Type.Boolean({
      description:
        'Whether the change request has changed since, by a commit or an update from the main content. A stale approval does not count.',
    }),
    counts: Type.Boolean({
      description:
        'Whether it counts for `requiredApprovals` of the space. It counts if it is the latest review of a user who is allowed to review in the space and did ' +
        'not open the change request, if it is not dismissed and, for approvals, not stale.',
    }),
    comment: Type.Optional(Comment),
    createdAt: Timestamp,
    dismissedAt: Type.Optional(Timestamp),
    dismissedBy: Type.Optional(User),
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'ChangeRequestReview' },
)
export const ReviewList = listOf(Review, { $id: 'ChangeRequestReviewList' })

const format = oneOf(formats, { default: 'markdown', description: 'Format of the comments in the response.' })
export const ReviewQuery = Type.Object({ format })
export const ReviewsQuery = Type.Object({ ...pageQuery, format })

export const CreateReview = Type.Object(
  {
    status: oneOf(reviewStatuses),
    comment: Type.Optional(CommentBodyInput),
    revision: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The revision that was reviewed. Returns 409 if the change request has moved on since.',
      }),
    ),
  },
  { ...closed, $id: 'CreateChangeRequestReview' },
)
export type CreateReview = Static<typeof CreateReview>

const RequestedReviewer = Type.Object(
  {
    object: Type.Literal('change-request-requested-reviewer'),
    kind: Type.Literal('user'),
    user: User,
    requestedBy: User,
    revision: Type.String({ description: 'The revision of the change request at the time of the request.' }),
    createdAt: Timestamp,
  },
  { $id: 'ChangeRequestRequestedReviewer' },
)
export const RequestedReviewerList = listOf(RequestedReviewer, { $id: 'ChangeRequestRequestedReviewerList' })

export const RequestReviews = Type.Object(
  {
    users: Type.Array(Id, {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'IDs of users who are allowed to review in the space.',
    }),
    subject: Type.Optional(Type.String({ maxLength: 100, description: 'A new subject for the change request.' })),
  },
  { ...closed, $id: 'RequestChangeRequestReviewers' },
)
export type RequestReviews = Static<typeof RequestReviews>

const viewedPage = {
  page: Type.String({ description: 'The ID of the page.' }),
  version: Type.String({ description: 'The version of the page that you have viewed.' }),
  viewedAt: Timestamp,
  current: Type.Boolean({
    description:
      'Whether the page still has this version. If it is false, the page has changed since, so you have not viewed it.',
  }),
}
export const ViewedPage = Type.Object({ object: Type.Literal('viewed-page'), ...viewedPage }, { $id: 'ViewedPage' })
export const ViewedPages = Type.Object(
  { pages: Type.Array(Type.Object(viewedPage), { maxItems: MAX_VIEWED_PAGES }) },
  { $id: 'ViewedPages' },
)

export const MarkViewed = Type.Object(
  {
    version: Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        '`version` of the changes of the page that you have viewed. Returns 409 if the page has changed since.',
    }),
  },
  { ...closed, $id: 'MarkViewed' },
)
