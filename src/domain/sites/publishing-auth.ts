import { seal, unseal } from '../../auth/index.js'
import { hrefFault } from '../../content/href.js'
import { badRequest, notFound } from '../../kernel/errors.js'
import { newSecret } from '../../kernel/ids.js'
import { type SitePublishingAuthDoc, sitePublishingAuths, type UpdateSitePublishingAuth } from '../../model/index.js'
import type { Document, Draft } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSite } from '../context/loaded.js'
import { changeBelongings } from './belongings.js'

const placeOf = (site: string): string => `visitor-key:${site}`

const newSealedKey = (app: App, site: string): string => seal(app.settings.signingKey, placeOf(site), newSecret())

/** What a new site begins with: a backend of the owner's own, and a key. To be inserted with the site. */
export const newPublishingAuth = (app: App, site: string): Draft<SitePublishingAuthDoc> => ({
  id: site,
  backend: 'custom',
  sealedKey: newSealedKey(app, site),
  updatedAt: app.clock.now().toISOString(),
})

/** How visitors of a site are known. Throws 404 where the site went meanwhile. */
export async function getPublishingAuth(app: App, site: LoadedSite): Promise<Document<SitePublishingAuthDoc>> {
  const auth = await app.store.get(sitePublishingAuths, site.doc.id)
  if (!auth) throw notFound('The site')
  return auth
}

/** The key that signs visitors' JWTs (HS256), or null where the signing key of the service was replaced since. Never to be logged. */
export const visitorKeyOf = (app: App, auth: SitePublishingAuthDoc): string | null => unseal(app.settings.signingKey, placeOf(auth.id), auth.sealedKey)

const change = (
  app: App,
  actor: Actor,
  site: LoadedSite,
  what: (auth: Document<SitePublishingAuthDoc>) => Document<SitePublishingAuthDoc>,
): Promise<Document<SitePublishingAuthDoc>> =>
  changeBelongings(app, actor, site, 'publishing-auth', async (tx) => {
    const stored = await tx.get(sitePublishingAuths, site.doc.id)
    if (!stored) throw notFound('The site')
    return tx.replace(sitePublishingAuths, { ...what(stored), updatedAt: app.clock.now().toISOString() })
  })

/** Changes what is given. `custom` forgets the integration; `integration` needs one. Throws 400. */
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
      throw badRequest('This backend needs an integration.', [{ path: '/integration', message: 'is required where backend is integration' }])
    if (backend === 'custom' && integration !== undefined)
      throw badRequest('This backend has no integration.', [{ path: '/integration', message: 'must be left out where backend is custom' }])
    const fallback = fallbackURL === undefined ? stored.fallbackURL : (fallbackURL ?? undefined)
    const { integration: _integration, fallbackURL: _fallback, ...rest } = stored
    return { ...rest, backend, ...(integration === undefined ? {} : { integration }), ...(fallback === undefined ? {} : { fallbackURL: fallback }) }
  })
}

/** A new key; tokens signed with the old one are worth nothing from then on. */
export const regenerateVisitorKey = (app: App, actor: Actor, site: LoadedSite): Promise<Document<SitePublishingAuthDoc>> =>
  change(app, actor, site, (stored) => ({ ...stored, sealedKey: newSealedKey(app, site.doc.id) }))
