import { conflict, ServiceError } from '../../kernel/errors.js'
import { memberships, tokens, type UserDoc, users } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import { createUser, findAccount, findLimitedMember, type IssuedToken, issueToken } from '../accounts/accounts.js'

const noAccount = (email: string) => new ServiceError('not-found', `No account has the address ${email}.`)

/**
 * The operator's word that the address is somebody's: the account that has it, or a new one. What users of single
 * organizations have who claim the address, is not the account's.
 */
export function vouchFor(app: App, email: string, displayName?: string): Promise<Document<UserDoc>> {
  return app.store.transact(async (tx) => {
    const account = await findAccount(tx, email)
    if (!account) return createUser(app, { email, ...(displayName === undefined ? {} : { displayName }), proof: 'operator' }, tx)
    return account.proof === 'earlier' ? tx.replace(users, { ...account, proof: 'operator' }) : account
  })
}

/**
 * Takes an address from an account that was made before anybody was asked for proof: it goes on as a user of its one
 * organization, its tokens open that one alone, and whoever shows that the address is his gets an account of his own.
 * Throws 404 where no account has the address, 409 where it is in no organization or in several, or is no longer alone there.
 */
export function freeAddress(app: App, email: string): Promise<Document<UserDoc>> {
  return app.store.transact(async (tx) => {
    const account = await findAccount(tx, email)
    if (!account) throw noAccount(email)
    const [only, ...more] = await tx.find(memberships, 'user', account.id)
    if (!only || more.length > 0)
      throw conflict(`The account is a member of ${only ? more.length + 1 : 0} organizations: only one of a single organization can go on without its address.`)
    const { organization } = only
    if (await findLimitedMember(tx, organization, email))
      throw conflict(`Another member of organization ${organization} names the address: remove one of them first.`)
    for (const token of await tx.find(tokens, 'user', account.id)) {
      if (token.organization === undefined) await tx.replace(tokens, { ...token, organization })
      else if (token.organization !== organization) await tx.remove(tokens, token.id)
    }
    const { proof: _, ...rest } = account
    return tx.replace(users, { ...rest, limitedTo: organization })
  })
}

/**
 * A token by the operator: of the account that has the address, or, where an organization is named, of its member who
 * claims it without proof. Throws 404.
 */
export async function tokenByOperator(app: App, email: string, label: string, claimedIn?: string): Promise<IssuedToken> {
  const user = claimedIn === undefined ? await findAccount(app.store, email) : await findLimitedMember(app.store, claimedIn, email)
  if (!user)
    throw claimedIn === undefined
      ? noAccount(email)
      : new ServiceError('not-found', `No member of organization ${claimedIn} claims the address ${email} without proof.`)
  return issueToken(app, user.id, { label, ...(claimedIn === undefined ? {} : { organization: claimedIn }) })
}

/** Who names an address: the account that has it, and the users of single organizations who claim it; for the operator alone. */
export async function whoNames(app: App, email: string): Promise<Document<UserDoc>[]> {
  const account = await findAccount(app.store, email)
  return [...(account ? [account] : []), ...(await app.store.find(users, 'claimed', email.toLowerCase()))]
}
