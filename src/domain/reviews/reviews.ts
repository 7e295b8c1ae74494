/** Lists, submits and dismisses reviews of a change request. */
import { allows } from '../../access/index.js'
import { conflict, notFound, ServiceError } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import { type Page, type PageQuery, pageOf } from '../../kernel/paging.js'
import {
  changeRequests,
  type CreateReview,
  type ReviewDoc,
  requestedReviewId,
  requestedReviews,
  reviews,
} from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import { type LoadedChangeRequest, type LoadedSpace, loadHead } from '../context/loaded.js'
import { readWrittenText } from '../revisions/written-text.js'
import { insertComment } from '../comments/comments.js'
import { type DiscussionWrite, writeInDiscussion } from '../comments/discussion.js'
import { emit } from '../events/events.js'
import { notify } from '../notifications/notify.js'

/** Finds a review of the change request. Null if there is none. */
export async function findReview(
  app: App,
  changeRequest: LoadedChangeRequest,
  id: string,
): Promise<Document<ReviewDoc> | null> {
  const doc = await app.store.get(reviews, id)
  return doc?.changeRequest === changeRequest.doc.id ? doc : null
}

/** Lists the reviews of a change request, newest first. */
export const listReviews = (
  app: App,
  changeRequest: LoadedChangeRequest,
  query: PageQuery,
): Promise<Page<Document<ReviewDoc>>> =>
  pageOf(app.store, reviews, 'sequence', changeRequest.doc.id, { ...query, order: 'desc' })

/**
 * Reviews the current head of a change request, and removes the request for the caller's review. Runs under the lock of
 * the space, so that the head cannot move, and a merge either sees the review or precedes it. Throws 409 if the change
 * request is merged or archived, or no longer at the revision that the caller has seen.
 */
export async function createReview(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
  input: CreateReview,
): Promise<Document<ReviewDoc>> {
  const markdown = input.comment && (await readWrittenText(app, space.doc.id, input.comment, '/comment'))
  return underLock(app, actor, space, changeRequest, async (writing, { doc, head }) => {
    const { tx, now } = writing
    if (input.revision !== undefined && input.revision !== head)
      throw conflict(`The change request has changed. Its revision is now ${head}. Review that revision.`)
    const id = newId()
    const comment =
      markdown === undefined ? undefined : await insertComment(writing, { markdown, revision: head, review: id })
    await tx.remove(requestedReviews, requestedReviewId(doc.id, actor.user.id))
    const review = await tx.insert(reviews, {
      id,
      space: doc.space,
      changeRequest: doc.id,
      sequence: (await tx.count(reviews, 'changeRequest', doc.id)) + 1,
      reviewer: actor.user.id,
      status: input.status,
      revision: head,
      createdAt: now,
      ...(comment === undefined ? {} : { comment: comment.id }),
    })
    const subject = {
      space: doc.space,
      changeRequest: doc.id,
      ...(comment === undefined ? {} : { comment: comment.id }),
    }
    await emit(app, tx, {
      type: 'review.created',
      organization: writing.space.organization,
      actor: actor.user.id,
      subject,
      data: { review: id, status: input.status },
    })
    const { organization } = writing.space
    const news = { type: 'reviewed' as const, organization, actor: actor.user.id, review: input.status }
    await notify(app, tx, { ...news, space: doc.space, changeRequest: doc.id }, [doc.createdBy])
    return review
  })
}

/**
 * Dismisses a review, so that it no longer counts. Its author and admins may do this. Does nothing if it is already
 * dismissed. Throws 403, 409.
 */
export async function dismissReview(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
  review: ReviewDoc,
): Promise<Document<ReviewDoc>> {
  return underLock(app, actor, space, changeRequest, async ({ tx, role, now }) => {
    const stored = await tx.get(reviews, review.id)
    if (!stored) throw notFound('The review')
    if (stored.reviewer !== actor.user.id && !allows('space:admin', role))
      throw new ServiceError('forbidden', 'Only its author or an admin may dismiss a review.')
    return stored.dismissedAt === undefined
      ? tx.replace(reviews, { ...stored, dismissedAt: now, dismissedBy: actor.user.id })
      : stored
  })
}

/**
 * Runs a write for the reviews of an open or draft change request under the lock of the space. Throws 403 if the caller
 * may not review.
 */
function underLock<R>(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
  work: (writing: DiscussionWrite, changeRequest: LoadedChangeRequest) => Promise<R>,
): Promise<R> {
  return app.locks.run(space.doc.id, () =>
    writeInDiscussion(app, actor, { space, changeRequest }, async (writing) => {
      if (!allows('space:review', writing.role))
        throw new ServiceError('forbidden', 'You are not allowed to review here. This needs the role review.')
      return work(writing, await openChangeRequest(writing.tx, space, changeRequest))
    }),
  )
}

/** Returns the change request as it is currently stored. Throws 409 if it is merged or archived. */
export async function openChangeRequest(
  tx: Transaction,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
): Promise<LoadedChangeRequest> {
  const doc = await tx.get(changeRequests, changeRequest.doc.id)
  if (!doc) throw notFound('The change request')
  if (doc.status === 'merged' || doc.status === 'archived')
    throw conflict(`The change request is ${doc.status}. Only an open or draft change request can be reviewed.`)
  return loadHead(space, doc)
}
