/** Sign-in by a link that is sent to an email address. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { Token } from './token.js'
import { Email, User } from './user.js'
import { closed } from './common.js'

/** A sign-in link that was sent to an address, as stored. It can be used once. */
interface SignInDoc {
  id: string
  /** In lowercase. */
  email: string
  /** SHA-256 of the link's secret, hexadecimal. */
  hash: string
  /** Link invitation that creates an account and joins an organization. */
  invite?: string
  createdAt: string
  expiresAt: string
}

export const signIns = table<SignInDoc>()({
  name: 'sign-ins',
  indexes: { hash: (one) => one.hash, email: (one) => one.email },
  orders: { expiry: { group: () => 'all', by: (one) => one.expiresAt } },
  unique: ['hash'],
})

export const LinkSecret = Type.String({
  minLength: 20,
  maxLength: 200,
  description: 'The part of the link after the #.',
})

export const SignIn = Type.Object(
  {
    email: Email,
    invite: Type.Optional(
      Type.String({ minLength: 20, maxLength: 200, description: 'The secret of a link invitation, to join with it.' }),
    ),
  },
  { ...closed, $id: 'SignIn' },
)
export type SignIn = Static<typeof SignIn>

export const SignInStarted = Type.Object(
  { object: Type.Literal('sign-in'), message: Type.String() },
  { $id: 'SignInStarted' },
)

export const FinishSignIn = Type.Object({ token: LinkSecret }, { ...closed, $id: 'FinishSignIn' })

/** A browser's session. Its secret is only in the cookie. */
export const OpenSession = Type.Object(
  {
    token: Type.String({
      minLength: 20,
      maxLength: 500,
      description:
        'An access token, the secret of a sign-in link (the part after the #), or the code from single sign-on.',
    }),
    label: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Its name in the list of tokens, such as `Firefox on Linux`.',
      }),
    ),
  },
  { ...closed, $id: 'OpenSession' },
)
export type OpenSession = Static<typeof OpenSession>

export const Session = Type.Object({ object: Type.Literal('session'), user: User, token: Token }, { $id: 'Session' })
