/** The door for everything that visitors get: checks what a visitor brought, and shows a site as they see it. */
import { mayEnter, type VisitorContext } from '../../access/index.js'
import { verifyVisitorToken } from '../../auth/index.js'
import { notFound, ServiceError } from '../../kernel/errors.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization, LoadedSite } from '../context/loaded.js'
import { getAdaptiveSchema } from './adaptive-schema.js'
import { getPublishingAuth, validVisitorKeys } from './publishing-auth.js'
import { type ShownSiteSpace, type SiteView, shownSiteSpaces, viewSite } from './view.js'
import { claimsOf, noClaims, readUnsigned, type VisitorClaims } from './visitor-claims.js'
import { VisitorConditions } from './visitor-conditions.js'
import { visitorView } from './visitor-view.js'

/** What somebody brings who visits a site. */
export interface VisitorCredentials {
  /** The key of a share link. */
  shareKey?: string
  /** A JWT of the site's own sign-in. */
  visitorToken?: string
  /** JSON: what their browser says of itself. */
  unsignedClaims?: string
}

/** A visitor who was let in. */
export interface Visitor {
  site: LoadedSite
  context: VisitorContext
  conditions: VisitorConditions
  /** The structure of the site, as far as they see it. */
  view: SiteView
}

/**
 * Lets a visitor into a site, on behalf of a caller who may see it: what that caller may not see is not shown to anybody.
 * @param preview whether somebody who brings nothing is let in all the same, as the caller who looks at their own site
 * Throws 404 (not published, no valid share key), 403 (no valid token), 400 (claims of the browser).
 */
export async function openToVisitor(
  app: App,
  actor: Actor,
  { organization, site }: { organization: LoadedOrganization; site: LoadedSite },
  credentials: VisitorCredentials,
  { preview = false } = {},
): Promise<Visitor> {
  const { doc } = site
  if (!doc.published) throw notFound('The published site')
  const unsigned = readUnsigned(credentials.unsignedClaims)
  const view = await viewSite(app, actor, organization, site, credentials.shareKey)
  const isPreview = preview && Object.values(credentials).every((value) => value === undefined)
  const shareKey = isPreview || view.address.shareKey !== undefined
  if (doc.visibility === 'share-link' && !shareKey) throw notFound('The share link')
  const signed = await signedClaims(app, site, credentials.visitorToken)
  const facts = { published: doc.published, visibility: doc.visibility, shareKey, token: isPreview || signed !== null }
  if (!mayEnter(facts))
    throw new ServiceError(
      'forbidden',
      'This site asks its visitors to sign in: send the visitor’s token as visitorToken.',
    )
  const conditions = new VisitorConditions(await claimsFor(app, site, signed ?? {}, unsigned))
  const context = { ...facts, holds: conditions.holds }
  return { site, context, conditions, view: visitorView(context, view) }
}

/** The payload of a visitor's token; null without one. Throws 403 with the reason. */
async function signedClaims(
  app: App,
  site: LoadedSite,
  token: string | undefined,
): Promise<Readonly<Record<string, unknown>> | null> {
  if (token === undefined) return null
  const auth = await getPublishingAuth(app, site)
  const { audience, issuer } = auth
  const { claims, fault } = await verifyVisitorToken(token, {
    keys: validVisitorKeys(app, auth),
    now: app.clock.now(),
    audience,
    issuer,
  })
  if (claims === undefined) throw new ServiceError('forbidden', `The token of the visitor is not valid. ${fault}`)
  return claims
}

async function claimsFor(
  app: App,
  site: LoadedSite,
  signed: Readonly<Record<string, unknown>>,
  unsigned: Readonly<Record<string, unknown>>,
): Promise<VisitorClaims> {
  if (!site.doc.adaptiveContent.enabled) return noClaims
  return claimsOf((await getAdaptiveSchema(app, site)).jsonSchema, signed, unsigned)
}

/** A site space that a visitor sees, by its ID. Throws 404. */
export function siteSpaceFor({ view }: Visitor, id: string): ShownSiteSpace {
  const found = shownSiteSpaces(view).find(({ entry }) => entry.id === id)
  if (!found) throw notFound('The site space')
  return found
}
