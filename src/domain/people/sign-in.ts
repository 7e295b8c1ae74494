/** Signs users in with a mailed link, and exchanges the secret at the end of a sign-in for a token. */
import { hashToken } from '../../auth/index.js'
import { conflict, ServiceError } from '../../kernel/errors.js'
import { invites, type SignIn, signIns } from '../../model/index.js'
import { createUser, findAccount, type IssuedToken, isClaimed, issueToken } from '../accounts/accounts.js'
import { join, SESSION_MS } from './accept-invite.js'
import type { App } from '../context/app.js'
import { isAcceptable } from './invites.js'
import { exchangeCode } from './sso/exchange.js'
import { queueMail } from './mails.js'

/**
 * Requests a sign-in link. Only the job that writes the mail checks whether the address has an account, so neither the
 * response nor its duration reveals it. Throws 409 if no mail server is configured, 429.
 * @param address IP address of the caller
 */
export async function startSignIn(app: App, address: string, { email, invite }: SignIn): Promise<void> {
  if (!app.mail)
    throw conflict(
      'Signing in by e-mail is not possible: no mail server is configured. The operator can set BINDERY_SMTP_URL and BINDERY_MAIL_FROM, or create a token with `bindery token <email>`.',
    )
  await app.limitSignIn?.(address)
  await app.store.transact(async (tx) => {
    const [link] = invite === undefined ? [] : await tx.find(invites, 'hash', hashToken(invite))
    await queueMail(app, tx, {
      mail: 'sign-in',
      email: email.toLowerCase(),
      ...(link?.kind === 'link' ? { invite: link.id } : {}),
    })
  })
  app.wakeJobs()
}

/**
 * Signs in with the secret of a link or the code of a single sign-on. Either works once. If the link was requested with
 * a link invitation, the user also joins the organization. The mail proves ownership of the address. A missing account
 * is therefore created if there is an invitation, or if users of single organizations claim the address; those stay
 * separate users. Throws 404; 403 and 409 as `exchangeCode`.
 */
export async function finishSignIn(app: App, secret: string): Promise<IssuedToken> {
  const invalidLink = () =>
    new ServiceError('not-found', 'The link does not exist, was already used or has expired. Ask for a new one.')
  return app.store.transact(async (tx) => {
    const bySso = await exchangeCode(app, tx, secret)
    if (bySso) return bySso
    const [found] = await tx.find(signIns, 'hash', hashToken(secret))
    const now = app.clock.now().getTime()
    if (!found || Date.parse(found.expiresAt) <= now) throw invalidLink()
    await tx.remove(signIns, found.id)
    const invite = found.invite === undefined ? null : await tx.get(invites, found.invite)
    const accepted = invite !== null && (await isAcceptable(app, tx, invite)) ? invite : null
    const account = await findAccount(tx, found.email)
    if (!account && !accepted && !(await isClaimed(tx, found.email))) throw invalidLink()
    const user = account ?? (await createUser(app, { email: found.email, proof: 'mail' }, tx))
    if (accepted) await join(app, tx, accepted, user)
    return issueToken(
      app,
      user.id,
      { label: 'Sign-in by e-mail', byEmail: true, expiresAt: new Date(now + SESSION_MS).toISOString() },
      undefined,
      tx,
    )
  })
}
