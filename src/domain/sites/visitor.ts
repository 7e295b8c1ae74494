/** The entry point for visitors: validates a visitor's credentials and computes their view of a site. */
import { mayEnter, type VisitorContext } from '../../access/index.js'
import { verifyVisitorToken } from '../../auth/index.js'
import { notFound, ServiceError } from '../../kernel/errors.js'
import type { OrganizationDoc, SiteDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization, LoadedSite } from '../context/loaded.js'
import { getAdaptiveSchema } from './adaptive-schema.js'
import { getPublishingAuth, validVisitorKeys } from './publishing-auth.js'
import { type ShownSiteSpace, type SiteView, shownSiteSpaces, viewForAudience, viewSite } from './view.js'
import { claimsOf, noClaims, readUnsigned, type VisitorClaims } from './visitor-claims.js'
import { VisitorConditions } from './visitor-conditions.js'
import { visitorView } from './visitor-view.js'

/** The credentials of a visitor. */
export interface VisitorCredentials {
  /** The key of a share link. */
  shareKey?: string
  /** A JWT of the site's own sign-in. */
  visitorToken?: string
  /** Claims from the visitor's browser, as JSON. */
  unsignedClaims?: string
}

/** An admitted visitor. */
export interface Visitor {
  site: LoadedSite
  context: VisitorContext
  /** The claims that conditions see. */
  claims: VisitorClaims
  conditions: VisitorConditions
  /** The part of the site's structure that they see. */
  view: SiteView
}

/**
 * Admits a visitor to a site on behalf of a caller who may see it. Content that the caller may not see is not shown to
 * any visitor. Throws 404 (not published, no valid share key), 403 (no valid token), 400 (claims of the browser).
 * @param preview whether to admit a visitor without credentials, as the caller who previews their own site
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
  return admit(app, site, { view, unsigned, visitorToken: credentials.visitorToken, isPreview })
}

/**
 * Admits a reader to a published site. They see everything that the gate shows to a visitor with these credentials.
 * Throws like `openToVisitor`.
 */
export async function openToReader(
  app: App,
  { organization, site }: { organization: Document<OrganizationDoc>; site: Document<SiteDoc> },
  credentials: VisitorCredentials,
): Promise<Visitor> {
  if (!site.published) throw notFound('The published site')
  const unsigned = readUnsigned(credentials.unsignedClaims)
  const view = await viewForAudience(app, { organization, site }, credentials.shareKey)
  const { visitorToken } = credentials
  return admit(app, { doc: site, role: 'read' }, { view, unsigned, visitorToken, isPreview: false })
}

interface Admission {
  view: SiteView
  unsigned: Readonly<Record<string, unknown>>
  visitorToken: string | undefined
  isPreview: boolean
}

async function admit(app: App, site: LoadedSite, given: Admission): Promise<Visitor> {
  const { view, unsigned, visitorToken, isPreview } = given
  const { doc } = site
  const shareKey = isPreview || view.address.shareKey !== undefined
  if (doc.visibility === 'share-link' && !shareKey) throw notFound('The share link')
  const signed = await signedClaims(app, site, visitorToken)
  const facts = { published: doc.published, visibility: doc.visibility, shareKey, token: isPreview || signed !== null }
  if (!mayEnter(facts))
    throw new ServiceError(
      'forbidden',
      'This site requires its visitors to sign in. Send the visitor’s token as `visitorToken`.',
    )
  const claims = await claimsFor(app, site, signed ?? {}, unsigned)
  const conditions = new VisitorConditions(claims)
  const context = { ...facts, holds: conditions.holds }
  return { site, context, claims, conditions, view: visitorView(context, view) }
}

/** Returns the payload of a visitor's token. Null without one. Throws 403 with the reason. */
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
  if (claims === undefined) throw new ServiceError('forbidden', `The visitor token is invalid. ${fault}`)
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

/** Returns a site space that a visitor sees, by ID. Throws 404. */
export function siteSpaceFor({ view }: Visitor, id: string): ShownSiteSpace {
  const found = shownSiteSpaces(view).find(({ entry }) => entry.id === id)
  if (!found) throw notFound('The site space')
  return found
}
