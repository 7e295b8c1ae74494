/** Loads the review whose ID is in the path of a change request. */
import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import type { LoadedChangeRequest } from '../../domain/context/loaded.js'
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
