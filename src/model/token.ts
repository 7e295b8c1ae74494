/** Tokens that clients authenticate with. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, listOf, Timestamp } from './common.js'
import { User } from './user.js'

/** A token, as stored. It contains only the hash of the secret. */
export interface TokenDoc {
  id: string
  user: string
  label: string
  /** SHA-256 of the secret, hexadecimal. */
  hash: string
  /** Limits the token to resources of this organization. */
  organization?: string
  /** Organizations whose admins have removed its access. */
  excludedFrom?: string[]
  readOnly: boolean
  /** True if its owner signed in with an email link, and for tokens created with such a token. */
  byEmail?: boolean
  /** For a single sign-on token and tokens created with it: valid only while the identity exists. */
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
