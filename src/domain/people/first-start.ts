// Creates the first user and organization at the first start of a service.
import { hashToken, newToken } from '../../auth/index.js'
import { newId, newSecret } from '../../kernel/ids.js'
import {
  type OrganizationDoc,
  memberships,
  organizations,
  signIns,
  tokens,
  type UserDoc,
  users,
} from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { createUser, findAccount, issueToken } from '../accounts/accounts.js'
import type { App } from '../context/app.js'
import { insertOrganization } from './organizations.js'

/** Lifetime of the one-time address of the first start, in milliseconds. */
const LINK_MS = 24 * 60 * 60 * 1000
/** Label of the token from the settings. */
const SETTING_LABEL = 'BINDERY_ADMIN_TOKEN'

/** The first user and organization of a service. */
export interface FirstStart {
  user: Document<UserDoc>
  organization: Document<OrganizationDoc>
  /** Whether the service had no user before. */
  isNew: boolean
  /** Secret of the new token. Null if the user already had a token. */
  token: string | null
  /** Whether the token comes from the settings. It is then not printed. */
  isGiven: boolean
  /** Secret of a link that signs the admin in once, in a browser. Null if the service had a user before. */
  link: string | null
}

/**
 * Creates the first user, organization and token if they are missing. The operator vouches for the user's address. A
 * token from the settings (`BINDERY_ADMIN_TOKEN`) becomes valid even if there are others, so that an operator who lost
 * theirs can set a new one. Earlier tokens from the setting are revoked, since an operator may change it after a leak.
 */
export async function firstStart(app: App, given: { email: string; token: string | null }): Promise<FirstStart> {
  const account = await findAccount(app.store, given.email)
  const isNew = !account && (await app.store.all(users)).length === 0
  const user = account ?? (await createUser(app, { email: given.email, displayName: 'Admin' }))
  const [mine] = await app.store.find(memberships, 'user', user.id)
  const organization =
    (mine && (await app.store.get(organizations, mine.organization))) ??
    (await app.store.transact((tx) => insertOrganization(app, tx, user.id, { title: 'My organization' })))
  const link = isNew ? await firstLink(app, user) : null
  const has = (await app.store.find(tokens, 'user', user.id)).length > 0
  if (given.token !== null) {
    const secret = given.token
    const isValid = await app.store.transact(async (tx) => {
      const [valid] = await tx.find(tokens, 'hash', hashToken(secret))
      for (const one of await tx.find(tokens, 'user', user.id))
        if (one.label === SETTING_LABEL && one.hash !== hashToken(secret)) await tx.remove(tokens, one.id)
      if (!valid) await issueToken(app, user.id, { label: SETTING_LABEL }, secret, tx)
      return valid !== undefined
    })
    return { user, organization, isNew, token: has && isValid ? null : secret, isGiven: true, link }
  }
  if (has) return { user, organization, isNew, token: null, isGiven: false, link }
  const token = newToken()
  await issueToken(app, user.id, { label: 'First token' }, token)
  return { user, organization, isNew, token, isGiven: false, link }
}

/**
 * Creates a sign-in link for the admin, because there may be no mail server yet. The operator reads it from the
 * terminal.
 */
async function firstLink(app: App, { email }: UserDoc): Promise<string> {
  const secret = newSecret()
  const now = app.clock.now().getTime()
  await app.store.insert(signIns, {
    id: newId(),
    email,
    hash: hashToken(secret),
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + LINK_MS).toISOString(),
  })
  return secret
}
