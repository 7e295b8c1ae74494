/** Deletes sites with the roles, documents and settings that refer to them. */
import { grants, organizations, type SiteDoc, sites } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSite } from '../context/loaded.js'
import { emit } from '../events/events.js'
import { removeSiteDocuments } from './site-documents.js'

/** Deletes a site and everything that belongs to it. Its spaces stay. Does nothing if it no longer exists. */
export async function deleteSite(app: App, actor: Actor, site: LoadedSite): Promise<void> {
  await app.store.transact(async (tx) => {
    const stored = await tx.get(sites, site.doc.id)
    if (!stored) return
    await removeSite(tx, stored)
    await clearDefaultContent(app, tx, actor, stored)
    await emit(app, tx, {
      type: 'site.deleted',
      organization: stored.organization,
      actor: actor.user.id,
      subject: { site: stored.id },
    })
  })
  await app.bundles.remove(site.doc.id)
  await app.cards.remove(site.doc.id)
}

/** Removes the site, the roles granted on it, and all of its documents. */
async function removeSite(tx: Transaction, site: Document<SiteDoc>): Promise<void> {
  for (const grant of await tx.find(grants, 'target', `site:${site.id}`)) await tx.remove(grants, grant.id)
  await removeSiteDocuments(tx, site.id)
  await tx.remove(sites, site.id)
}

/** Resets the organization's default content if it was this site. */
async function clearDefaultContent(app: App, tx: Transaction, actor: Actor, site: SiteDoc): Promise<void> {
  const organization = await tx.get(organizations, site.organization)
  if (organization?.defaultContent?.site !== site.id) return
  await tx.replace(organizations, { ...organization, defaultContent: null })
  await emit(app, tx, {
    type: 'organization.updated',
    organization: organization.id,
    actor: actor.user.id,
    subject: {},
    data: { changed: ['defaultContent'] },
  })
}
