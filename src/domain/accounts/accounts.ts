// Manages users and their tokens.
import { hashToken, newToken } from '../../auth/index.js'
import { badRequest, notFound, ServiceError } from '../../kernel/errors.js'
import { isPast } from '../../kernel/clock.js'
import { newId } from '../../kernel/ids.js'
import {
  type AddressProof,
  type CreateToken,
  DEFAULT_SCOPES,
  memberships,
  type TokenDoc,
  type TokenScope,
  tokens,
  changedSettings,
  type UpdateUser,
  type UpdateUserSettings,
  type UserDoc,
  users,
} from '../../model/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'
import { findOrganization, isTokenFor, organizationRole } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import { defined, required } from '../../kernel/defined.js'
import { isIdentityValid } from '../roles/current-role.js'

/**
 * Returns the user and token for a token's secret. Null if the token is unknown or expired, or its identity is gone.
 * Throws 403 if the token is not valid at this interface.
 */
export async function authenticate(app: App, token: string, scope: TokenScope): Promise<Actor | null> {
  const [found] = await app.store.find(tokens, 'hash', hashToken(token))
  if (!found || (found.expiresAt !== undefined && isPast(app.clock, found.expiresAt))) return null
  if (found.sso && !(await isIdentityValid(app.store, found.sso.identity))) return null
  const user = await app.store.get(users, found.user)
  if (user && !(found.scopes ?? DEFAULT_SCOPES).includes(scope)) throw new ServiceError('forbidden', OUTSIDE[scope])
  return user
    ? {
        user,
        token: {
          id: found.id,
          readOnly: found.readOnly,
          ...scopeOf(user, found),
          ...defined({ expiresAt: found.expiresAt }),
          ...(found.byEmail ? { byEmail: true } : {}),
          ...(found.sso ? { sso: found.sso } : {}),
        },
      }
    : null
}

/** Messages for a token without a scope. */
const OUTSIDE: Readonly<Record<TokenScope, string>> = {
  api: 'This token is valid only at the MCP servers. Use a token with the scope `api`.',
  mcp: 'This token is not valid at the MCP servers. Create one with `"scopes": ["mcp"]` through POST /v1/user/tokens.',
}

/** Returns the organization that a token is limited to. For a user of a single organization it is always that one. */
function scopeOf({ limitedTo }: UserDoc, { organization }: TokenDoc): { organization?: string } {
  const scope = limitedTo ?? organization
  return scope === undefined ? {} : { organization: scope }
}

/** A new token with its secret, which is returned only once. */
export interface IssuedToken {
  token: Document<TokenDoc>
  secret: string
}

/** Properties of a new token. For `byEmail`, `sso`, `session` and `excludedFrom`, see `TokenDoc`. */
type NewToken = CreateToken & Pick<TokenDoc, 'byEmail' | 'sso' | 'session' | 'excludedFrom'>

type Writer = Pick<Transaction, 'insert'>

/** Issues a token for a user. Only its hash is stored, so the returned secret exists nowhere else. Throws 400. */
export async function issueToken(
  app: App,
  user: string,
  input: NewToken,
  secret = newToken(),
  tx: Writer = app.store,
): Promise<IssuedToken> {
  if (input.expiresAt !== undefined && Date.parse(input.expiresAt) <= app.clock.now().getTime()) {
    throw badRequest('The token would already be expired. Set a later `expiresAt`.', [
      { path: '/expiresAt', message: 'must be in the future' },
    ])
  }
  const token = await tx.insert(tokens, {
    id: newId(),
    user,
    label: input.label,
    hash: hashToken(secret),
    readOnly: input.readOnly ?? false,
    ...defined({ scopes: input.scopes }),
    createdAt: app.clock.now().toISOString(),
    ...defined({ organization: input.organization }),
    ...(input.byEmail ? { byEmail: true } : {}),
    ...(input.sso ? { sso: input.sso } : {}),
    ...(input.session ? { session: true } : {}),
    ...(input.excludedFrom ? { excludedFrom: input.excludedFrom } : {}),
    ...(input.expiresAt === undefined ? {} : { expiresAt: new Date(input.expiresAt).toISOString() }),
  })
  return { token, secret }
}

/**
 * Issues a token on the caller's request. It is never more powerful than the token of the request and expires no later.
 * If the caller leaves the organization or revokes the request's token at the same time, none is issued. Throws 400,
 * 401, 403.
 */
export async function createToken(
  app: App,
  actor: Actor,
  input: CreateToken & Pick<TokenDoc, 'session'>,
): Promise<IssuedToken> {
  const limit = actor.token.organization
  if (limit !== undefined && input.organization !== limit) {
    throw new ServiceError(
      'forbidden',
      `Your token is limited to organization ${limit}. A new token must have the same limit.`,
    )
  }
  const notAMember = () =>
    badRequest('The organization does not exist.', [
      { path: '/organization', message: 'must be the ID of an organization of which you are a member' },
    ])
  if (input.organization !== undefined && !(await findOrganization(app, actor, input.organization))) throw notAMember()
  const end = actor.token.expiresAt
  if (end !== undefined && input.expiresAt !== undefined && Date.parse(input.expiresAt) > Date.parse(end)) {
    throw new ServiceError('forbidden', `Your token expires at ${end}. A new token must not expire later.`)
  }
  const origin = {
    ...(actor.token.byEmail ? { byEmail: true } : {}),
    ...(actor.token.sso ? { sso: actor.token.sso } : {}),
  }
  const wanted = { ...defined({ expiresAt: end }), ...input, ...origin }
  return app.store.transact(async (tx) => {
    const own = await tx.get(tokens, actor.token.id)
    if (!own) throw new ServiceError('unauthenticated', 'Your token was just revoked. Sign in again.')
    if (
      input.organization !== undefined &&
      (await organizationRole(tx, actor.user.id, input.organization)) === undefined
    )
      throw notAMember()
    return issueToken(
      app,
      actor.user.id,
      { ...wanted, ...(own.excludedFrom ? { excludedFrom: own.excludedFrom } : {}) },
      undefined,
      tx,
    )
  })
}

/**
 * Changes the caller's display name and photo. Throws 403 for a token that is limited to an organization, unless its
 * user is limited to it too.
 */
export async function updateUser(
  app: App,
  actor: Actor,
  { displayName, photoURL }: UpdateUser,
): Promise<Document<UserDoc>> {
  if (actor.token.organization !== undefined && actor.user.limitedTo === undefined)
    throw new ServiceError(
      'forbidden',
      'Your token is limited to an organization and cannot change your account. Use a token without this limit.',
    )
  return app.store.transact(async (tx) => {
    const stored = await tx.get(users, actor.user.id)
    if (!stored) throw notFound('The user')
    const { photoURL: had, ...rest } = stored
    const photo = photoURL === undefined ? had : (photoURL ?? undefined)
    return tx.replace(users, {
      ...rest,
      ...defined({ displayName, photoURL: photo }),
    })
  })
}

/** Changes the caller's settings of the app. */
export const updateSettings = (app: App, actor: Actor, input: UpdateUserSettings): Promise<Document<UserDoc>> =>
  app.store.transact(async (tx) => {
    const stored = await tx.get(users, actor.user.id)
    if (!stored) throw notFound('The user')
    return tx.replace(users, { ...stored, settings: changedSettings(stored.settings ?? {}, input) })
  })

/** Lists the caller's tokens. If the request's token is limited to an organization, only those with the same limit. */
export async function listTokens(app: App, actor: Actor): Promise<Document<TokenDoc>[]> {
  const limit = actor.token.organization
  return (await app.store.find(tokens, 'user', actor.user.id)).filter(
    (token) => limit === undefined || token.organization === limit,
  )
}

/** Revokes one of the caller's own tokens. */
export async function revokeToken(app: App, token: Document<TokenDoc>): Promise<void> {
  await app.store.remove(tokens, token.id)
}

/** E-mail address and name of a new user. */
interface NewUser {
  email: string
  displayName?: string
}

/**
 * Creates an account, which owns its e-mail address exclusively. `email` is stored in lower case. Users of single
 * organizations who claim the same address stay separate users. Throws `DuplicateKey` if an account has the address.
 */
export function createUser(
  app: App,
  input: NewUser & { proof?: AddressProof; service?: boolean },
  tx: Writer = app.store,
): Promise<Document<UserDoc>> {
  return tx.insert(users, {
    ...named(app, input),
    proof: input.proof ?? 'operator',
    ...(input.service ? { service: true } : {}),
  })
}

/**
 * Creates a user of a single organization, who claims the address without proof. The address stays available for an
 * account.
 */
export const createLimitedUser = (
  app: App,
  input: NewUser,
  organization: string,
  tx: Writer,
): Promise<Document<UserDoc>> => tx.insert(users, { ...named(app, input), limitedTo: organization })

function named(app: App, { email: given, displayName }: NewUser) {
  const email = given.toLowerCase()
  return {
    id: newId(),
    email,
    displayName: displayName ?? required(email.split('@')[0]),
    createdAt: app.clock.now().toISOString(),
  }
}

/**
 * Finds the account that owns the address, proven by a mail or vouched for by the operator. Null if there is none.
 * Ignores case.
 */
export async function findAccount(reader: Reader, email: string): Promise<Document<UserDoc> | null> {
  const [account] = await reader.find(users, 'proven', email.toLowerCase())
  return account ?? null
}

/**
 * Whether users of single organizations claim the address without proof. A user who proves ownership may then get an
 * account without an invitation.
 */
export const isClaimed = async (reader: Reader, email: string): Promise<boolean> =>
  (await reader.count(users, 'claimed', email.toLowerCase())) > 0

/** Finds the member of an organization who claims the address without proof. Null if there is none. */
export async function findLimitedMember(
  reader: Reader,
  organization: string,
  email: string,
): Promise<Document<UserDoc> | null> {
  const [user] = await reader.find(users, 'claimedIn', `${organization}/${email.toLowerCase()}`)
  return user ?? null
}

/**
 * Finds a user that the caller may see: themselves, or a member of an organization to which the caller's token gives
 * access. Otherwise null.
 */
export async function findUser(app: App, actor: Actor, id: string): Promise<Document<UserDoc> | null> {
  if (id === actor.user.id) return actor.user
  const [mine, theirs] = await Promise.all([
    app.store.find(memberships, 'user', actor.user.id),
    app.store.find(memberships, 'user', id),
  ])
  for (const { organization, disabled } of mine)
    if (
      !disabled &&
      theirs.some((other) => other.organization === organization) &&
      (await isTokenFor(app.store, actor, organization))
    )
      return app.store.get(users, id)
  return null
}
