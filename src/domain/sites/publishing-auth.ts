/** How visitors of a site prove who they are: its backend, and the key that signs their tokens. */
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

/** Binds a sealed key to its site: it cannot be unsealed for another one. */
const sealContext = (site: string): string => `visitor-key:${site}`

const newSealedKey = (app: App, site: string): string => seal(app.settings.signingKey, sealContext(site), newSecret())

/** Publishing authentication of a new site: a custom backend, and a new key. To be inserted with the site. */
export const newPublishingAuth = (app: App, site: string): Draft<SitePublishingAuthDoc> => ({
  id: site,
  backend: 'custom',
  sealedKey: newSealedKey(app, site),
  updatedAt: app.clock.now().toISOString(),
})

/** How visitors of a site are authenticated. Throws 404 if the site was deleted meanwhile. */
export async function getPublishingAuth(app: App, site: LoadedSite): Promise<Document<SitePublishingAuthDoc>> {
  const auth = await app.store.get(sitePublishingAuths, site.doc.id)
  if (!auth) throw notFound('The site')
  return auth
}

/** Seconds for which the key before stays valid, unless whoever replaces it says otherwise. */
const GRACE_SECONDS = 3600

/** The key that signs visitors' JWTs (HS256), or null if the signing key of the service was replaced since. Never log it. */
export const visitorKeyOf = (app: App, auth: SitePublishingAuthDoc): string | null =>
  unseal(app.settings.signingKey, sealContext(auth.id), auth.sealedKey)

/** The keys that are valid now, newest first. Never log them. */
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

/** Changes the fields that are given. The backend `custom` removes the integration; `integration` needs one. Throws 400. */
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
      throw badRequest('The backend custom takes no integration.', [
        { path: '/integration', message: 'must be left out if backend is custom' },
      ])
    const { integration: _integration, fallbackURL: _fallback, audience: _audience, issuer: _issuer, ...rest } = stored
    const chosen = (['fallbackURL', 'audience', 'issuer'] as const).flatMap((name) => {
      const value = input[name] === undefined ? stored[name] : input[name]
      return value === undefined || value === null ? [] : [[name, value] as const]
    })
    return { ...rest, backend, ...(integration === undefined ? {} : { integration }), ...Object.fromEntries(chosen) }
  })
}

/** Replaces the key. Tokens signed with the one before stay valid for a while; those signed with an earlier one no longer. */
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
