/** Notifies the authors of text that a reset of the remote would drop from main. */
import {
  type ChangeRequestDoc,
  changeRequests,
  requestedReviewId,
  requestedReviews,
  spaces,
} from '../../model/index.js'
import { memberOfAddress } from '../accounts/authors.js'
import { mayReview } from '../commits/rules/approvals.js'
import { changeRequestRef, MAIN } from '../context/refs.js'
import { emit } from '../events/events.js'
import { notify } from '../notifications/notify.js'
import { spaceRole } from '../roles/access.js'
import type { LockedSync } from './sync.js'

/** Maximum number of authors who are notified. */
const MAX_AUTHORS = 20

/**
 * Records the authors in the change request that holds their text. Requests a review once from each of them who may
 * review it. The connection's mails about the conflict are also sent to them.
 * @param authors `Name <address>`, newest first
 */
export async function notifyAuthors(
  { app, space, actor }: LockedSync,
  conflict: Pick<ChangeRequestDoc, 'id'>,
  authors: readonly string[],
): Promise<void> {
  const addresses = [
    ...new Set(authors.flatMap((author) => /<([^<>]+)>$/.exec(author)?.[1]?.toLowerCase() ?? [])),
  ].slice(0, MAX_AUTHORS)
  await app.store.transact(async (tx) => {
    const [stored, doc] = [await tx.get(spaces, space.doc.id), await tx.get(changeRequests, conflict.id)]
    if (!stored || !doc) return
    const revision =
      space.repo.refs.head(changeRequestRef(doc.number)) ?? space.repo.refs.head(MAIN) ?? doc.revisionInitial
    const found: string[] = []
    for (const address of addresses) {
      const user = (await memberOfAddress(tx, stored.organization, address))?.id
      if (
        user === undefined ||
        [...(doc.heldFor ?? []), ...found].includes(user) ||
        (await spaceRole(tx, user, stored)) === null
      )
        continue
      found.push(user)
      const id = requestedReviewId(doc.id, user)
      if (user === doc.createdBy || !(await mayReview(tx, user, stored)) || (await tx.get(requestedReviews, id)))
        continue
      const requestedAt = app.clock.now().toISOString()
      await tx.insert(requestedReviews, {
        id,
        space: stored.id,
        changeRequest: doc.id,
        user,
        requestedBy: actor.user.id,
        requestedAt,
        revision,
      })
      const subject = { space: stored.id, changeRequest: doc.id, user }
      await emit(app, tx, {
        type: 'review.requested',
        organization: stored.organization,
        actor: actor.user.id,
        subject,
      })
      const { organization } = stored
      const news = { type: 'review_requested' as const, organization, actor: actor.user.id, changeRequest: doc.id }
      await notify(app, tx, { ...news, space: stored.id }, [user])
    }
    if (found.length > 0) await tx.replace(changeRequests, { ...doc, heldFor: [...(doc.heldFor ?? []), ...found] })
  })
}
