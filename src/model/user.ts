import { type Static, Type } from '@sinclair/typebox'
import { collection } from '../kernel/documents.js'
import { Id, Timestamp } from './common.js'

/** A person or a named service account, as stored. */
export interface UserDoc {
  id: string
  displayName: string
  /** Lower case. */
  email: string
  photoURL?: string
  /** True for a service account: a name for tokens that belong to no person. */
  service?: boolean
  createdAt: string
}

/** An address as browsers take it, without quotes, comments and blanks: nothing in it can be read as more than one address. */
export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$",
  description: 'An e-mail address.',
})

export const users = collection<UserDoc>()({ name: 'users', indexes: { email: (user) => user.email }, unique: ['email'], owner: (user) => user.id.slice(0, 1) })

export const User = Type.Object(
  {
    object: Type.Literal('user'),
    id: Id,
    displayName: Type.String(),
    email: Type.String(),
    photoURL: Type.Optional(Type.String()),
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'User' },
)

/** A token, as stored: the secret's hash alone. */
export interface TokenDoc {
  id: string
  user: string
  label: string
  /** SHA-256 of the secret, hexadecimal. */
  hash: string
  /** Only resources of this organization. */
  organization?: string
  readOnly: boolean
  /** True where its owner came in by an e-mail link, and for tokens made with such a one: not enough where single sign-on is asked for. */
  byEmail?: boolean
  createdAt: string
  expiresAt?: string
}

export const tokens = collection<TokenDoc>()({
  name: 'tokens',
  indexes: { hash: (token) => token.hash, user: (token) => token.user },
  unique: ['hash'],
  owner: (token) => token.user,
})

const tokenFields = {
  id: Id,
  label: Type.String(),
  organization: Type.Optional(Id),
  readOnly: Type.Boolean(),
  createdAt: Timestamp,
  expiresAt: Type.Optional(Timestamp),
}

export const Token = Type.Object({ object: Type.Literal('token'), ...tokenFields }, { $id: 'Token' })
export const CreatedToken = Type.Object(
  { object: Type.Literal('token'), ...tokenFields, token: Type.String({ description: 'The secret. It is shown this once.' }) },
  { $id: 'CreatedToken' },
)

export const CreateToken = Type.Object(
  {
    label: Type.String({ minLength: 1, maxLength: 100 }),
    organization: Type.Optional(Id),
    readOnly: Type.Optional(Type.Boolean({ default: false })),
    expiresAt: Type.Optional(Timestamp),
  },
  { additionalProperties: false, $id: 'CreateToken' },
)
export type CreateToken = Static<typeof CreateToken>
