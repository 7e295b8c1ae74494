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
  updatedAt: string
}

export const sitePublishingAuths = table<SitePublishingAuthDoc>()({ name: 'site-publishing-auths', indexes: {}, owner: (auth) => auth.id })

const Integration = Type.String({ minLength: 1, maxLength: 64 })

export const SitePublishingAuth = Type.Object(
  {
    object: Type.Literal('site-publishing-auth'),
    backend: oneOf(authBackends),
    integration: Type.Optional(Integration),
    fallbackURL: Type.Optional(Type.String()),
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
  },
  { ...closed, $id: 'UpdateSitePublishingAuth' },
)
export type UpdateSitePublishingAuth = Static<typeof UpdateSitePublishingAuth>
