/** Notifies reviewers of a suggestion that waits for them. Nothing in the notification is written by its author. */
import { allows } from '../../access/index.js'
import { defined } from '../../kernel/defined.js'
import { grants, memberships, notifications, type SiteSuggestionDoc, type SpaceDoc, spaces } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { notify } from '../notifications/notify.js'
import { grantTarget } from '../roles/access.js'

/** Maximum number of reviewers who are notified. */
const MAX_REVIEWERS = 50

/**
 * Notifies the reviewers of a space, in the transaction in which a suggestion starts to wait. A reviewer who has not read
 * the notification about an earlier suggestion for the site gets no other one, so strangers cannot fill an inbox.
 * @param actor the member who sent it; absent = a guest
 */
export async function notifyReviewers(
  app: App,
  tx: Transaction,
  { site, space: id, page, title }: SiteSuggestionDoc,
  actor?: string,
): Promise<void> {
  const space = await tx.get(spaces, id)
  if (!space) return
  const { organization } = space
  const recipients: string[] = []
  for (const user of (await reviewersOf(tx, space)).slice(0, MAX_REVIEWERS)) {
    const own = await tx.find(notifications, 'user', user)
    const isUnread = own.some((one) => one.type === 'suggestion' && one.site === site && one.readAt === undefined)
    if (!isUnread) recipients.push(user)
  }
  const news = { type: 'suggestion' as const, organization, space: id, site, page: { id: page, title } }
  await notify(app, tx, { ...news, ...defined({ actor }) }, recipients)
}

/** Returns the users whose own role on a space includes reviews; without any, the admins of the organization. */
async function reviewersOf(tx: Transaction, { id, organization }: SpaceDoc & { id: string }): Promise<string[]> {
  const granted = await tx.find(grants, 'target', grantTarget({ kind: 'space', id }))
  const mayReview = new Set(
    granted.flatMap(({ principal, role }) =>
      principal.startsWith('user:') && allows('space:review', role) ? [principal.slice('user:'.length)] : [],
    ),
  )
  const members = (await tx.find(memberships, 'organization', organization)).filter(({ disabled }) => !disabled)
  const own = members.filter(({ user }) => mayReview.has(user))
  return (own.length > 0 ? own : members.filter(({ role }) => role === 'admin')).map(({ user }) => user)
}
