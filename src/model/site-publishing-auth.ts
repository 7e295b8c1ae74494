/** How visitors sign in to a site that requires it: the stored form with its sealed key, and what admins read and change. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, nullable, oneOf, Timestamp } from './common.js'
import { Href } from './site-destination.js'

const authBackends = ['custom', 'integration'] as const

/** How visitors of a site are authenticated, as stored; its ID is that of the site. The key cannot be read from the document. */
export interface SitePublishingAuthDoc {
  id: string
  backend: (typeof authBackends)[number]
  /** Name of the integration that signs visitors in, where the backend is one. */
  integration?: string
  fallbackURL?: string
  /** The key of visitors' JWTs (HS256), sealed with the service's signing key: it must be known in clear to check a token. */
  sealedKey: string
  /** The key before it, likewise sealed, and until when it is valid; absent = none. */
  previous?: { sealedKey: string; validUntil: string }
  /** What `aud` of a token must name, and what its `iss` must be; absent = anything. */
  audience?: string
  issuer?: string
  updatedAt: string
}

export const sitePublishingAuths = table<SitePublishingAuthDoc>()({
  name: 'site-publishing-auths',
  indexes: {},
  owner: (auth) => auth.id,
})

const Name = Type.String({ minLength: 1, maxLength: 256 })
const Integration = Type.String({ minLength: 1, maxLength: 64 })

export const SitePublishingAuth = Type.Object(
  {
    object: Type.Literal('site-publishing-auth'),
    backend: oneOf(authBackends),
    integration: Type.Optional(Integration),
    fallbackURL: Type.Optional(Type.String()),
    audience: Type.Optional(Name),
    issuer: Type.Optional(Name),
    previousKeyValidUntil: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Until then, tokens signed with the key before this one are accepted.',
      }),
    ),
    privateKey: Type.Optional(
      Type.String({
        description:
          'Signs the JWTs of visitors (HS256): 43 letters and digits, used as they are. Returned to admins of the site only; absent if the signing key of the service has been replaced: regenerate it then.',
      }),
    ),
    updatedAt: Timestamp,
  },
  { $id: 'SitePublishingAuth' },
)

export const UpdateSitePublishingAuth = Type.Object(
  {
    backend: Type.Optional(oneOf(authBackends)),
    integration: Type.Optional(Integration),
    fallbackURL: Type.Optional(nullable(Href)),
    audience: Type.Optional(nullable(Name)),
    issuer: Type.Optional(nullable(Name)),
  },
  { ...closed, $id: 'UpdateSitePublishingAuth' },
)
export type UpdateSitePublishingAuth = Static<typeof UpdateSitePublishingAuth>

export const RegenerateVisitorKey = Type.Object(
  {
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 3600,
        description: 'For how long the key before stays valid. 0 = not at all: for a key that leaked.',
      }),
    ),
  },
  { ...closed, $id: 'RegenerateVisitorKey' },
)
export type RegenerateVisitorKey = Static<typeof RegenerateVisitorKey>
