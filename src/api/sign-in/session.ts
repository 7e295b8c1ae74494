/** Endpoints for browser sessions of the app. */
import { revokeToken } from '../../domain/accounts/accounts.js'
import type { Actor } from '../../domain/context/actor.js'
import type { App } from '../../domain/context/app.js'
import { openSession } from '../../domain/people/sign-in.js'
import { OpenSession, Session, type TokenDoc, tokens } from '../../model/index.js'
import { endedSessionCookie, isForeign, sessionCookie } from '../pipeline/session-cookie.js'
import { required } from '../../kernel/defined.js'
import { ServiceError } from '../../kernel/errors.js'
import { reply } from '../reply.js'
import { endpoint } from '../service.js'
import { presentToken, presentUser } from '../users/present.js'

const section = 'Sign-in'

const presentSession = (app: App, user: Actor['user'], token: TokenDoc) => ({
  object: 'session' as const,
  user: presentUser(app, user),
  token: presentToken(token),
})

export const createSession = endpoint({
  method: 'POST',
  path: '/v1/session',
  summary: 'Sign in with a browser',
  description:
    'Sets the cookie of a new session (`HttpOnly`, `SameSite=Lax`, `Secure` on https) and returns its token without the secret. The session has the rights of ' +
    'the token that opened it, lasts at most 30 days, and is listed and revoked with your tokens. Requests with the cookie that change something must come ' +
    'from the origin of the API and have the header `X-Requested-By`, with any value. Other clients use tokens. A page of another origin cannot sign a ' +
    'browser in: 403.',
  section,
  needs: 'public',
  body: OpenSession,
  status: 201,
  returns: Session,
  fails: [401, 403, 404, 409],
  handle: async ({ app, body, request }) => {
    if (isForeign(request.headers, app.settings.publicUrl))
      throw new ServiceError(
        'forbidden',
        'A page of another origin cannot sign this browser in. Open the app to sign in.',
      )
    const { token, secret, user } = await openSession(app, body)
    const expires = new Date(required(token.expiresAt))
    return reply({
      status: 201,
      body: presentSession(app, user, token),
      headers: { 'Set-Cookie': sessionCookie(app.settings.publicUrl, secret, expires) },
    })
  },
})

export const getSession = endpoint({
  method: 'GET',
  path: '/v1/session',
  summary: 'Get your session',
  description: 'Returns you and the token of the request, without its secret.',
  section,
  needs: 'authenticated',
  returns: Session,
  handle: async ({ app, actor }) =>
    presentSession(app, actor.user, required(await app.store.get(tokens, actor.token.id))),
})

export const deleteSession = endpoint({
  method: 'DELETE',
  path: '/v1/session',
  summary: 'Sign out',
  description: "Revokes the token of the request and removes the session's cookie.",
  section,
  needs: 'authenticated',
  handle: async ({ app, actor }) => {
    const token = await app.store.get(tokens, actor.token.id)
    if (token) await revokeToken(app, token)
    return reply<never>({ status: 204, headers: { 'Set-Cookie': endedSessionCookie(app.settings.publicUrl) } })
  },
})
