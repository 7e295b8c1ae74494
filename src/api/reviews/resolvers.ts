import type { Actor, App } from '../../domain/app.js'
import type { LoadedChangeRequest } from '../../domain/change-requests/change-requests.js'
import { findReview } from '../../domain/reviews/reviews.js'
import { resolversOf } from '../resolver.js'

const resolver = resolversOf<App, Actor>()

export const reviewResolvers = {
  reviewId: resolver<{ changeRequest: LoadedChangeRequest }>()({
    as: 'review',
    needs: ['changeRequest'],
    description: 'ID of a review of the change request.',
    load: ({ app, parents, id }) => findReview(app, parents.changeRequest, id),
  }),
}
