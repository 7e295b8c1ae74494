/** The authentication of visitors of a site: the stored form with its sealed key, and the settings for admins. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, nullable, oneOf, Timestamp } from './common.js'
import { Href } from './site-destination.js'

const authBackends = ['custom', 'integration'] as const

/**
 * How visitors of a site are authenticated, as stored. Its ID is that of the site. The document does not reveal the
 * key.
 */
export interface SitePublishingAuthDoc {
  id: string
  backend: (typeof authBackends)[number]
  /** Name of the integration, if the backend is one. */
  integration?: string
  fallbackURL?: string
  /**
   * The key for visitors' JWTs (HS256), sealed with the service's signing key. It cannot be a hash, because it verifies
   * tokens.
   */
  sealedKey: string
  /** The previous key, also sealed, and the end of its validity; absent = none. */
  previous?: { sealedKey: string; validUntil: string }
  /** The required `aud` and `iss` of tokens; absent = any value. */
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
        description: 'Until then, tokens signed with the previous key are accepted.',
      }),
    ),
    privateKey: Type.Optional(
      Type.String({
        description:
          'Signs the JWTs of visitors (HS256): 43 letters and digits, used as text. Only returned to admins of the site. Absent if the signing key of the service ' +
          'has been replaced; then regenerate it.',
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
        description: 'Number of seconds for which the previous key stays valid. Use 0 for a leaked key.',
      }),
    ),
  },
  { ...closed, $id: 'RegenerateVisitorKey' },
)
export type RegenerateVisitorKey = Static<typeof RegenerateVisitorKey>
