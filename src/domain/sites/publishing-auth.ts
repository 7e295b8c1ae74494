/** Manages the authentication of a site's visitors: its backend, and the key that signs their tokens. */
import { seal, unseal } from '../../auth/index.js'
import { hrefFault } from '../../content/href.js'
import { isPast } from '../../kernel/clock.js'
import { badRequest, notFound } from '../../kernel/errors.js'
import { newSecret } from '../../kernel/ids.js'
import {
  type RegenerateVisitorKey,
  type SitePublishingAuthDoc,
  sitePublishingAuths,
  type UpdateSitePublishingAuth,
} from '../../model/index.js'
import type { Document, Draft } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSite } from '../context/loaded.js'
import { changeSiteDocuments } from './site-documents.js'
import { defined } from '../../kernel/defined.js'

/** Binds a sealed key to its site, so that it cannot be unsealed for another one. */
const sealContext = (site: string): string => `visitor-key:${site}`

const newSealedKey = (app: App, site: string): string => seal(app.settings.signingKey, sealContext(site), newSecret())

/** Returns the publishing authentication of a new site: a custom backend and a new key. Insert it with the site. */
export const newPublishingAuth = (app: App, site: string): Draft<SitePublishingAuthDoc> => ({
  id: site,
  backend: 'custom',
  sealedKey: newSealedKey(app, site),
  updatedAt: app.clock.now().toISOString(),
})

/** Returns the visitor authentication of a site. Throws 404 if the site was deleted in the meantime. */
export async function getPublishingAuth(app: App, site: LoadedSite): Promise<Document<SitePublishingAuthDoc>> {
  const auth = await app.store.get(sitePublishingAuths, site.doc.id)
  if (!auth) throw notFound('The site')
  return auth
}

/** Default time in seconds that a replaced key stays valid. */
const GRACE_SECONDS = 3600

/**
 * Returns the key that signs visitors' JWTs (HS256). Null if the signing key of the service was replaced. Never log it.
 */
export const visitorKeyOf = (app: App, auth: SitePublishingAuthDoc): string | null =>
  unseal(app.settings.signingKey, sealContext(auth.id), auth.sealedKey)

/** Returns the keys that are currently valid, newest first. Never log them. */
export function validVisitorKeys(app: App, auth: SitePublishingAuthDoc): string[] {
  const { previous } = auth
  const before =
    previous && !isPast(app.clock, previous.validUntil)
      ? unseal(app.settings.signingKey, sealContext(auth.id), previous.sealedKey)
      : null
  return [visitorKeyOf(app, auth), before].filter((key) => key !== null)
}

const change = (
  app: App,
  actor: Actor,
  site: LoadedSite,
  what: (auth: Document<SitePublishingAuthDoc>) => Document<SitePublishingAuthDoc>,
): Promise<Document<SitePublishingAuthDoc>> =>
  changeSiteDocuments(app, actor, site, 'publishing-auth', async (tx) => {
    const stored = await tx.get(sitePublishingAuths, site.doc.id)
    if (!stored) throw notFound('The site')
    return tx.replace(sitePublishingAuths, { ...what(stored), updatedAt: app.clock.now().toISOString() })
  })

/** Changes the given fields. The backend `custom` removes the integration; `integration` requires one. Throws 400. */
export async function updatePublishingAuth(
  app: App,
  actor: Actor,
  site: LoadedSite,
  input: UpdateSitePublishingAuth,
): Promise<Document<SitePublishingAuthDoc>> {
  const { fallbackURL } = input
  const fault = typeof fallbackURL === 'string' ? hrefFault(fallbackURL) : null
  if (fault) throw badRequest('The fallback URL is invalid.', [{ path: '/fallbackURL', message: fault }])
  return change(app, actor, site, (stored) => {
    const backend = input.backend ?? stored.backend
    const integration = input.integration ?? (backend === 'integration' ? stored.integration : undefined)
    if (backend === 'integration' && integration === undefined)
      throw badRequest('The backend integration needs the name of an integration.', [
        { path: '/integration', message: 'is required if backend is integration' },
      ])
    if (backend === 'custom' && integration !== undefined)
      throw badRequest('The backend custom does not support an integration.', [
        { path: '/integration', message: 'must be omitted if backend is custom' },
      ])
    const { integration: _integration, fallbackURL: _fallback, audience: _audience, issuer: _issuer, ...rest } = stored
    const chosen = (['fallbackURL', 'audience', 'issuer'] as const).flatMap((name) => {
      const value = input[name] === undefined ? stored[name] : input[name]
      return value === undefined || value === null ? [] : [[name, value] as const]
    })
    return { ...rest, backend, ...defined({ integration }), ...Object.fromEntries(chosen) }
  })
}

/**
 * Replaces the key. Tokens signed with the previous key stay valid for a while; those signed with older keys do not.
 */
export function regenerateVisitorKey(
  app: App,
  actor: Actor,
  site: LoadedSite,
  { graceSeconds = GRACE_SECONDS }: RegenerateVisitorKey = {},
): Promise<Document<SitePublishingAuthDoc>> {
  return change(app, actor, site, ({ previous: _, ...stored }) => {
    const validUntil = new Date(app.clock.now().getTime() + graceSeconds * 1000).toISOString()
    const previous = graceSeconds === 0 ? {} : { previous: { sealedKey: stored.sealedKey, validUntil } }
    return { ...stored, sealedKey: newSealedKey(app, site.doc.id), ...previous }
  })
}
