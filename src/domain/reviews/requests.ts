/** Lists, withdraws and removes requests for reviews of a change request. */
import { allows } from '../../access/index.js'
import { ServiceError } from '../../kernel/errors.js'
import { type Page, type PageQuery, pageOf } from '../../kernel/paging.js'
import {
  type RequestedReviewDoc,
  requestedReviewId,
  requestedReviews,
  reviews,
  spaces,
  viewedPages,
} from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { writeInDiscussion } from '../comments/discussion.js'

/** Lists the pending requests for reviews, oldest first. */
export const listRequestedReviews = (
  app: App,
  changeRequest: LoadedChangeRequest,
  query: PageQuery,
): Promise<Page<Document<RequestedReviewDoc>>> =>
  pageOf(app.store, requestedReviews, 'requestedAt', changeRequest.doc.id, query)

/** Withdraws a review request. Does nothing if there is none. Throws 403. */
export async function withdrawRequest(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
  user: string,
): Promise<void> {
  await writeInDiscussion(app, actor, { space, changeRequest }, async ({ tx, role }) => {
    if (!allows('space:edit', role))
      throw new ServiceError(
        'forbidden',
        'You are not allowed to withdraw review requests here. This needs the role edit.',
      )
    await tx.remove(requestedReviews, requestedReviewId(changeRequest.doc.id, user))
  })
}

/** Removes the review requests to a user who leaves an organization. The user's reviews stay but no longer count. */
export async function removeRequestedReviews(tx: Transaction, organization: string, user: string): Promise<void> {
  for (const one of await tx.find(requestedReviews, 'user', user))
    if ((await tx.get(spaces, one.space))?.organization === organization) await tx.remove(requestedReviews, one.id)
}

/** Removes all reviews, review requests and marks of viewed pages in a space, in the transaction that purges the space. */
export async function removeReviews(tx: Transaction, space: string): Promise<void> {
  for (const doc of await tx.find(reviews, 'space', space)) await tx.remove(reviews, doc.id)
  for (const doc of await tx.find(requestedReviews, 'space', space)) await tx.remove(requestedReviews, doc.id)
  for (const doc of await tx.find(viewedPages, 'space', space)) await tx.remove(viewedPages, doc.id)
}
