/** Reads and presents reviews and requested reviewers. Several endpoints share these responses. */
import { required } from '../../kernel/defined.js'
import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import { type LoadedChangeRequest, type LoadedSpace, loadHead } from '../../domain/context/loaded.js'
import { listRequestedReviews } from '../../domain/reviews/requests.js'
import { listReviews } from '../../domain/reviews/reviews.js'
import type { PageQuery } from '../../kernel/paging.js'
import type { Format, ReviewDoc } from '../../model/index.js'
import { commentContext } from '../comments/present.js'
import { presentRequestedReviewers, presentReviews } from './present.js'

/** The context of review handlers. */
interface About {
  app: App
  actor: Actor
  space: LoadedSpace
  changeRequest: LoadedChangeRequest
}

const contextOf = ({ app, actor, space, changeRequest }: About, format: Format = 'markdown') =>
  commentContext(app, actor, { space, changeRequest }, format)

export async function reviewsResponse(about: About & { query: PageQuery & { format: Format } }) {
  const page = await listReviews(about.app, about.changeRequest, about.query)
  return { ...page, items: await presentReviews(contextOf(about, about.query.format), about.changeRequest, page.items) }
}

/**
 * Returns a review, evaluated at the current head of the change request, which may have moved since the request
 * arrived.
 */
export async function reviewResponse(about: About & { query: { format: Format } }, review: ReviewDoc) {
  const changeRequest = loadHead(about.space, about.changeRequest.doc)
  const [presented] = await presentReviews(contextOf({ ...about, changeRequest }, about.query.format), changeRequest, [
    review,
  ])
  return required(presented)
}

export async function requestedReviewersResponse(about: About & { query: PageQuery }) {
  const page = await listRequestedReviews(about.app, about.changeRequest, about.query)
  return { ...page, items: await presentRequestedReviewers(contextOf(about), page.items) }
}
