/** Endpoints of sign-in by email: clients request a link and exchange it for a token. */
import { finishSignIn, startSignIn } from '../../domain/people/sign-in.js'
import { CreatedToken, FinishSignIn, SignIn, SignInStarted } from '../../model/index.js'
import { created, reply } from '../reply.js'
import { endpoint } from '../service.js'
import { presentToken } from '../users/present.js'

const section = 'Sign-in'

export const requestSignInLink = endpoint({
  method: 'POST',
  path: '/v1/sign-in',
  summary: 'Request a sign-in link by email',
  description:
    'The response is the same for every address. A mail is sent only if the address has an account, belongs to a member who has not verified it ' +
    '(`emailUnproven`), or is sent with a valid link invitation. The link works once, for 15 minutes; at most three links for an address are valid at the ' +
    'same time. Returns 409 if the service has no mail server: ask the operator for a token. Returns 429 after too many requests.',
  section,
  needs: 'public',
  body: SignIn,
  status: 202,
  returns: SignInStarted,
  fails: [409],
  handle: async ({ app, body, request }) => {
    await startSignIn(app, request.ip, body)
    return reply({
      status: 202,
      body: {
        object: 'sign-in' as const,
        message: 'If the address is allowed to sign in, a link has been sent to it.',
      },
    })
  },
})

export const signInByLink = endpoint({
  method: 'POST',
  path: '/v1/sign-in/token',
  summary: 'Sign in with a link, or with a code from single sign-on',
  description:
    '`token` is the part of the link after the #; it can be used once. Returns a token of the user that is valid for 30 days and gives no access to ' +
    'organizations that require single sign-on. The code from the end of a single sign-on is exchanged here, too: its token is limited to that organization ' +
    'and ends with the session. Returns 403 or 409 with the required action if the identity cannot be signed in. With a link that was requested with an ' +
    'invitation, you also join the organization. If the address has no account, one is created; it gets nothing from members who use the address without ' +
    'having verified it.',
  section,
  needs: 'public',
  body: FinishSignIn,
  status: 201,
  returns: CreatedToken,
  fails: [403, 404, 409],
  handle: async ({ app, body }) => {
    const { token, secret } = await finishSignIn(app, body.token)
    return created({ ...presentToken(token), token: secret }, `/v1/user/tokens/${token.id}`)
  },
})
