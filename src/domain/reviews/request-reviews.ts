/** Requests reviews of a change request. */
import { allows } from '../../access/index.js'
import { badRequest, ServiceError, type ErrorDetail } from '../../kernel/errors.js'
import { type RequestReviews, type SpaceDoc, requestedReviewId, requestedReviews } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import { changeDocumentIn } from '../change-requests/change-requests.js'
import { writeInDiscussion } from '../comments/discussion.js'
import { mayReview } from '../commits/rules/approvals.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedSpace, LoadedChangeRequest } from '../context/loaded.js'
import { emit } from '../events/events.js'
import { notify } from '../notifications/notify.js'
import { openChangeRequest } from './reviews.js'

/**
 * Requests reviews from users, and opens the change request if it is a draft. Earlier requests stay. Throws 400 naming
 * each user who does not exist, may not review the space, or opened the change request. Throws 409 if it is merged or
 * archived.
 */
export async function requestReviews(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
  input: RequestReviews,
): Promise<void> {
  await writeInDiscussion(app, actor, { space, changeRequest }, async ({ tx, role, now, space: stored }) => {
    if (!allows('space:edit', role))
      throw new ServiceError('forbidden', 'You are not allowed to request reviews here. This needs the role edit.')
    const { doc, head } = await openChangeRequest(tx, space, changeRequest)
    await checkReviewers(tx, stored, doc.createdBy, input.users)
    for (const user of input.users) {
      const id = requestedReviewId(doc.id, user)
      if (await tx.get(requestedReviews, id)) continue
      await tx.insert(requestedReviews, {
        id,
        space: doc.space,
        changeRequest: doc.id,
        user,
        requestedBy: actor.user.id,
        requestedAt: now,
        revision: head,
      })
      const subject = { space: doc.space, changeRequest: doc.id, user }
      await emit(app, tx, {
        type: 'review.requested',
        organization: stored.organization,
        actor: actor.user.id,
        subject,
      })
      const { organization } = stored
      const news = { type: 'review_requested' as const, organization, actor: actor.user.id, changeRequest: doc.id }
      await notify(app, tx, { ...news, space: doc.space }, [user])
    }
    const { subject = doc.subject } = input
    if (doc.status === 'open' && subject === doc.subject) return
    await changeDocumentIn(
      app,
      tx,
      doc.id,
      (was) => ({ ...was, status: 'open', subject, updatedAt: now }),
      actor.user.id,
    )
  })
}

async function checkReviewers(
  tx: Transaction,
  space: SpaceDoc,
  author: string,
  users: readonly string[],
): Promise<void> {
  const details: ErrorDetail[] = []
  for (const [index, user] of users.entries()) {
    const path = `/users/${index}`
    if (user === author) details.push({ path, message: 'must not be the user who opened the change request' })
    else if (!(await mayReview(tx, user, space)))
      details.push({ path, message: 'must be the ID of a user who may review this space (role review)' })
  }
  if (details.length > 0) throw badRequest('Some of these users cannot review the change request.', details)
}
