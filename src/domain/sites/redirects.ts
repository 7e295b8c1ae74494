import { isSitePath } from '../../content/href.js'
import { normalizePath, SitePathError } from '../../content/site-path.js'
import { badRequest, conflict, notFound } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import { type Page, type PageQuery, pageOf } from '../../kernel/paging.js'
import { type CreateSiteRedirect, redirectKey, type SiteDestination, type SiteRedirectDoc, siteRedirects, type UpdateSiteRedirect } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSite } from '../context/loaded.js'
import { changeBelongings } from './belongings.js'
import { checkOnSite, checkReachable } from './destinations.js'

/** Larger moves are the business of a proxy. */
const MAX_REDIRECTS = 5000

/** A redirect of the site by its ID, or null. */
export async function findRedirect(app: App, site: LoadedSite, id: string): Promise<Document<SiteRedirectDoc> | null> {
  const redirect = await app.store.get(siteRedirects, id)
  return redirect?.site === site.doc.id ? redirect : null
}

/** A page of the redirects of a site, in the order in which they were made. */
export const listRedirects = (app: App, site: LoadedSite, query: PageQuery): Promise<Page<Document<SiteRedirectDoc>>> =>
  pageOf(app.store, siteRedirects, 'createdAt', site.doc.id, query)

/**
 * A new redirect. Throws 400 for a source that is no path or a destination that leads nowhere, 409 where the source has
 * one already, where it would lead in a circle, or where the site has as many as it can have.
 */
export async function createRedirect(app: App, actor: Actor, site: LoadedSite, input: CreateSiteRedirect): Promise<Document<SiteRedirectDoc>> {
  const source = sourceOf(input.source)
  const given = [{ to: input.destination, path: '/destination' }]
  await checkReachable(app, actor, given)
  const now = app.clock.now().toISOString()
  const draft: SiteRedirectDoc = { id: newId(), site: site.doc.id, source, destination: input.destination, createdAt: now, updatedAt: now }
  return changeBelongings(app, actor, site, 'redirects', async (tx, stored) => {
    checkOnSite(stored, given)
    if ((await tx.count(siteRedirects, 'site', stored.id)) >= MAX_REDIRECTS) throw conflict(`A site has at most ${MAX_REDIRECTS} redirects: delete some.`)
    await checkPlace(tx, draft)
    return tx.insert(siteRedirects, draft)
  })
}

/** Changes what is given. Throws like `createRedirect`, and 404 where the redirect went meanwhile. */
export async function updateRedirect(
  app: App,
  actor: Actor,
  site: LoadedSite,
  redirect: SiteRedirectDoc,
  input: UpdateSiteRedirect,
): Promise<Document<SiteRedirectDoc>> {
  const source = input.source === undefined ? undefined : sourceOf(input.source)
  const given = input.destination === undefined ? [] : [{ to: input.destination, path: '/destination' }]
  await checkReachable(app, actor, given)
  return changeBelongings(app, actor, site, 'redirects', async (tx, now) => {
    checkOnSite(now, given)
    const stored = await tx.get(siteRedirects, redirect.id)
    if (!stored) throw notFound('The redirect')
    const next = { ...stored, source: source ?? stored.source, destination: input.destination ?? stored.destination, updatedAt: app.clock.now().toISOString() }
    await checkPlace(tx, next)
    return tx.replace(siteRedirects, next)
  })
}

/** Removes a redirect. */
export async function deleteRedirect(app: App, actor: Actor, site: LoadedSite, redirect: SiteRedirectDoc): Promise<void> {
  await changeBelongings(app, actor, site, 'redirects', async (tx) => (await tx.remove(siteRedirects, redirect.id)) || null)
}

function sourceOf(path: string): string {
  try {
    const source = normalizePath(path)
    if (source !== '') return source
  } catch (error) {
    if (!(error instanceof SitePathError)) throw error
    throw badRequest('The source is no path of a site.', [{ path: '/source', message: error.message }])
  }
  throw badRequest('The source is the root of the site.', [{ path: '/source', message: 'must be a path below the root, which always shows the site' }])
}

/** Throws 409 where the source is taken, or where following the redirects from it would come back to it. */
async function checkPlace(reader: Reader, redirect: SiteRedirectDoc): Promise<void> {
  const at = async (source: string) =>
    (await reader.find(siteRedirects, 'source', redirectKey({ site: redirect.site, source }))).find(({ id }) => id !== redirect.id)
  if (await at(redirect.source)) throw conflict(`The path ${redirect.source} has a redirect already: change that one.`)
  for (let next = pathOf(redirect.destination), steps = 1; next !== null; steps++) {
    if (next === redirect.source) throw conflict(`The redirect would lead in a circle: ${redirect.source} comes back to itself after ${steps} redirects.`)
    const further = await at(next)
    next = further ? pathOf(further.destination) : null
  }
}

/** The path of the site that a destination names as such, as a browser would ask for it and in its normal form; else null. */
function pathOf(destination: SiteDestination): string | null {
  if (destination.kind !== 'url' || !isSitePath(destination.url)) return null
  try {
    return normalizePath(new URL(destination.url, 'https://site.invalid').pathname)
  } catch (error) {
    if (error instanceof SitePathError) return null
    throw error
  }
}
