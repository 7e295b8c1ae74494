/** How visitors of a site prove who they are: its backend, and the key that signs their tokens. */
import { seal, unseal } from '../../auth/index.js'
import { hrefFault } from '../../content/href.js'
import { badRequest, notFound } from '../../kernel/errors.js'
import { newSecret } from '../../kernel/ids.js'
import { type SitePublishingAuthDoc, sitePublishingAuths, type UpdateSitePublishingAuth } from '../../model/index.js'
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

/** The key that signs visitors' JWTs (HS256), or null if the signing key of the service was replaced since. Never log it. */
export const visitorKeyOf = (app: App, auth: SitePublishingAuthDoc): string | null => unseal(app.settings.signingKey, sealContext(auth.id), auth.sealedKey)

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
      throw badRequest('This backend needs an integration.', [{ path: '/integration', message: 'is required if backend is integration' }])
    if (backend === 'custom' && integration !== undefined)
      throw badRequest('This backend has no integration.', [{ path: '/integration', message: 'must be left out if backend is custom' }])
    const fallback = fallbackURL === undefined ? stored.fallbackURL : (fallbackURL ?? undefined)
    const { integration: _integration, fallbackURL: _fallback, ...rest } = stored
    return { ...rest, backend, ...(integration === undefined ? {} : { integration }), ...(fallback === undefined ? {} : { fallbackURL: fallback }) }
  })
}

/** Replaces the key; tokens signed with the old one are no longer valid. */
export const regenerateVisitorKey = (app: App, actor: Actor, site: LoadedSite): Promise<Document<SitePublishingAuthDoc>> =>
  change(app, actor, site, (stored) => ({ ...stored, sealedKey: newSealedKey(app, site.doc.id) }))
