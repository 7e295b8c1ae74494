/** Handles requests from readers: finds the site, admits the reader, and creates the output for the path. */
import type { App } from '../domain/context/app.js'
import { partsOf, previewAt, publishedSite, servedAt } from '../domain/sites/addresses.js'
import { isServedHost, type LocatedSite, locate } from '../domain/sites/locate.js'
import { openPreview } from '../domain/sites/preview.js'
import { PROVENANCE_KEYS, provenanceKey } from '../domain/sites/provenance.js'
import { shownSiteSpaces } from '../domain/sites/view.js'
import { findFile, isFilePath } from '../domain/sites/visitor-file.js'
import { findDestination } from '../domain/sites/visitor-paths.js'
import { organizations, sites } from '../model/index.js'
import { accessOutput, enter, isShared } from './access.js'
import type { SharedAssets } from './assets.js'
import { countsReaders } from './counting.js'
import { BUNDLE, bundleOutput } from './bundle/output.js'
import { HTML, JSON_TYPE, redirectTo, type SiteRequest, type SiteResponse, WatchedRequest } from './exchange.js'
import type { Prepared } from './prepared.js'
import { FEEDBACK, feedbackOutput } from './feedback-output.js'
import { llmsOutput } from './llms-output.js'
import { feedOutput } from './feed-output.js'
import { markdownOf, markdownOutput, servesAgents } from './markdown-output.js'
import { MCP, mcpOutput, signInFirst, type SiteMcp } from './mcp/output.js'
import { missingOutput } from './missing-output.js'
import { pageOutput } from './page-output.js'
import { pagePart } from './page-parts.js'
import { showsPast } from './page-record.js'
import { atTimeGate, pastOutput, pathInPast } from './past/output.js'
import { styleOf } from './look/site-style.js'
import { plainPage } from './plain-page.js'
import { SEARCH, searchOutput } from './search-output.js'
import { speculationRules } from './speculation.js'
import { robotOutput, robots } from './sitemap-output.js'
import { SUGGEST, suggestOutput } from './suggest/output.js'
import { openVisit, type Visit } from './visit.js'

/** The dependencies of a response besides the app and the request. */
export interface Surroundings extends Gate, Kept {
  mcp: SiteMcp
}

/** The dependencies of the gate. */
interface Gate {
  assets: SharedAssets
  now: Date
}

interface Kept {
  /** Returns a valid cached response for the same path and outcome. */
  kept(outcome: string): Prepared | null
}

/**
 * The response for an address at which nothing exists for the reader. All reasons have the same bytes. Robots get a
 * response at the root of every host, even without a site that they may enter.
 */
const missing = (request: SiteRequest, assets: SharedAssets): SiteResponse =>
  request.path === '/robots.txt'
    ? robots()
    : {
        status: 404,
        type: HTML,
        body: plainPage('missing', { locale: request.language(), assets }),
        audience: 'no one',
        headers: { 'X-Robots-Tag': 'noindex' },
      }

/** Responds to a proxy that asks whether to get a certificate for a host name: `/~host?domain=docs.example.org`. */
const HOST = '/~host'
const ASSET = /\/~assets\/([\w.-]+)$/
/** Paths that no page can have, and that a database cannot look up. */
const UNUSABLE = /[\\\0]|%00|%5c/i
const MAX_PATH = 4_096
/** A path with a file extension has one format, whatever the client prefers. */
const EXTENSION = /\.[a-z\d]{1,8}$/i
/** The address of the MCP server, or that of a share link with it. */
const DIRECT = /^(?:\/~share\/([^/]+))?\/~mcp$/
const PREVIEW = /^\/~preview\/([^/]+)(?:\/~changes\/([^/]+))?(\/~look)?(\/.*)?$/

/** Returns the audience of a shared file: no one if its address contains the token of a preview. */
const ofPath = (path: string): Pick<SiteResponse, 'audience' | 'outcome'> =>
  path.includes('/~preview/') ? { audience: 'no one' } : { audience: 'immutable', outcome: '' }

/** Handles one request. */
export async function handle(app: App, request: SiteRequest, around: Surroundings): Promise<SiteResponse | Prepared> {
  const { assets } = around
  const nothing = (): SiteResponse => missing(request, assets)
  if (request.path === HOST) return knowsHost(app, request.query.get('domain') ?? '')
  if (request.path === PROVENANCE_KEYS) return provenanceKeys(app)
  const name = ASSET.exec(request.path)?.[1]
  const shared = name === undefined ? undefined : assets.find(name)
  if (shared) return { status: 200, type: shared.type, body: shared.body, ...ofPath(request.path) }
  if (request.path.length > MAX_PATH || UNUSABLE.test(request.path)) return nothing()
  const found = await locate(app, request.hostname, request.path)
  if (!found) return nothing()
  if (!('site' in found)) return (await organizationRoot(app, found.organization.id)) ?? nothing()
  const direct = request.method === 'POST' ? DIRECT.exec(found.path) : null
  const located = direct ? { ...found, path: MCP } : found
  const preview = PREVIEW.exec(located.path)
  if (preview) return inPreview(app, located, request, preview, around)
  const admitted = await admit(app, located, request, direct ? { ...around, shareKey: direct[1] ?? '' } : around)
  if (!admitted) return nothing()
  if (!('visit' in admitted)) return admitted
  const { visit, inside, isOwnHost } = admitted
  const { since } = request
  const mayBeKept = isOwnHost && request.datetime === ''
  // Without a point in time, the cached response for everyone was looked up before.
  const kept = mayBeKept && (since !== null || visit.outcome !== '') ? around.kept(visit.outcome) : null
  if (kept) return kept
  const response = await inSite(visit, located.path, around)
  const isSame = mayBeKept && !inside.isRead && (response.isKept ?? since === null)
  return isSame && !response.file && !response.stream && response.status < 400
    ? { ...response, outcome: visit.outcome }
    : response
}

/**
 * Returns the cached response for a reader of a site that differs from reader to reader. Null if there is none, or
 * `handle` must decide.
 */
export async function findKept(app: App, request: SiteRequest, around: Gate & Kept): Promise<Prepared | null> {
  const found = await locate(app, request.hostname, request.path)
  if (!found || !('site' in found) || isShared(found.site) || PREVIEW.test(found.path)) return null
  const admitted = await admit(app, found, request, around)
  return admitted && 'visit' in admitted && admitted.isOwnHost ? around.kept(admitted.visit.outcome) : null
}

/** A reader whom the gate has admitted to a site. */
interface Admitted {
  visit: Visit
  /** Records whether the output reads more of the request than its path. */
  inside: WatchedRequest
  /** Whether the address has the host name of the site. Others would fill the cache with copies. */
  isOwnHost: boolean
}

/** Admits the reader of a request to a site, or returns the response for them. Null if nothing exists for them. */
async function admit(
  app: App,
  located: LocatedSite,
  request: SiteRequest,
  { assets, now, shareKey }: Gate & { shareKey?: string },
): Promise<Admitted | SiteResponse | null> {
  const { organization, site } = located
  const owner = { app, organization, site }
  const address = publishedSite(owner)
  if (address === undefined) return null
  const { protocol, pathname } = partsOf(address)
  const base = site.proxy === undefined ? located.base : pathname.replace(/\/$/, '')
  const arrival = { app, located, request, base, scope: { base, isSecure: protocol === 'https:' }, assets, now }
  const access = await accessOutput(arrival)
  if (access !== undefined) return access
  const visitor = await enter(shareKey === undefined ? arrival : { ...arrival, direct: { shareKey } })
  if (!visitor) return null
  if ('status' in visitor) return shareKey === undefined ? visitor : signInFirst()
  const inside = new WatchedRequest(request)
  const isOwnHost = partsOf(servedAt(owner)).hostname === request.hostname
  return { visit: openVisit({ app, request: inside, base, address, visitor }), inside, isOwnHost }
}

/** Creates the output for a path below the address of a site. */
async function inSite(visit: Visit, path: string, { assets, mcp, now }: Surroundings): Promise<SiteResponse> {
  const { app, visitor, base, audience } = visit
  // A site without visible content looks like a missing site.
  if (shownSiteSpaces(visitor.view).length === 0) return missing(visit.request, assets)
  const response = await outputAt(visit, path, assets)
  if (countsReaders(visit) && !response.counted) Object.assign(response, countedAt(visit, path, response))
  const isListed = visit.isIndexed || response.audience === 'immutable'
  return isListed ? response : { ...response, headers: { 'X-Robots-Tag': 'noindex', ...response.headers } }

  async function outputAt(visit: Visit, path: string, assets: SharedAssets): Promise<SiteResponse> {
    const past = showsPast(visit) ? pathInPast(path) : null
    const nothing = async () => (await missingOutput(visit, past ?? path, assets)) ?? missing(visit.request, assets)
    if (past !== null) return (await pastOutput(visit, path, { assets, now })) ?? nothing()
    const name = ASSET.exec(path)?.[1]
    const rules = name === undefined ? null : speculationRules(visit)
    if (rules && rules.name === name) return { status: 200, ...rules, audience: 'immutable' }
    if (name !== undefined) return sheetOutput(visit, name, assets)
    if (isFilePath(path)) {
      const file = await findFile(app, visitor, path)
      return file ? { status: 200, type: '', body: '', audience, file } : nothing()
    }
    if (path === SEARCH) return (await searchOutput(visit, visit.request, assets)) ?? nothing()
    if (path === FEEDBACK && !visit.preview) return (await feedbackOutput(visit, visit.request, assets)) ?? nothing()
    if (path === SUGGEST) return (await suggestOutput(visit, visit.request, assets)) ?? nothing()
    if (path === BUNDLE) return (await bundleOutput(visit, assets)) ?? nothing()
    if (path === MCP) return (await mcpOutput(visit, visit.request, mcp)) ?? nothing()
    const part = /\/~(?:nav|pdf|card|\/provenance)\//.test(path) ? await pagePart(visit, path, assets) : null
    if (part) return part
    const known = (await robotOutput(visit, path)) ?? (await llmsOutput(visit, path)) ?? (await feedOutput(visit, path))
    if (known) return known
    const found = await findDestination(app, visitor, path)
    if (!found) return (await markdownOutput(visit, path)) ?? nothing()
    if (found.kind === 'redirect')
      return redirectTo(found.to.startsWith('/') || found.to === '' ? base + found.to || '/' : found.to, audience)
    const isMarkdown = visit.request.prefersMarkdown && servesAgents(visit) && !EXTENSION.test(path)
    const current = () => (isMarkdown ? markdownOf(visit, found) : pageOutput(visit, found, assets))
    return (await atTimeGate(visit, found, { assets, now }, current)) ?? nothing()
  }
}

/** Returns what a missing or old address counts as. Paths with `~` are no addresses of pages. */
function countedAt({ visitor }: Visit, path: string, { status }: SiteResponse): Pick<SiteResponse, 'counted'> {
  const site = visitor.site.doc.id
  if (path.includes('/~') || EXTENSION.test(path)) return {}
  if (status === 404) return { counted: { site, missing: path } }
  return status === 301 ? { counted: { site, redirected: path } } : {}
}

/**
 * Returns a style sheet of the site: each space may have a different customization. The address of an earlier style
 * sheet returns the current one.
 */
async function sheetOutput(visit: Visit, name: string, assets: SharedAssets): Promise<SiteResponse> {
  for (const id of [undefined, ...shownSiteSpaces(visit.visitor.view).map(({ entry }) => entry.id)]) {
    const { sheet } = await styleOf(assets, await visit.look(id))
    if (sheet.name === name) return { status: 200, type: sheet.type, body: sheet.body, audience: 'immutable' }
  }
  if (!/^site-\w+\.css$/.test(name)) return missing(visit.request, assets)
  const { sheet } = await styleOf(assets, await visit.look())
  return { status: 200, type: sheet.type, body: sheet.body, audience: visit.audience }
}

/** Handles an address of a preview. */
async function inPreview(
  app: App,
  located: LocatedSite,
  request: SiteRequest,
  [, token = '', changeRequest, draft = '', path = '/']: RegExpExecArray,
  around: Surroundings,
): Promise<SiteResponse> {
  const opened = await openPreview(app, located, token, { changeRequest, hasDraftLook: draft !== '' })
  if (!opened) return missing(request, around.assets)
  const { visitor, ...preview } = opened
  const at = previewAt({ app, organization: located.organization, site: located.site }, token)
  const below = `${changeRequest === undefined ? '' : `/~changes/${changeRequest}`}${draft}`
  const address = `${at}${below}`
  const base = `${located.base}/~preview/${token}${below}`
  const visit = openVisit({ app, request, base, address, visitor, preview })
  // The app shows previews in a frame.
  const framedBy = new URL(app.settings.publicUrl).origin
  return { ...(await inSite(visit, path, around)), audience: 'no one', framedBy }
}

async function knowsHost(app: App, hostname: string): Promise<SiteResponse> {
  const status = (await isServedHost(app, hostname.toLowerCase())) ? 200 : 404
  return { status, type: 'text/plain; charset=utf-8', body: '', audience: 'private' }
}

/** Returns the public keys of signed statements. They are the same for every host name, and no secret. */
const provenanceKeys = (app: App): SiteResponse => ({
  status: 200,
  type: JSON_TYPE,
  body: JSON.stringify(provenanceKey(app).published),
  audience: 'public',
})

/** Redirects from the root of an organization to its default site. Null without one, or if only a share link opens it. */
async function organizationRoot(app: App, id: string): Promise<SiteResponse | null> {
  const organization = await app.store.get(organizations, id)
  const site = organization?.defaultContent && (await app.store.get(sites, organization.defaultContent.site))
  const isOpen = site && site.visibility !== 'share-link'
  const address = organization && isOpen ? publishedSite({ app, organization, site }) : undefined
  return address === undefined ? null : redirectTo(address, 'public', 302)
}
