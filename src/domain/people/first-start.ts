// Makes the first user and organization when a service starts for the first time.
import { hashToken, newToken } from '../../auth/index.js'
import { type OrganizationDoc, memberships, organizations, tokens, type UserDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { createUser, findAccount, issueToken } from '../accounts/accounts.js'
import type { App } from '../context/app.js'
import { insertOrganization } from './organizations.js'

/** The first user and organization of a service. */
export interface FirstStart {
  user: Document<UserDoc>
  organization: Document<OrganizationDoc>
  /** Secret of the new token; null if the user had a token already. */
  token: string | null
}

/**
 * Creates the first user, organization and token, as far as they are missing. The operator vouches for the user's address. A
 * token that is given (`BINDERY_ADMIN_TOKEN`) becomes valid even if there are others, so that an operator who lost theirs can
 * set a new one.
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
