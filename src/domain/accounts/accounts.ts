import { hashToken, newToken } from '../../auth/index.js'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import { type AddressProof, type CreateToken, memberships, type TokenDoc, tokens, type UserDoc, users } from '../../model/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'
import { findOrganization, opens, organizationRole } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'

/** Who a token belongs to; null where it is unknown or expired. */
export async function authenticate(app: App, token: string): Promise<Actor | null> {
  const [found] = await app.store.find(tokens, 'hash', hashToken(token))
  if (!found || (found.expiresAt !== undefined && Date.parse(found.expiresAt) <= app.clock.now().getTime())) return null
  const user = await app.store.get(users, found.user)
  return user
    ? {
        user,
        token: {
          id: found.id,
          readOnly: found.readOnly,
          ...scopeOf(user, found),
          ...(found.expiresAt === undefined ? {} : { expiresAt: found.expiresAt }),
          ...(found.byEmail ? { byEmail: true } : {}),
        },
      }
    : null
}

/** What a token opens: of a user of one organization never more than that, whatever the token says. */
function scopeOf({ limitedTo }: UserDoc, { organization }: TokenDoc): { organization?: string } {
  const scope = limitedTo ?? organization
  return scope === undefined ? {} : { organization: scope }
}

/** A token, and the secret that is shown once. */
export interface IssuedToken {
  token: Document<TokenDoc>
  secret: string
}

/** What is wanted of a token; `byEmail` as in `TokenDoc`. */
export type NewToken = CreateToken & Pick<TokenDoc, 'byEmail'>

type Writer = Pick<Transaction, 'insert'>

/** Makes a token of a user. The secret is in the answer and nowhere else. */
export async function issueToken(app: App, user: string, input: NewToken, secret = newToken(), tx: Writer = app.store): Promise<IssuedToken> {
  if (input.expiresAt !== undefined && Date.parse(input.expiresAt) <= app.clock.now().getTime()) {
    throw badRequest('The token would have expired already.', [{ path: '/expiresAt', message: 'must lie in the future' }])
  }
  const token = await tx.insert(tokens, {
    id: newId(),
    user,
    label: input.label,
    hash: hashToken(secret),
    readOnly: input.readOnly ?? false,
    createdAt: app.clock.now().toISOString(),
    ...(input.organization === undefined ? {} : { organization: input.organization }),
    ...(input.byEmail ? { byEmail: true } : {}),
    ...(input.expiresAt === undefined ? {} : { expiresAt: new Date(input.expiresAt).toISOString() }),
  })
  return { token, secret }
}

/**
 * A token made by its owner: never more powerful than the one it is made with, and gone no later. Who leaves the organization,
 * or revokes that token, at the same time, leaves none behind. Throws 400, 401, 403.
 */
export async function createToken(app: App, actor: Actor, input: CreateToken): Promise<IssuedToken> {
  const limit = actor.token.organization
  if (limit !== undefined && input.organization !== limit) {
    throw new ServiceError('forbidden', `Your token is limited to organization ${limit}: a new one must be limited to it as well.`)
  }
  const noMember = () =>
    badRequest('There is no such organization.', [{ path: '/organization', message: 'must be the ID of an organization you are a member of' }])
  if (input.organization !== undefined && !(await findOrganization(app, actor, input.organization))) throw noMember()
  const end = actor.token.expiresAt
  if (end !== undefined && input.expiresAt !== undefined && Date.parse(input.expiresAt) > Date.parse(end)) {
    throw new ServiceError('forbidden', `Your token expires at ${end}: a new one cannot outlive it.`)
  }
  const wanted = { ...(end === undefined ? {} : { expiresAt: end }), ...input, ...(actor.token.byEmail ? { byEmail: true } : {}) }
  return app.store.transact(async (tx) => {
    if (!(await tx.get(tokens, actor.token.id))) throw new ServiceError('unauthenticated', 'Your token has just been revoked.')
    if (input.organization !== undefined && (await organizationRole(tx, actor.user.id, input.organization)) === undefined) throw noMember()
    return issueToken(app, actor.user.id, wanted, undefined, tx)
  })
}

/** The caller's tokens; with one that is limited to an organization, those with the same limit. */
export async function listTokens(app: App, actor: Actor): Promise<Document<TokenDoc>[]> {
  const limit = actor.token.organization
  return (await app.store.find(tokens, 'user', actor.user.id)).filter((token) => limit === undefined || token.organization === limit)
}

/** Revokes one of the caller's own tokens. */
export async function revokeToken(app: App, token: Document<TokenDoc>): Promise<void> {
  await app.store.remove(tokens, token.id)
}

/** What a new user is called. */
interface NewUser {
  email: string
  displayName?: string
}

/**
 * A new account, whose address is its own: it reserves it. `email` is stored in lower case; one that an account has throws
 * `DuplicateKey`. What users of one organization who name the same address have or did is not the account's.
 */
export function createUser(app: App, input: NewUser & { proof?: AddressProof; service?: boolean }, tx: Writer = app.store): Promise<Document<UserDoc>> {
  return tx.insert(users, { ...named(app, input), proof: input.proof ?? 'operator', ...(input.service ? { service: true } : {}) })
}

/** A new user of one organization, who says that the address is his; it reserves nothing. */
export const createLimitedUser = (app: App, input: NewUser, organization: string, tx: Writer): Promise<Document<UserDoc>> =>
  tx.insert(users, { ...named(app, input), limitedTo: organization })

function named(app: App, { email: given, displayName }: NewUser) {
  const email = given.toLowerCase()
  return { id: newId(), email, displayName: displayName ?? (email.split('@')[0] as string), createdAt: app.clock.now().toISOString() }
}

/** The account whose address it is, shown by a mail or by the operator's word; null where there is none. In any case. */
export async function findAccount(reader: Reader, email: string): Promise<Document<UserDoc> | null> {
  const [account] = await reader.find(users, 'proven', email.toLowerCase())
  return account ?? null
}

/** Whether users of single organizations say that the address is theirs: then who shows that it is his may have an account, and take it from no one. */
export const isClaimed = async (reader: Reader, email: string): Promise<boolean> => (await reader.count(users, 'claimed', email.toLowerCase())) > 0

/** The member of an organization who says that the address is his, without proof; null where there is none. */
export async function findLimitedMember(reader: Reader, organization: string, email: string): Promise<Document<UserDoc> | null> {
  const [user] = await reader.find(users, 'claimedIn', `${organization}/${email.toLowerCase()}`)
  return user ?? null
}

/** Somebody the caller may see: himself, or who shares an organization with him that his token opens; else null. */
export async function findUser(app: App, actor: Actor, id: string): Promise<Document<UserDoc> | null> {
  if (id === actor.user.id) return actor.user
  const [mine, theirs] = await Promise.all([app.store.find(memberships, 'user', actor.user.id), app.store.find(memberships, 'user', id)])
  for (const { organization, disabled } of mine)
    if (!disabled && theirs.some((other) => other.organization === organization) && (await opens(app.store, actor, organization)))
      return app.store.get(users, id)
  return null
}
