/** The entry point for visitors: validates a visitor's credentials and computes their view of a site. */
import { mayEnter, type VisitorContext } from '../../access/index.js'
import { verifyVisitorToken } from '../../auth/index.js'
import { notFound, ServiceError } from '../../kernel/errors.js'
import { type BundleOrder, type OrganizationDoc, organizations, type SiteDoc, sites } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization, LoadedSite, LoadedSpace } from '../context/loaded.js'
import type { OpenRevision } from '../revisions/revisions.js'
import { getAdaptiveSchema } from './adaptive-schema.js'
import { getPublishingAuth, validVisitorKeys } from './publishing-auth.js'
import {
  type ShownSiteSpace,
  type SiteView,
  shownSiteSpaces,
  viewForAudience,
  viewForUser,
  viewOfSpaces,
  viewSite,
} from './view.js'
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
  /** Whether they see only listed pages, because the output can be passed on. Absent = also hidden pages. */
  listsOnly?: true
  /** Returns the revision that they see of a space; absent = the newest one of main. Only previews have it. */
  revisionOf?(space: LoadedSpace): Promise<OpenRevision> | undefined
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
  return admit(app, site, { view, unsigned, visitorToken: credentials.visitorToken, now: null, isPreview })
}

/** A site and its organization, without the role of a caller. */
interface OwnedSite {
  organization: Document<OrganizationDoc>
  site: Document<SiteDoc>
}

/**
 * Admits a reader to a published site. They see everything that the gate shows to a visitor with these credentials.
 * Throws like `openToVisitor`.
 * @param now the time at which the token must be valid; it is not recorded, since each request checks the token
 */
export async function openToReader(
  app: App,
  { organization, site }: OwnedSite,
  credentials: VisitorCredentials,
  now: Date,
): Promise<Visitor> {
  if (!site.published) throw notFound('The published site')
  const unsigned = readUnsigned(credentials.unsignedClaims)
  const view = await viewForAudience(app, { organization, site }, credentials.shareKey)
  const { visitorToken } = credentials
  const visitor = await admit(app, { doc: site, role: 'read' }, { view, unsigned, visitorToken, now, isPreview: false })
  return withoutKey(visitor)
}

/** Removes the share key from the addresses, so that no page contains it: readers with other keys get the same page. */
const withoutKey = (visitor: Visitor): Visitor => {
  const { shareKey: _key, ...address } = visitor.view.address
  return { ...visitor, view: { ...visitor.view, address } }
}

/**
 * Admits a user to the preview of a site, which need not be published. They see what a visitor with a key, a token and
 * these claims would see of the spaces that they may see themselves.
 */
export async function openToPreviewer(
  app: App,
  { organization, site }: OwnedSite,
  user: string,
  { signed, unsigned }: { signed: ClaimValues; unsigned: ClaimValues } = { signed: {}, unsigned: {} },
): Promise<Visitor> {
  const view = await viewForUser(app, user, { organization, site })
  const shown: LoadedSite = { doc: { ...site, published: true }, role: 'read' }
  return admit(app, shown, { view, unsigned, signed, visitorToken: undefined, now: null, isPreview: true })
}

/**
 * Opens a published site for a visitor who was admitted before, without hidden pages. Null if it is no longer published.
 */
export async function openForBundle(app: App, { site: id, claims, spaces }: BundleOrder): Promise<Visitor | null> {
  const site = await app.store.get(sites, id)
  const organization = site?.published ? await app.store.get(organizations, site.organization) : null
  if (!site || !organization) return null
  const view = await viewOfSpaces(app, { organization, site }, new Set(spaces))
  const conditions = new VisitorConditions(claims)
  const { visibility } = site
  const context = { published: true, visibility, shareKey: true, token: true, holds: conditions.holds }
  const shown: LoadedSite = { doc: site, role: 'read' }
  return { site: shown, context, claims, conditions, view: visitorView(context, view), listsOnly: true }
}

type ClaimValues = Readonly<Record<string, unknown>>

interface Admission {
  view: SiteView
  unsigned: ClaimValues
  /** Claims that a preview states in place of a token. */
  signed?: ClaimValues
  visitorToken: string | undefined
  /** The time at which the token must be valid; null = now. */
  now: Date | null
  isPreview: boolean
}

async function admit(app: App, site: LoadedSite, given: Admission): Promise<Visitor> {
  const { view, unsigned, visitorToken, now, isPreview } = given
  const { doc } = site
  const shareKey = isPreview || view.address.shareKey !== undefined
  if (doc.visibility === 'share-link' && !shareKey) throw notFound('The share link')
  const signed = visitorToken === undefined ? null : await signedClaims(app, site, visitorToken, now ?? app.clock.now())
  const facts = { published: doc.published, visibility: doc.visibility, shareKey, token: isPreview || signed !== null }
  if (!mayEnter(facts))
    throw new ServiceError(
      'forbidden',
      'This site requires its visitors to sign in. Send the visitor’s token as `visitorToken`.',
    )
  const claims = await claimsFor(app, site, signed ?? given.signed ?? {}, unsigned)
  const conditions = new VisitorConditions(claims)
  const context = { ...facts, holds: conditions.holds }
  return { site, context, claims, conditions, view: visitorView(context, view) }
}

/** Returns the payload of a visitor's token. Throws 403 with the reason if it is not valid. */
export async function signedClaims(
  app: App,
  site: LoadedSite,
  token: string,
  now: Date,
): Promise<Readonly<Record<string, unknown>>> {
  const auth = await getPublishingAuth(app, site)
  const { audience, issuer } = auth
  const { claims, fault } = await verifyVisitorToken(token, {
    keys: validVisitorKeys(app, auth),
    now,
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
