/** The entry point for visitors: validates a visitor's credentials and computes their view of a site. */
import { gateFor, mayEnter, type VisitorContext, type VisitorPage } from '../../access/index.js'
import { verifyVisitorToken } from '../../auth/index.js'
import { notFound, ServiceError } from '../../kernel/errors.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization, LoadedSite } from '../context/loaded.js'
import { getAdaptiveSchema } from './adaptive-schema.js'
import { getPublishingAuth, validVisitorKeys } from './publishing-auth.js'
import {
  isGroup,
  isSection,
  type ShownItem,
  type ShownSiteSpace,
  shownSiteSpaces,
  type SiteView,
  viewSite,
} from './view.js'
import { claimsOf, noClaims, readUnsigned, type VisitorClaims } from './visitor-claims.js'
import { checkCondition } from '../../content/conditions/check.js'
import { evaluateCondition } from '../../content/conditions/evaluate.js'
import { Slices } from '../../kernel/slices.js'
import { defined } from '../../kernel/defined.js'

/** The fields of a structure entry that decide who sees it. */
interface Gated {
  id: string
  condition?: string
  draft?: boolean
  hidden?: boolean
}

/** Describes a part of a site for the visitor gate. `hidden` means that the space of the entry is deleted. */
const partOf = ({ condition, draft, hidden }: Gated, within?: VisitorPage): VisitorPage => ({
  ...(within ? { within } : {}),
  ...defined({ condition }),
  ...(draft ? { draft } : {}),
  ...(hidden ? { gone: true } : {}),
})

/** Returns a visitor's view of a site, without items that become empty. */
function visitorView(context: VisitorContext, view: SiteView): SiteView {
  const sees = gateFor(context)
  const entriesIn = (entries: readonly ShownSiteSpace[], within?: VisitorPage): ShownSiteSpace[] =>
    entries.filter(({ entry }) => sees(partOf(entry, within), 'list'))
  const itemIn = (item: ShownItem, within?: VisitorPage): ShownItem[] => {
    const part = partOf(item.entry, within)
    if (!sees(part, 'list')) return []
    if (isGroup(item)) {
      const children = item.children.flatMap((child) => itemIn(child, part))
      return children.length > 0 ? [{ ...item, children }] : []
    }
    if (!isSection(item)) return [item]
    const siteSpaces = entriesIn(item.siteSpaces, part)
    return siteSpaces.length > 0 ? [{ ...item, siteSpaces }] : []
  }
  return { ...view, siteSpaces: entriesIn(view.siteSpaces), items: view.items.flatMap((item) => itemIn(item)) }
}

/** Evaluates each condition once. A condition that is invalid or fails is false. */
class VisitorConditions {
  // bound: the different conditions in one response, of at most 1,024 characters
  readonly #results = new Map<string, boolean>()

  constructor(private readonly claims: VisitorClaims) {}

  readonly holds = (condition: string): boolean => {
    const known = this.#results.get(condition)
    if (known !== undefined) return known
    const result = this.#evaluate(condition)
    this.#results.set(condition, result)
    return result
  }

  #evaluate(condition: string): boolean {
    try {
      checkCondition(condition)
      return evaluateCondition(condition, { visitor: { claims: this.claims } })
    } catch {
      // If the condition cannot be evaluated, no one sees the content.
      return false
    }
  }

  /** Evaluates many conditions in slices, so that later look-ups are cheap. */
  async prepare(conditions: Iterable<string | undefined>): Promise<void> {
    const slices = new Slices()
    for (const condition of conditions) {
      if (condition !== undefined) this.holds(condition)
      if (slices.due) await slices.rest()
    }
  }
}

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
  const shareKey = isPreview || view.address.shareKey !== undefined
  if (doc.visibility === 'share-link' && !shareKey) throw notFound('The share link')
  const signed = await signedClaims(app, site, credentials.visitorToken)
  const facts = { published: doc.published, visibility: doc.visibility, shareKey, token: isPreview || signed !== null }
  if (!mayEnter(facts))
    throw new ServiceError(
      'forbidden',
      'This site requires its visitors to sign in. Send the visitor’s token as `visitorToken`.',
    )
  const conditions = new VisitorConditions(await claimsFor(app, site, signed ?? {}, unsigned))
  const context = { ...facts, holds: conditions.holds }
  return { site, context, conditions, view: visitorView(context, view) }
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
