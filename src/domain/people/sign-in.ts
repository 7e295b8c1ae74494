/** Signs users in with a mailed link, and exchanges the secret at the end of a sign-in for a token. */
import { hashToken } from '../../auth/index.js'
import { conflict, ServiceError } from '../../kernel/errors.js'
import { invites, type OpenSession, type SignIn, signIns, tokens, type UserDoc, users } from '../../model/index.js'
import {
  authenticate,
  createToken,
  createUser,
  findAccount,
  type IssuedToken,
  isClaimed,
  issueToken,
} from '../accounts/accounts.js'
import { join, SESSION_MS } from './accept-invite.js'
import { defined } from '../../kernel/defined.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { isAcceptable } from './invites.js'
import { exchangeCode } from './sso/exchange.js'
import { queueMail } from '../notifications/queue-mail.js'

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
  app.wakes.jobs()
}

const invalidLink = () =>
  new ServiceError('not-found', 'The link does not exist, was already used or has expired. Ask for a new one.')

/**
 * Signs in with the secret of a link or the code of a single sign-on. Either works once. If the link was requested with
 * a link invitation, the user also joins the organization. The mail proves ownership of the address. A missing account
 * is therefore created if there is an invitation, or if users of single organizations claim the address; those stay
 * separate users. Throws 404; 403 and 409 as `exchangeCode`.
 */
export async function finishSignIn(app: App, secret: string): Promise<IssuedToken> {
  return app.store.transact(async (tx) => {
    const issued = (await exchangeCode(app, tx, secret)) ?? (await exchangeLink(app, tx, secret))
    const { id, user, organization, sso } = issued.token
    app.identify({ user, token: id, ...(sso ? defined({ organization }) : {}) })
    return issued
  })
}

/** Exchanges the secret of a link for a token. Throws 404. */
async function exchangeLink(app: App, tx: Transaction, secret: string): Promise<IssuedToken> {
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
}

/**
 * Opens a session for a browser, with an access token, the secret of a sign-in link, or the code of a single sign-on. A
 * session is a separate token: it is listed and revoked like the others, is never more powerful than the token that
 * opened it, and lasts at most 30 days. Throws 401 if nothing has the secret; 403 and 409 as `exchangeCode`.
 */
export async function openSession(app: App, { token: secret, label = 'Browser' }: OpenSession): Promise<OpenedSession> {
  const actor = await authenticate(app, secret, 'api')
  if (!actor) return nameSession(app, await finishSignIn(app, secret).catch(asUnknownSecret), label)
  app.identify({ user: actor.user.id })
  const { organization, readOnly, expiresAt } = actor.token
  const last = new Date(app.clock.now().getTime() + SESSION_MS).toISOString()
  const issued = await createToken(app, actor, {
    label,
    readOnly,
    session: true,
    expiresAt: expiresAt !== undefined && expiresAt < last ? expiresAt : last,
    ...defined({ organization }),
  })
  app.identify({ token: issued.token.id })
  return { ...issued, user: actor.user }
}

function asUnknownSecret(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== 'not-found') throw error
  throw new ServiceError(
    'unauthenticated',
    'The link or token is unknown, expired, revoked, or was already used. Ask for a new link, or check that you copied the whole token.',
  )
}

/** A new session with its user. */
export interface OpenedSession extends IssuedToken {
  user: Document<UserDoc>
}

/** Makes the token of a sign-in the session of a browser. */
async function nameSession(app: App, { token, secret }: IssuedToken, label: string): Promise<OpenedSession> {
  return app.store.transact(async (tx) => {
    const [stored, user] = await Promise.all([tx.get(tokens, token.id), tx.get(users, token.user)])
    if (!stored || !user) throw new ServiceError('unauthenticated', 'The sign-in was revoked. Sign in again.')
    return { token: await tx.replace(tokens, { ...stored, label, session: true }), secret, user }
  })
}
