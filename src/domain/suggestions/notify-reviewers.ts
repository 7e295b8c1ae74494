/** Notifies reviewers of a suggestion that waits for them. Nothing in the notification is written by its author. */
import { allows } from '../../access/index.js'
import { defined } from '../../kernel/defined.js'
import {
  memberships,
  notifications,
  type SiteSuggestionDoc,
  type SpaceDoc,
  spaces,
  teamMembers,
} from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { notify } from '../notifications/notify.js'
import { organizationRole, permissionChain } from '../roles/access.js'

/** Maximum number of reviewers who are notified. */
const MAX_REVIEWERS = 50
/** Maximum number of grants and members of teams that are read to find them. */
const MAX_CANDIDATES = 200

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

/**
 * Returns the users who got the role review or more on a space or a collection above it, themselves or through a team: in
 * this order, and at most `MAX_REVIEWERS`. Without any, the admins of the organization.
 */
async function reviewersOf(tx: Transaction, space: SpaceDoc): Promise<string[]> {
  const { organization } = space
  const found = new Set<string>()
  let tried = 0
  for await (const user of candidates(tx, space)) {
    if (found.size >= MAX_REVIEWERS || ++tried > MAX_CANDIDATES) break
    // A grant stays when its member leaves.
    if ((await organizationRole(tx, user, organization)) !== undefined) found.add(user)
  }
  if (found.size > 0) return [...found]
  const members = await tx.find(memberships, 'organization', organization)
  return members.filter(({ role, disabled }) => role === 'admin' && !disabled).map(({ user }) => user)
}

/** Returns the users to whom a role with reviews is granted, first on the space, and first those with their own grant. */
async function* candidates(tx: Transaction, space: SpaceDoc): AsyncGenerator<string> {
  for (const { grants } of await permissionChain(tx, { ...space, kind: 'space' })) {
    const principals = grants.filter(({ role }) => allows('space:review', role)).map(({ principal }) => principal)
    for (const one of principals) if (one.startsWith('user:')) yield one.slice('user:'.length)
    for (const one of principals) {
      if (!one.startsWith('team:')) continue
      const range = { limit: MAX_CANDIDATES, direction: 'asc' as const }
      for (const { user } of (await tx.page(teamMembers, 'user', one.slice('team:'.length), range)).documents)
        yield user
    }
  }
}
