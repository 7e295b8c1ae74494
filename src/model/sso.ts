/**
 * The stored documents of single sign-on: identities, sign-ins that wait for their exchange, used requests and
 * assertions, and exempt tokens.
 */
import { Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, listOf, Timestamp } from './common.js'
import { LinkSecret } from './sign-in.js'

/**
 * An identity of a user at an identity provider, as stored. The ID is a hash of provider, the provider's entity ID and
 * NameID (`identityId`).
 */
export interface SsoIdentityDoc {
  id: string
  organization: string
  provider: string
  /** Entity ID of the identity provider. Identities from another one do not count. */
  issuer: string
  nameId: string
  user: string
  createdAt: string
  lastSignInAt?: string
  /** True if the user was removed from the organization. The identity does not let them return automatically. */
  removed?: true
}

export const ssoIdentities = table<SsoIdentityDoc>()({
  name: 'sso-identities',
  indexes: { provider: (one) => one.provider, user: (one) => `${one.organization}/${one.user}` },
  orders: { createdAt: { group: (one) => one.provider, by: (one) => one.createdAt } },
  owner: (one) => one.organization,
})

/** A verified sign-in that waits for the exchange of its code, as stored. It can be used once. */
export interface SsoSignInDoc {
  id: string
  /** SHA-256 of the code, hexadecimal. */
  hash: string
  organization: string
  provider: string
  issuer: string
  nameId: string
  /** In lowercase; null if the provider sent none. */
  email: string | null
  displayName: string | null
  /** End of the session at the provider. */
  sessionEnds?: string
  createdAt: string
  expiresAt: string
}

export const ssoSignIns = table<SsoSignInDoc>()({
  name: 'sso-sign-ins',
  indexes: { hash: (one) => one.hash, provider: (one) => one.provider },
  orders: { expiry: { group: () => 'all', by: (one) => one.expiresAt } },
  unique: ['hash'],
})

/** A used request or assertion, as stored. The ID is a hash of it. */
interface SsoUsedDoc {
  id: string
  /** From then on, it would be rejected anyway. */
  expiresAt: string
}

export const ssoUsed = table<SsoUsedDoc>()({
  name: 'sso-used',
  indexes: {},
  orders: { expiry: { group: () => 'all', by: (one) => one.expiresAt } },
  owner: (one) => one.id.slice(0, 1),
})

/**
 * A token that an admin has exempted: it gives access although its owner must use single sign-on. The ID is
 * `<organization>:<token>`.
 */
export interface SsoTokenDoc {
  id: string
  organization: string
  token: string
  user: string
  createdBy: string
  createdAt: string
}

export const ssoTokens = table<SsoTokenDoc>()({
  name: 'sso-tokens',
  indexes: { organization: (one) => one.organization },
  owner: 'organization',
})

export const ssoTokenId = (organization: string, token: string): string => `${organization}:${token}`

export const SSOIdentity = Type.Object(
  {
    object: Type.Literal('sso-identity'),
    id: Id,
    provider: Id,
    nameID: Type.String({ description: 'The name (NameID) of the person at the identity provider.' }),
    user: Type.String({ description: 'ID of the user with this identity.' }),
    removed: Type.Boolean({
      description:
        'Whether the user was removed from the organization. They cannot return until the identity is deleted or they are invited again.',
    }),
    createdAt: Timestamp,
    lastSignInAt: Type.Optional(Timestamp),
  },
  { $id: 'SSOIdentity' },
)

export const SSOIdentityList = listOf(SSOIdentity, { $id: 'SSOIdentityList' })

export const LinkSSOIdentity = Type.Object({ token: LinkSecret }, { ...closed, $id: 'LinkSSOIdentity' })

export const SSOToken = Type.Object(
  {
    object: Type.Literal('sso-token'),
    token: Type.String({ description: 'ID of the token.' }),
    label: Type.String(),
    user: Type.String({ description: 'ID of the owner.' }),
    createdBy: Type.String({ description: 'ID of the admin who exempted it.' }),
    createdAt: Timestamp,
  },
  { $id: 'SSOToken' },
)

export const SSOTokenList = Type.Object({ items: Type.Array(SSOToken) }, { $id: 'SSOTokenList' })
