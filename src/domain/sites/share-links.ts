// Manages the share links of a site and their keys.
import { hashToken, seal, unseal } from '../../auth/index.js'
import { conflict, notFound } from '../../kernel/errors.js'
import { newId, newSecret } from '../../kernel/ids.js'
import { type Page, type PageQuery, pageOf } from '../../kernel/paging.js'
import {
  type CreateShareLink,
  type ShareLinkDoc,
  type SiteDoc,
  shareLinks,
  type UpdateShareLink,
} from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSite } from '../context/loaded.js'
import { changeSiteDocuments } from './site-documents.js'

const MAX_SHARE_LINKS = 1000

/** Binds a sealed key to its link, so that it cannot be unsealed for another one. */
const sealContext = (id: string): string => `share-link:${id}`

/** Finds a link of the site by ID, or null. */
export async function findShareLinkById(
  app: App,
  site: LoadedSite,
  id: string,
): Promise<Document<ShareLinkDoc> | null> {
  const link = await app.store.get(shareLinks, id)
  return link?.site === site.doc.id ? link : null
}

/** Lists a page of the links of a site, oldest first. */
export const listShareLinks = (app: App, site: LoadedSite, query: PageQuery): Promise<Page<Document<ShareLinkDoc>>> =>
  pageOf(app.store, shareLinks, 'createdAt', site.doc.id, query)

/**
 * Finds the active link of a site with a visitor's key, or null. Keys are random and looked up by hash, so the duration
 * reveals nothing about them.
 */
async function findShareLink(reader: Reader, site: SiteDoc, key: string): Promise<Document<ShareLinkDoc> | null> {
  const [link] = await reader.find(shareLinks, 'keyHash', hashToken(key))
  return link?.site === site.id && link.active ? link : null
}

/**
 * Returns `key` if an active share link of the site has it and the site's visibility is `share-link`. Otherwise
 * undefined.
 */
export async function validShareKey(
  reader: Reader,
  site: SiteDoc,
  key: string | undefined,
): Promise<string | undefined> {
  if (key === undefined || site.visibility !== 'share-link') return undefined
  return (await findShareLink(reader, site, key)) ? key : undefined
}

/** Returns the secret of a link. Null if the signing key of the service was replaced. */
export const shareKeyOf = (app: App, link: ShareLinkDoc): string | null =>
  unseal(app.settings.signingKey, sealContext(link.id), link.sealedKey)

/** Creates an active link. Throws 409 if the site has too many. */
export async function createShareLink(
  app: App,
  actor: Actor,
  site: LoadedSite,
  { name }: CreateShareLink,
): Promise<Document<ShareLinkDoc>> {
  const id = newId()
  const key = newSecret()
  const draft: ShareLinkDoc = {
    id,
    site: site.doc.id,
    name,
    active: true,
    createdAt: app.clock.now().toISOString(),
    createdBy: actor.user.id,
    keyHash: hashToken(key),
    sealedKey: seal(app.settings.signingKey, sealContext(id), key),
  }
  return changeSiteDocuments(app, actor, site, 'share-links', async (tx) => {
    if ((await tx.count(shareLinks, 'site', site.doc.id)) >= MAX_SHARE_LINKS)
      throw conflict(`A site has at most ${MAX_SHARE_LINKS} share links. Delete some first.`)
    return tx.insert(shareLinks, draft)
  })
}

/** Renames, disables or enables a link. Throws 404 if it was deleted in the meantime. */
export async function updateShareLink(
  app: App,
  actor: Actor,
  site: LoadedSite,
  link: ShareLinkDoc,
  input: UpdateShareLink,
): Promise<Document<ShareLinkDoc>> {
  return changeSiteDocuments(app, actor, site, 'share-links', async (tx) => {
    const stored = await tx.get(shareLinks, link.id)
    if (!stored) throw notFound('The share link')
    return tx.replace(shareLinks, { ...stored, ...input })
  })
}

/** Deletes a link. Its key becomes invalid. */
export async function deleteShareLink(app: App, actor: Actor, site: LoadedSite, link: ShareLinkDoc): Promise<void> {
  await changeSiteDocuments(
    app,
    actor,
    site,
    'share-links',
    async (tx) => (await tx.remove(shareLinks, link.id)) || null,
  )
}
