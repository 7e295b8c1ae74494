/** Admits readers to a site by their cookies, and sets these cookies: share keys, tokens of visitors, and claims. */
import { bearer, MAX_VISITOR_TOKEN } from '../auth/index.js'
import type { App } from '../domain/context/app.js'
import type { LoadedSite } from '../domain/context/loaded.js'
import { getAdaptiveSchema } from '../domain/sites/adaptive-schema.js'
import type { LocatedSite } from '../domain/sites/locate.js'
import { getCustomization } from '../domain/sites/customization.js'
import { getPublishingAuth } from '../domain/sites/publishing-auth.js'
import { validShareKey } from '../domain/sites/share-links.js'
import { openToReader, signedClaims, type Visitor, type VisitorCredentials } from '../domain/sites/visitor.js'
import { claimsOf } from '../domain/sites/visitor-claims.js'
import { defined } from '../kernel/defined.js'
import { ServiceError } from '../kernel/errors.js'
import type { SiteDoc } from '../model/index.js'
import type { SharedAssets } from './assets.js'
import { COOKIES, type CookieScope, longCookie, setCookie, setLongCookie } from './cookies.js'
import { HTML, redirectTo, type SiteRequest, type SiteResponse } from './exchange.js'
import { languageTag } from './words/index.js'
import { plainPage, type PlainPage } from './plain-page.js'

const MAX_CLAIMS = 2_048
/** Query parameter with a visitor token, which the team's sign-in adds. */
const TOKEN = 'jwt_token'
/** Header with a share key, for programs. */
const SHARE_KEY = 'X-Share-Key'
/** Query parameters `visitor.<claim>` state claims of the browser. */
const CLAIM = 'visitor.'

/** A request to a site, and the site's address for readers. */
export interface Arrival {
  app: App
  located: LocatedSite
  request: SiteRequest
  /** The path of the site in links, without a trailing slash. */
  base: string
  scope: CookieScope
  /** The time at which tokens must be valid. It is not recorded, because each request checks its token. */
  now: Date
  assets: SharedAssets
  /**
   * Set for requests from programs without cookies: the credentials in the address apply only to this request.
   * `shareKey` is the key in the address; '' = none.
   */
  direct?: { shareKey: string }
}

/** Whether a site is the same for all readers. */
export const isShared = ({ visibility, adaptiveContent }: SiteDoc): boolean =>
  (visibility === 'public' || visibility === 'unlisted') && !adaptiveContent.enabled

/** Whether visitor tokens have any effect on a site. */
const usesTokens = ({ visibility, adaptiveContent }: SiteDoc): boolean =>
  visibility === 'visitor-auth' || adaptiveContent.enabled

const loadedSite = ({ site }: LocatedSite): LoadedSite => ({ doc: site, role: 'read' })

/** Admits the reader of a request, or returns the response for them. Null if nothing exists for them. */
export async function enter(arrival: Arrival): Promise<Visitor | SiteResponse | null> {
  const { app, located, request, now, direct } = arrival
  const { site } = located
  if (isShared(site)) return admitted(() => openToReader(app, located, {}, now))
  // Without its key, a site looks like a missing one, whatever the address contains.
  if (site.visibility === 'share-link' && !(await hasKey(arrival))) return null
  if (!direct && usesTokens(site) && request.query.has(TOKEN)) return takeToken(arrival)
  if (!direct && site.adaptiveContent.enabled && [...request.query.keys()].some((name) => name.startsWith(CLAIM)))
    return takeClaims(arrival)
  const credentials = credentialsOf(arrival)
  const visitor = await admitted(() => openToReader(app, located, credentials, now))
  if (visitor) return visitor
  if (site.visibility === 'visitor-auth') return signIn(arrival, pathOf(arrival))
  // A token that has expired gives no claims, but the site is open to everyone.
  const { visitorToken: _token, ...others } = credentials
  return admitted(() => openToReader(app, located, others, now))
}

const hasKey = async (arrival: Arrival): Promise<boolean> =>
  (await validShareKey(arrival.app.store, arrival.located.site, credentialsOf(arrival).shareKey)) !== undefined

/** Returns the result; null for a reader who is not admitted. */
async function admitted(open: () => Promise<Visitor>): Promise<Visitor | null> {
  try {
    return await open()
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'not-found' || error.code === 'forbidden')) return null
    throw error
  }
}

/** Returns the credentials of a request: programs send them as headers, browsers as cookies. */
function credentialsOf({ located: { site }, request, direct }: Arrival): VisitorCredentials {
  const shareKey =
    site.visibility === 'share-link'
      ? direct?.shareKey || request.header(SHARE_KEY) || request.cookie(COOKIES.share)
      : ''
  const inAddress = direct ? request.query.get(TOKEN) : null
  const visitorToken = usesTokens(site)
    ? (inAddress ?? visitorTokenOf(request) ?? longCookie(request, COOKIES.visitor))
    : ''
  const unsigned = site.adaptiveContent.enabled ? storedClaims(request.cookie(COOKIES.claims)) : null
  return defined({
    shareKey: shareKey || undefined,
    visitorToken: visitorToken || undefined,
    unsignedClaims: unsigned === null ? undefined : JSON.stringify(unsigned),
  })
}

const JWT = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i

/** Returns the visitor token in the header `Authorization`; null = none. */
function visitorTokenOf(request: SiteRequest): string | null {
  const text = request.header('Authorization')
  return text.length > MAX_VISITOR_TOKEN + 20 ? null : (JWT.exec(text)?.[1] ?? null)
}

/**
 * Returns the token of a member in the header `Authorization`; null = none. Its format differs from that of a visitor
 * token.
 */
export const memberTokenOf = (request: SiteRequest): string | null =>
  visitorTokenOf(request) === null ? bearer(request.header('Authorization')) : null

/** Parses the cookie with claims. Null if it is absent or not ours. */
function storedClaims(text: string): Record<string, unknown> | null {
  if (text === '' || text.length > MAX_CLAIMS) return null
  try {
    const value: unknown = JSON.parse(decodeURIComponent(text))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

/** Returns the address of the request without some of its query parameters. */
function pathOf({ located, request }: Arrival, without: (name: string) => boolean = () => false): string {
  const query = new URLSearchParams([...request.query].filter(([name]) => !without(name)))
  return located.path.replace(/^\/+/, '/') + (query.size > 0 ? `?${query}` : '')
}

const within = ({ base }: Arrival, path: string): string => (path === '/' ? base || '/' : base + path)

/** Moves the token from the address into a cookie, so that histories and logs do not contain it. */
async function takeToken(arrival: Arrival): Promise<SiteResponse> {
  const { app, located, request, scope, now } = arrival
  const token = request.query.get(TOKEN) ?? ''
  const to = within(
    arrival,
    pathOf(arrival, (name) => name === TOKEN),
  )
  try {
    if (token.length > MAX_VISITOR_TOKEN) throw new ServiceError('forbidden', 'The visitor token is too long.')
    const claims = await signedClaims(app, loadedSite(located), token, now)
    const seconds = Number(claims['exp']) - now.getTime() / 1000
    return redirectTo(to, 'no one', 303, setLongCookie(scope, COOKIES.visitor, token, Math.max(60, seconds)))
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'forbidden') throw error
    if (located.site.visibility !== 'visitor-auth') return redirectTo(to, 'no one', 303)
    // Another sign-in would fail in the same way.
    app.log.warn({ site: located.site.id, reason: error.message }, 'A visitor could not be signed in to a site.')
    return signInPage(arrival, 403, 'notSignedIn')
  }
}

/** Moves the claims from the address into a cookie. Claims that the schema does not declare are dropped. */
async function takeClaims(arrival: Arrival): Promise<SiteResponse> {
  const { app, located, request, scope } = arrival
  const stated = [...request.query]
    .filter(([name, value]) => name.startsWith(CLAIM) && (value === 'true' || value === 'false'))
    .map(([name, value]) => [name.slice(CLAIM.length), value === 'true'] as const)
  const all = { ...storedClaims(request.cookie(COOKIES.claims)), ...Object.fromEntries(stated) }
  const { jsonSchema } = await getAdaptiveSchema(app, loadedSite(located))
  const text = encodeURIComponent(JSON.stringify(claimsOf(jsonSchema, {}, all).unsigned))
  const to = within(
    arrival,
    pathOf(arrival, (name) => name.startsWith(CLAIM)),
  )
  return redirectTo(to, 'no one', 303, text.length > MAX_CLAIMS ? [] : [setCookie(scope, COOKIES.claims, text)])
}

/** Redirects to the team's sign-in, with the path to return to. Null if the site has none. */
async function signIn({ app, located }: Arrival, location: string): Promise<SiteResponse | null> {
  const { fallbackURL } = await getPublishingAuth(app, loadedSite(located))
  const url = fallbackURL !== undefined && URL.canParse(fallbackURL) ? new URL(fallbackURL) : null
  if (!url || !/^https?:$/.test(url.protocol)) return null
  url.searchParams.set('location', location)
  return redirectTo(url.href, 'no one', 302)
}

const SHARE = /^\/~share\/([^/]+)(\/.*)?$/
const AUTH = /^\/~auth\/(login|logout)\/?$/

/**
 * Responds at the addresses of share links, sign-in and sign-out. Undefined for other addresses, null for a missing
 * page.
 */
export async function accessOutput(arrival: Arrival): Promise<SiteResponse | null | undefined> {
  const { path } = arrival.located
  const share = SHARE.exec(path)
  if (share) return shareLink(arrival, share[1] ?? '', share[2] ?? '/')
  const auth = AUTH.exec(path)?.[1]
  if (auth === undefined) return undefined
  if (arrival.located.site.visibility !== 'visitor-auth') return null
  return auth === 'login' ? login(arrival) : logout(arrival)
}

async function shareLink(arrival: Arrival, key: string, path: string): Promise<SiteResponse | null> {
  const { app, located, scope } = arrival
  const to = within(arrival, path.replace(/^\/+/, '/'))
  if (located.site.visibility !== 'share-link') return isShared(located.site) ? redirectTo(to, 'no one', 303) : null
  if ((await validShareKey(app.store, located.site, key)) === undefined) return null
  return redirectTo(to, 'no one', 303, [setCookie(scope, COOKIES.share, key, Number.POSITIVE_INFINITY)])
}

function login(arrival: Arrival): Promise<SiteResponse | null> {
  const asked = arrival.request.query.get('location') ?? '/'
  return signIn(arrival, /^\/(?![/\\])/.test(asked) ? asked : '/')
}

/** Removes the cookies. It shows a page, because the site itself would sign the visitor in again. */
const logout = async (arrival: Arrival): Promise<SiteResponse> => ({
  ...(await signInPage(arrival, 200, 'signedOut')),
  cookies: [...setLongCookie(arrival.scope, COOKIES.visitor, '', 0), setCookie(arrival.scope, COOKIES.claims, '', 0)],
})

/** Returns a page with a link to the sign-in, in the language of the site. */
async function signInPage(arrival: Arrival, status: number, name: PlainPage): Promise<SiteResponse> {
  const { app, located, assets, base } = arrival
  const { internationalization } = await getCustomization(app.store, located.site)
  const plain = { locale: languageTag(internationalization.locale), assets }
  return { status, type: HTML, body: plainPage(name, plain, { href: `${base}/~auth/login` }), audience: 'no one' }
}
