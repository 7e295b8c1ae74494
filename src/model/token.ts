/** Tokens, by which clients authenticate. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, listOf, Timestamp } from './common.js'
import { User } from './user.js'

/** A token, as stored: the secret's hash alone. */
export interface TokenDoc {
  id: string
  user: string
  label: string
  /** SHA-256 of the secret, hexadecimal. */
  hash: string
  /** Only resources of this organization. */
  organization?: string
  /** Organizations whose admins have taken its access away. */
  excludedFrom?: string[]
  readOnly: boolean
  /** True if its owner signed in by an e-mail link, and for tokens created with such a token. */
  byEmail?: boolean
  /** Of a sign-in by single sign-on, and tokens created with such a token: valid only while the identity is there. */
  sso?: { identity: string }
  createdAt: string
  expiresAt?: string
}

export const tokens = table<TokenDoc>()({
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

export const MemberToken = Type.Object(
  { object: Type.Literal('member-token'), ...tokenFields, user: User },
  { $id: 'MemberToken' },
)

export const MemberTokenList = listOf(MemberToken, { $id: 'MemberTokenList' })

export const CreatedToken = Type.Object(
  {
    object: Type.Literal('token'),
    ...tokenFields,
    token: Type.String({ description: 'The secret. It is returned only once.' }),
  },
  { $id: 'CreatedToken' },
)

export const CreateToken = Type.Object(
  {
    label: Type.String({ minLength: 1, maxLength: 100 }),
    organization: Type.Optional(Id),
    readOnly: Type.Optional(Type.Boolean({ default: false })),
    expiresAt: Type.Optional(Timestamp),
  },
  { ...closed, $id: 'CreateToken' },
)
export type CreateToken = Static<typeof CreateToken>
