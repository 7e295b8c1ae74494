// Account operations for the operator on the command line.
import { conflict, ServiceError } from '../../kernel/errors.js'
import { memberships, tokens, type UserDoc, users } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import { createUser, findAccount, findLimitedMember, type IssuedToken, issueToken } from '../accounts/accounts.js'
import { defined } from '../../kernel/defined.js'

const noAccount = (email: string) =>
  new ServiceError(
    'not-found',
    `No account has the address ${email}. Check the spelling, or create one with \`bindery user\`.`,
  )

/**
 * Lets the operator vouch for an address. Returns the account that owns it, or creates one. Users of single
 * organizations who claim the address stay separate users.
 */
export function vouchFor(app: App, email: string, displayName?: string): Promise<Document<UserDoc>> {
  return app.store.transact(async (tx) => {
    const account = await findAccount(tx, email)
    if (!account) return createUser(app, { email, ...defined({ displayName }), proof: 'operator' }, tx)
    return account
  })
}

/**
 * Removes the address from an account that never proved its ownership. The account becomes a user of its single
 * organization, and its tokens are limited to that. A user who proves ownership of the address can then get an account.
 * Throws 404 if no account has the address, and 409 if the account is not in exactly one organization or another member
 * claims the address.
 */
export function freeAddress(app: App, email: string): Promise<Document<UserDoc>> {
  return app.store.transact(async (tx) => {
    const account = await findAccount(tx, email)
    if (!account) throw noAccount(email)
    const [only, ...more] = await tx.find(memberships, 'user', account.id)
    if (!only || more.length > 0)
      throw conflict(
        `The account is a member of ${only ? more.length + 1 : 0} organizations: only an account in exactly one organization can give up its address.`,
      )
    const { organization } = only
    if (await findLimitedMember(tx, organization, email))
      throw conflict(`Another member of organization ${organization} claims the address. Remove one of them first.`)
    for (const token of await tx.find(tokens, 'user', account.id)) {
      if (token.organization === undefined) await tx.replace(tokens, { ...token, organization })
      else if (token.organization !== organization) await tx.remove(tokens, token.id)
    }
    const { proof: _, ...rest } = account
    return tx.replace(users, { ...rest, limitedTo: organization })
  })
}

/**
 * Issues a token for the operator: for the account that owns the address or, with `claimedIn`, for the member of that
 * organization who claims the address without proof. Throws 404.
 */
export async function tokenByOperator(
  app: App,
  email: string,
  label: string,
  claimedIn?: string,
): Promise<IssuedToken> {
  const user =
    claimedIn === undefined ? await findAccount(app.store, email) : await findLimitedMember(app.store, claimedIn, email)
  if (!user)
    throw claimedIn === undefined
      ? noAccount(email)
      : new ServiceError(
          'not-found',
          `No member of organization ${claimedIn} claims the address ${email} without proof.`,
        )
  return issueToken(app, user.id, { label, ...defined({ organization: claimedIn }) })
}

/** Lists the account that owns an address and the users of single organizations who claim it. For the operator only. */
export async function findAllByAddress(app: App, email: string): Promise<Document<UserDoc>[]> {
  const account = await findAccount(app.store, email)
  return [...(account ? [account] : []), ...(await app.store.find(users, 'claimed', email.toLowerCase()))]
}
