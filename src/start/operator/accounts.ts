/** The operator's commands for accounts and tokens. */
import type { App } from '../../domain/context/app.js'
import { revokeToken } from '../../domain/accounts/accounts.js'
import { findAllByAddress, freeAddress, tokenByOperator, vouchFor } from '../../domain/people/operator.js'
import { required } from '../../kernel/defined.js'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import { Email, memberships, type TokenDoc, tokens, type UserDoc, users } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { accountOf } from './actors.js'
import type { Outcome } from './declaration.js'
import { listOutcome } from './texts.js'

/** Confirms that an address belongs to a user or, with `free`, that it does not belong to its current account. */
export async function confirmUser(
  app: App,
  { email, name, free }: { email: string; name: string | undefined; free: boolean },
): Promise<Outcome> {
  if (!isAddress(email)) throw badRequest(`${email} is not an email address such as ada@example.org.`, [])
  await (free ? freeAddress(app, email) : vouchFor(app, email, name))
  return listOutcome(await findAllByAddress(app, email), describe, presentUser)
}

const isAddress = (text: string): boolean =>
  text.length <= required(Email.maxLength) && new RegExp(required(Email.pattern)).test(text)

const PROOFS = {
  mail: 'the address was verified by mail',
  operator: 'the address was confirmed by the operator',
}

const describe = ({ id, displayName, email, proof, limitedTo }: UserDoc): string =>
  proof === undefined
    ? `User ${id} of organization ${limitedTo} only, ${displayName} <${email}>: not verified`
    : `Account ${id}, ${displayName} <${email}>: ${PROOFS[proof]}`

const presentUser = ({ id, displayName, email, proof, limitedTo }: UserDoc) => ({
  id,
  displayName,
  email,
  verifiedBy: proof ?? null,
  organization: limitedTo ?? null,
})

/** Lists all users, or the members of an organization with their roles. */
export async function listUsers(app: App, organization: string | undefined): Promise<Outcome> {
  if (organization === undefined) {
    const all = (await app.store.all(users)).filter(({ former }) => !former)
    return listOutcome(all.sort(byEmail), describe, presentUser)
  }
  const members = await app.store.find(memberships, 'organization', organization)
  const found = await Promise.all(
    members.map(async ({ user, role, disabled }) => {
      const doc = await app.store.get(users, user)
      return doc ? [{ ...doc, role, disabled }] : []
    }),
  )
  return listOutcome(
    found.flat().sort(byEmail),
    ({ role, disabled, ...user }) =>
      `${user.id}  ${role ?? 'guest'}${disabled ? ' (disabled)' : ''}  ${user.displayName} <${user.email}>`,
    ({ role, disabled, ...user }) => ({ ...presentUser(user), role, disabled }),
  )
}

const byEmail = (a: { email: string }, b: { email: string }): number => (a.email < b.email ? -1 : 1)

/** Creates a token for the account of an address, or for the member of an organization with this unverified address. */
export async function makeToken(
  app: App,
  { email, label, claimedIn }: { email: string; label: string; claimedIn: string | undefined },
): Promise<Outcome> {
  try {
    const { secret, token } = await tokenByOperator(app, email, label, claimedIn)
    return { text: secret, json: { id: token.id, token: secret } }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'not-found') throw error
    const known = (await findAllByAddress(app, email)).map(describe)
    const advice = `\`bindery user ${email}\` creates an account without verification by mail.`
    throw new ServiceError('not-found', [error.message, advice, ...known].join('\n'))
  }
}

/** Lists the tokens of an account, without their secrets. */
export async function listTokensOf(app: App, email: string): Promise<Outcome> {
  const account = await accountOf(app, email)
  const found = await app.store.find(tokens, 'user', account.id)
  return listOutcome(
    found.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1)),
    (token) =>
      `${token.id}  ${token.label}  created ${token.createdAt}${token.expiresAt === undefined ? '' : `, expires ${token.expiresAt}`}${token.readOnly ? ', read-only' : ''}`,
    presentToken,
  )
}

const presentToken = ({ id, label, createdAt, expiresAt, readOnly, organization }: Document<TokenDoc>) => ({
  id,
  label,
  createdAt,
  expiresAt: expiresAt ?? null,
  readOnly,
  organization: organization ?? null,
})

/** Revokes a token by its ID. Throws 404. */
export async function revoke(app: App, id: string): Promise<Outcome> {
  const token = await app.store.get(tokens, id)
  if (!token) throw new ServiceError('not-found', `There is no token ${id}. \`bindery token list <email>\` lists them.`)
  await revokeToken(app, token)
  return { text: `Token ${id} (${token.label}) no longer works.`, json: presentToken(token) }
}
