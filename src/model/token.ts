/** Tokens that clients authenticate with. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, listOf, oneOf, Timestamp } from './common.js'
import { User } from './user.js'

/** The interfaces at which a token can be valid: the API with Git over HTTP, and the MCP servers. */
export const tokenScopes = ['api', 'mcp'] as const
export type TokenScope = (typeof tokenScopes)[number]
/** The scopes of a token that was created without any. */
export const DEFAULT_SCOPES: readonly TokenScope[] = ['api']

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
  /** Absent = `DEFAULT_SCOPES`. */
  scopes?: readonly TokenScope[]
  /** True if its owner signed in with an email link, and for tokens created with such a token. */
  byEmail?: boolean
  /** For a single sign-on token and tokens created with it: valid only while the identity exists. */
  sso?: { identity: string }
  /** True for the session of a browser, which keeps the secret in a cookie. */
  session?: true
  createdAt: string
  expiresAt?: string
}

export const tokens = table<TokenDoc>()({
  name: 'tokens',
  indexes: { hash: (token) => token.hash, user: (token) => token.user },
  unique: ['hash'],
  owner: 'user',
})

const tokenFields = {
  id: Id,
  label: Type.String(),
  organization: Type.Optional(Id),
  readOnly: Type.Boolean(),
  scopes: Type.Array(oneOf(tokenScopes), {
    description: 'The scopes of the token: `api` = the API, and Git over HTTP; `mcp` = the MCP servers.',
  }),
  createdAt: Timestamp,
  expiresAt: Type.Optional(Timestamp),
  session: Type.Optional(
    Type.Literal(true, { description: 'The token is the session of a browser that is signed in to the app.' }),
  ),
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
    scopes: Type.Optional(
      Type.Array(oneOf(tokenScopes), {
        minItems: 1,
        maxItems: 2,
        uniqueItems: true,
        description:
          'The scopes of the token; by default only `api`. A token with only `mcp` can propose changes through the MCP servers, but cannot call the API, ' +
          'so it can merge nothing.',
      }),
    ),
    expiresAt: Type.Optional(Timestamp),
  },
  { ...closed, $id: 'CreateToken' },
)
export type CreateToken = Static<typeof CreateToken>
