/** Changes and removes the documents that belong to a site. */
import { notFound } from '../../kernel/errors.js'
import {
  type SiteDoc,
  shareLinks,
  siteAdaptiveSchemas,
  siteCustomizations,
  siteDays,
  siteFeedback,
  sitePageReads,
  sitePublishingAuths,
  siteRedirects,
  sites,
  siteSuggestions,
  suggestionStates,
} from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSite } from '../context/loaded.js'
import { emit } from '../events/events.js'

/**
 * Changes documents of a site (share links, redirects, customizations …) in one transaction and emits `site.updated`.
 * Throws 404 if the site was deleted in the meantime.
 * @param changed the changed part, for the event
 * @param work returns null if nothing changed
 */
export async function changeSiteDocuments<R>(
  app: App,
  actor: Actor,
  site: LoadedSite,
  changed: string,
  work: (tx: Transaction, stored: Document<SiteDoc>) => Promise<R>,
): Promise<R> {
  return app.store.transact(async (tx) => {
    const stored = await tx.get(sites, site.doc.id)
    if (!stored) throw notFound('The site')
    const result = await work(tx, stored)
    if (result !== null)
      await emit(app, tx, {
        type: 'site.updated',
        organization: stored.organization,
        actor: actor.user.id,
        subject: { site: stored.id },
        data: { changed: [changed] },
      })
    return result
  })
}

/** Removes all documents of a site, except for the site itself and the roles granted on it. */
export async function removeSiteDocuments(tx: Transaction, site: string): Promise<void> {
  for (const { id } of await tx.find(shareLinks, 'site', site)) await tx.remove(shareLinks, id)
  for (const { id } of await tx.find(siteRedirects, 'site', site)) await tx.remove(siteRedirects, id)
  for (const { id } of await tx.find(siteCustomizations, 'site', site)) await tx.remove(siteCustomizations, id)
  for (const { id } of await tx.find(siteFeedback, 'site', site)) await tx.remove(siteFeedback, id)
  for (const { id } of await tx.find(siteDays, 'site', site)) await tx.remove(siteDays, id)
  for (const { id } of await tx.find(sitePageReads, 'site', site)) await tx.remove(sitePageReads, id)
  for (const state of suggestionStates)
    for (const { id } of await tx.find(siteSuggestions, 'site', `${site}/${state}`))
      await tx.remove(siteSuggestions, id)
  await tx.remove(siteAdaptiveSchemas, site)
  await tx.remove(sitePublishingAuths, site)
}
