import { finishSignIn, startSignIn } from '../../domain/people/sign-in.js'
import { CreatedToken, FinishSignIn, SignIn, SignInStarted } from '../../model/index.js'
import { created, reply } from '../reply.js'
import { endpoint } from '../service.js'
import { presentToken } from '../users/present.js'

const section = 'Sign-in'

export const requestSignInLink = endpoint({
  method: 'POST',
  path: '/v1/sign-in',
  summary: 'Ask for a sign-in link by e-mail',
  description:
    'The answer is the same for every address: only one with an account, asked for with a valid link invitation, or claimed by a member somewhere (`emailUnproven`), gets a mail. The link works once, for 15 minutes; at most three of an ' +
    'address are open at a time. 409 where the service has no mail server: then the operator makes tokens on the command line. 429 for too many requests.',
  section,
  needs: 'public',
  body: SignIn,
  status: 202,
  returns: SignInStarted,
  fails: [409],
  handle: async ({ app, body, request }) => {
    await startSignIn(app, request.ip, body)
    return reply({ status: 202, body: { object: 'sign-in' as const, message: 'If the address may sign in, a link is on its way to it.' } })
  },
})

export const signInByLink = endpoint({
  method: 'POST',
  path: '/v1/sign-in/token',
  summary: 'Sign in by a link',
  description:
    '`token` is what stands behind the # of the link; it is used up. The answer is a token of the user for 30 days, which does not open organizations that ask for single sign-on. A link ' +
    'that was asked for with an invitation also joins the organization. Where the address has no account, one is made; it has nothing of what members have who only claim the address.',
  section,
  needs: 'public',
  body: FinishSignIn,
  status: 201,
  returns: CreatedToken,
  fails: [404],
  handle: async ({ app, body }) => {
    const { token, secret } = await finishSignIn(app, body.token)
    return created({ ...presentToken(token), token: secret }, `/v1/user/tokens/${token.id}`, { user: token.user, token: token.id })
  },
})
