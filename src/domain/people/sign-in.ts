import { hashToken } from '../../auth/index.js'
import { conflict, ServiceError } from '../../kernel/errors.js'
import { invites, type SignIn, signIns } from '../../model/index.js'
import { createUser, findAccount, type IssuedToken, isClaimed, issueToken } from '../accounts/accounts.js'
import { join, SESSION_MS } from './accept-invite.js'
import type { App } from '../context/app.js'
import { isGood } from './invites.js'
import { queueMail } from './mails.js'

/**
 * Asks for a sign-in link. Whether the address has an account is looked at by the job that would write the mail: neither the
 * answer nor the time that it takes tells. Throws 409 where no mail server is set up, 429.
 * @param address IP address of the caller
 */
export async function startSignIn(app: App, address: string, { email, invite }: SignIn): Promise<void> {
  if (!app.mail)
    throw conflict(
      'Nobody can sign in by e-mail: no mail server is set up. The operator can set BINDERY_SMTP_URL and BINDERY_MAIL_FROM, or make a token with `bindery token <email>`.',
    )
  await app.limitSignIn?.(address)
  await app.store.transact(async (tx) => {
    const [link] = invite === undefined ? [] : await tx.find(invites, 'hash', hashToken(invite))
    await queueMail(app, tx, { mail: 'sign-in', email: email.toLowerCase(), ...(link?.kind === 'link' ? { invite: link.id } : {}) })
  })
  app.wakeJobs()
}

/**
 * Signs in by the secret of a link, which is used up by it. Asked for with a link invitation, it joins the organization. It
 * makes the account where there is none, since the mail has shown whose address it is: with an invitation, or where users of
 * single organizations claim the address. The account is new; what those have is not its own. Throws 404.
 */
export async function finishSignIn(app: App, secret: string): Promise<IssuedToken> {
  const gone = () => new ServiceError('not-found', 'The link does not exist, was used already or has expired: ask for a new one.')
  return app.store.transact(async (tx) => {
    const [found] = await tx.find(signIns, 'hash', hashToken(secret))
    const now = app.clock.now().getTime()
    if (!found || Date.parse(found.expiresAt) <= now) throw gone()
    await tx.remove(signIns, found.id)
    const invite = found.invite === undefined ? null : await tx.get(invites, found.invite)
    const good = invite !== null && (await isGood(app, tx, invite)) ? invite : null
    const known = await findAccount(tx, found.email)
    if (!known && !good && !(await isClaimed(tx, found.email))) throw gone()
    const user = known ?? (await createUser(app, { email: found.email, proof: 'mail' }, tx))
    if (good) await join(app, tx, good, user)
    return issueToken(app, user.id, { label: 'Sign-in by e-mail', byEmail: true, expiresAt: new Date(now + SESSION_MS).toISOString() }, undefined, tx)
  })
}
