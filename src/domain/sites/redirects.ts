// Manages the redirects of a site.
import { isSitePath } from '../../content/href.js'
import { normalizePath, SitePathError } from '../../content/site-path.js'
import { badRequest, conflict, notFound } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import { type Page, type PageQuery, pageOf } from '../../kernel/paging.js'
import {
  type CreateSiteRedirect,
  redirectKey,
  type SiteDestination,
  type SiteRedirectDoc,
  siteRedirects,
  type UpdateSiteRedirect,
} from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSite } from '../context/loaded.js'
import { changeSiteDocuments } from './site-documents.js'
import { checkOnSite, checkReachable } from './destinations.js'

const MAX_REDIRECTS = 5000

/** Finds a redirect of the site by ID, or null. */
export async function findRedirect(app: App, site: LoadedSite, id: string): Promise<Document<SiteRedirectDoc> | null> {
  const redirect = await app.store.get(siteRedirects, id)
  return redirect?.site === site.doc.id ? redirect : null
}

/** Lists a page of the redirects of a site, oldest first. */
export const listRedirects = (app: App, site: LoadedSite, query: PageQuery): Promise<Page<Document<SiteRedirectDoc>>> =>
  pageOf(app.store, siteRedirects, 'createdAt', site.doc.id, query)

/**
 * Creates a redirect. Throws 400 if the source is not a path or the destination is broken. Throws 409 if the source
 * already has a redirect, the redirect would be part of a loop, or the site has too many.
 */
export async function createRedirect(
  app: App,
  actor: Actor,
  site: LoadedSite,
  input: CreateSiteRedirect,
): Promise<Document<SiteRedirectDoc>> {
  const source = sourceOf(input.source)
  const given = [{ to: input.destination, path: '/destination' }]
  await checkReachable(app, actor, given)
  const now = app.clock.now().toISOString()
  const draft: SiteRedirectDoc = {
    id: newId(),
    site: site.doc.id,
    source,
    destination: input.destination,
    createdAt: now,
    updatedAt: now,
  }
  return changeSiteDocuments(app, actor, site, 'redirects', async (tx, stored) => {
    checkOnSite(stored, given)
    if ((await tx.count(siteRedirects, 'site', stored.id)) >= MAX_REDIRECTS)
      throw conflict(`A site has at most ${MAX_REDIRECTS} redirects. Delete some first.`)
    await checkSource(tx, draft)
    return tx.insert(siteRedirects, draft)
  })
}

/**
 * Changes the given fields. Throws the errors of `createRedirect`, and 404 if the redirect was deleted in the meantime.
 */
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
  return changeSiteDocuments(app, actor, site, 'redirects', async (tx, storedSite) => {
    checkOnSite(storedSite, given)
    const stored = await tx.get(siteRedirects, redirect.id)
    if (!stored) throw notFound('The redirect')
    const next = {
      ...stored,
      source: source ?? stored.source,
      destination: input.destination ?? stored.destination,
      updatedAt: app.clock.now().toISOString(),
    }
    await checkSource(tx, next)
    return tx.replace(siteRedirects, next)
  })
}

export async function deleteRedirect(
  app: App,
  actor: Actor,
  site: LoadedSite,
  redirect: SiteRedirectDoc,
): Promise<void> {
  await changeSiteDocuments(
    app,
    actor,
    site,
    'redirects',
    async (tx) => (await tx.remove(siteRedirects, redirect.id)) || null,
  )
}

function sourceOf(path: string): string {
  try {
    const source = normalizePath(path)
    if (source !== '') return source
  } catch (error) {
    if (!(error instanceof SitePathError)) throw error
    throw badRequest('The source is not a path on a site.', [{ path: '/source', message: error.message }])
  }
  throw badRequest('The root of a site cannot be redirected.', [
    { path: '/source', message: 'must be a path below the root' },
  ])
}

/** Throws 409 if the source is taken, or if following the redirects from it leads back to it. */
async function checkSource(reader: Reader, redirect: SiteRedirectDoc): Promise<void> {
  const otherAt = async (source: string) =>
    (await reader.find(siteRedirects, 'source', redirectKey({ site: redirect.site, source }))).find(
      ({ id }) => id !== redirect.id,
    )
  if (await otherAt(redirect.source))
    throw conflict(`The path ${redirect.source} already has a redirect. Change that one.`)
  for (let next = pathOf(redirect.destination), steps = 1; next !== null; steps++) {
    if (next === redirect.source)
      throw conflict(
        `The redirect would create a loop: ${redirect.source} leads back to itself after ${steps} redirects.`,
      )
    const further = await otherAt(next)
    next = further ? pathOf(further.destination) : null
  }
}

/** Returns the normalized path of a destination on the site itself. Null for other destinations. */
function pathOf(destination: SiteDestination): string | null {
  if (destination.kind !== 'url' || !isSitePath(destination.url)) return null
  try {
    return normalizePath(new URL(destination.url, 'https://site.invalid').pathname)
  } catch (error) {
    if (error instanceof SitePathError) return null
    throw error
  }
}
