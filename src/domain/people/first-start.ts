import { hashToken, newToken } from '../../auth/index.js'
import { type OrganizationDoc, memberships, organizations, tokens, type UserDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { createUser, findAccount, issueToken } from '../accounts/accounts.js'
import type { App } from '../context/app.js'
import { insertOrganization } from './organizations.js'

export interface FirstStart {
  user: Document<UserDoc>
  organization: Document<OrganizationDoc>
  /** The new token's secret; null where one was there. */
  token: string | null
}

/**
 * Makes the first user (the operator's word says whose the address is), organization and token where they are missing. A token that is given is valid from then on, whatever
 * was there before, so that an operator who lost his can set one.
 */
export async function firstStart(app: App, given: { email: string; token: string | null }): Promise<FirstStart> {
  const user = (await findAccount(app.store, given.email)) ?? (await createUser(app, { email: given.email, displayName: 'Admin' }))
  const [mine] = await app.store.find(memberships, 'user', user.id)
  const organization =
    (mine && (await app.store.get(organizations, mine.organization))) ??
    (await app.store.transact((tx) => insertOrganization(app, tx, user.id, { title: 'My organization' })))
  const has = (await app.store.find(tokens, 'user', user.id)).length > 0
  if (given.token !== null) {
    const [valid] = await app.store.find(tokens, 'hash', hashToken(given.token))
    if (!valid) await issueToken(app, user.id, { label: 'BINDERY_ADMIN_TOKEN' }, given.token)
    return { user, organization, token: has && valid ? null : given.token }
  }
  if (has) return { user, organization, token: null }
  const token = newToken()
  await issueToken(app, user.id, { label: 'First token' }, token)
  return { user, organization, token }
}
