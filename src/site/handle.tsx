/** Answers the requests of readers: finds the site, opens it for the reader, and makes the output that the path names. */
import { organizations, sites } from '../model/index.js'
import { publishedSite } from '../domain/sites/addresses.js'
import type { App } from '../domain/context/app.js'
import { type LocatedSite, locate } from '../domain/sites/locate.js'
import { findDestination } from '../domain/sites/visitor-paths.js'
import { ServiceError } from '../kernel/errors.js'
import type { SharedAssets } from './assets.js'
import { HTML, redirectTo, type SiteRequest, type SiteResponse } from './exchange.js'
import { FEEDBACK, feedbackOutput } from './feedback-output.js'
import { styleOf } from './look/site-style.js'
import { markdownOutput } from './markdown-output.js'
import { missingOutput } from './missing-output.js'
import { pageOutput } from './page-output.js'
import { pagePart } from './page-parts.js'
import { SEARCH, searchOutput } from './search-output.js'
import { openVisit, type Visit } from './visit.js'

/** The response to an address at which a reader finds nothing. All reasons have the same bytes. */
export const missing = (): SiteResponse => ({
  status: 404,
  type: HTML,
  body: '<!doctype html><html lang="en"><meta charset="utf-8"><title>Page not found</title><h1>Page not found</h1>',
  audience: 'private',
})

const ASSET = /\/~assets\/([\w.-]+)$/

/** Answers one request. */
export async function handle(app: App, request: SiteRequest, assets: SharedAssets): Promise<SiteResponse> {
  const name = ASSET.exec(request.path)?.[1]
  const shared = name === undefined ? undefined : assets.find(name)
  if (shared) return { status: 200, type: shared.type, body: shared.body, audience: 'immutable' }
  const located = await locate(app, request.hostname, request.path)
  if (!located) return missing()
  if (!('site' in located)) return organizationRoot(app, located.organization.id)
  const address = publishedSite({ app, organization: located.organization, site: located.site })
  if (address === undefined) return missing()
  const visit = await openVisit(app, located, request, address).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status < 500) return null
    throw error
  })
  return visit ? inSite(visit, located, request, assets, name) : missing()
}

async function inSite(
  visit: Visit,
  located: LocatedSite,
  request: SiteRequest,
  assets: SharedAssets,
  asset: string | undefined,
): Promise<SiteResponse> {
  const { app, visitor, base } = visit
  if (asset !== undefined) {
    const { sheet } = await styleOf(assets, await visit.look())
    return { status: 200, type: sheet.type, body: sheet.body, audience: asset === sheet.name ? 'immutable' : 'public' }
  }
  if (located.path === SEARCH) return (await searchOutput(visit, request, assets)) ?? missing()
  if (located.path === FEEDBACK)
    return (
      (await feedbackOutput(visit, request, assets)) ?? (await missingOutput(visit, located.path, assets)) ?? missing()
    )
  const part = /\/~(?:nav|pdf)\//.test(located.path) ? await pagePart(visit, located.path) : null
  if (part) return part
  const found = await findDestination(app, visitor, located.path)
  if (!found)
    return (
      (await markdownOutput(visit, located.path)) ?? (await missingOutput(visit, located.path, assets)) ?? missing()
    )
  if (found.kind === 'redirect')
    return redirectTo(found.to.startsWith('/') || found.to === '' ? base + found.to || '/' : found.to, visit.audience)
  return pageOutput(visit, found, assets)
}

/** Redirects from the root of an organization to its default site. */
async function organizationRoot(app: App, id: string): Promise<SiteResponse> {
  const organization = await app.store.get(organizations, id)
  const site = organization?.defaultContent && (await app.store.get(sites, organization.defaultContent.site))
  const address = organization && site ? publishedSite({ app, organization, site }) : undefined
  return address === undefined ? missing() : redirectTo(address, 'public', 302)
}
