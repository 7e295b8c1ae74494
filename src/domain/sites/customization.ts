/** Reads, replaces and removes the customization of a site and of its site spaces. */
import { hrefFault } from '../../content/href.js'
import { requireCondition } from './conditions.js'
import { badRequest, type ErrorDetail, notFound } from '../../kernel/errors.js'
import {
  type SiteCustomization,
  type SiteCustomizationDoc,
  type SiteCustomizationInput,
  type SiteDoc,
  type SiteStructure,
  siteCustomizations,
  siteSpacesOf,
  sites,
} from '../../model/index.js'
import type { Reader, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSite } from '../context/loaded.js'
import { changeSiteDocuments } from './site-documents.js'
import { customized } from './customization-applied.js'
import { defaultCustomization } from './customization-default.js'
import { destinationsOf, hrefsOf } from './customization-links.js'
import { checkOnSite, checkReachable } from './destinations.js'
import { defined } from '../../kernel/defined.js'

const draftId = (site: SiteDoc): string => `draft:${site.id}`

/** Returns the customization of a site: its settings on top of the defaults. */
export async function getCustomization(reader: Reader, site: SiteDoc): Promise<SiteCustomization> {
  return customized(defaultCustomization, (await reader.get(siteCustomizations, site.id))?.settings ?? {})
}

/** Returns the customization that only previews show; null if there is none. */
export async function getCustomizationDraft(reader: Reader, site: SiteDoc): Promise<SiteCustomization | null> {
  const draft = await reader.get(siteCustomizations, draftId(site))
  return draft ? customized(defaultCustomization, draft.settings) : null
}

/** Returns the settings of a site space that differ from its site; `{}` = none. */
export async function getSiteSpaceCustomization(
  reader: Reader,
  site: SiteDoc,
  siteSpace: string,
): Promise<SiteCustomizationInput> {
  const doc = await reader.get(siteCustomizations, siteSpace)
  return doc?.site === site.id ? doc.settings : {}
}

/** Returns the customization of a site space: its settings on top of those of its site. */
export const effectiveCustomization = async (
  reader: Reader,
  site: SiteDoc,
  siteSpace: string,
): Promise<SiteCustomization> =>
  customized(await getCustomization(reader, site), await getSiteSpaceCustomization(reader, site, siteSpace))

/** Returns the customization of a site, or of one of its site spaces, with the draft instead of the published one. */
export async function draftedCustomization(
  reader: Reader,
  site: SiteDoc,
  siteSpace: string | undefined,
): Promise<SiteCustomization> {
  const whole = (await getCustomizationDraft(reader, site)) ?? (await getCustomization(reader, site))
  return siteSpace === undefined ? whole : customized(whole, await getSiteSpaceCustomization(reader, site, siteSpace))
}

/**
 * Returns the theme that a site space, or else its site, has chosen. The default in a customization does not show
 * whether it was chosen. Undefined = not chosen.
 */
export async function chosenTheme(
  reader: Reader,
  site: SiteDoc,
  siteSpace?: string,
): Promise<SiteCustomization['themes']['default'] | undefined> {
  const own = siteSpace === undefined ? {} : await getSiteSpaceCustomization(reader, site, siteSpace)
  return own.themes?.default ?? (await reader.get(siteCustomizations, site.id))?.settings.themes?.default
}

/** Returns the customization of a site and, by ID, of each site space with its own settings. */
export async function listCustomizations(
  reader: Reader,
  site: SiteDoc,
): Promise<{ site: SiteCustomization; siteSpaces: Record<string, SiteCustomization> }> {
  const docs = (await reader.find(siteCustomizations, 'site', site.id)).filter(({ isDraft }) => !isDraft)
  const whole = customized(defaultCustomization, docs.find(({ siteSpace }) => siteSpace === undefined)?.settings ?? {})
  const own = docs.flatMap(({ siteSpace, settings }) =>
    siteSpace === undefined ? [] : [[siteSpace, customized(whole, settings)] as const],
  )
  return { site: whole, siteSpaces: Object.fromEntries(own) }
}

/** Replaces the settings of a site. Omitted settings get their defaults. Throws 400 naming all faults. */
export async function replaceCustomization(
  app: App,
  actor: Actor,
  site: LoadedSite,
  settings: SiteCustomizationInput,
): Promise<SiteCustomization> {
  await write(app, actor, site, undefined, settings)
  return customized(defaultCustomization, settings)
}

/** Replaces the draft of a site's customization. Visitors do not see it. Throws 400 with all violations. */
export async function replaceCustomizationDraft(
  app: App,
  actor: Actor,
  { doc }: LoadedSite,
  settings: SiteCustomizationInput,
): Promise<SiteCustomization> {
  const destinations = destinationsOf(settings)
  checkHrefsAndConditions(settings)
  await checkReachable(app, actor, destinations)
  await app.store.transact(async (tx) => {
    const now = await tx.get(sites, doc.id)
    if (!now) throw notFound('The site')
    checkOnSite(now, destinations)
    const draft: SiteCustomizationDoc = { id: draftId(now), site: now.id, isDraft: true, settings }
    const stored = await tx.get(siteCustomizations, draft.id)
    return stored ? tx.replace(siteCustomizations, { ...stored, settings }) : tx.insert(siteCustomizations, draft)
  })
  return customized(defaultCustomization, settings)
}

/** Removes the draft of a site's customization, if there is one. */
export const discardCustomizationDraft = async (app: App, { doc }: LoadedSite): Promise<void> =>
  void (await app.store.transact((tx) => tx.remove(siteCustomizations, draftId(doc))))

/**
 * Replaces the settings of one site space. Omitted settings are inherited from the site. Throws 400, and 404 if the
 * site space was removed in the meantime.
 */
export async function replaceSiteSpaceCustomization(
  app: App,
  actor: Actor,
  site: LoadedSite,
  siteSpace: string,
  settings: SiteCustomizationInput,
): Promise<SiteCustomizationInput> {
  await write(app, actor, site, siteSpace, settings)
  return settings
}

async function write(
  app: App,
  actor: Actor,
  site: LoadedSite,
  siteSpace: string | undefined,
  settings: SiteCustomizationInput,
): Promise<void> {
  const destinations = destinationsOf(settings)
  checkHrefsAndConditions(settings)
  await checkReachable(app, actor, destinations)
  await changeSiteDocuments(app, actor, site, 'customization', async (tx, now) => {
    if (siteSpace !== undefined && !siteSpacesOf(now.structure).some(({ id }) => id === siteSpace))
      throw notFound('The site space')
    checkOnSite(now, destinations)
    const draft: SiteCustomizationDoc = {
      id: siteSpace ?? now.id,
      site: now.id,
      settings,
      ...defined({ siteSpace }),
    }
    const stored = await tx.get(siteCustomizations, draft.id)
    return stored ? tx.replace(siteCustomizations, { ...stored, settings }) : tx.insert(siteCustomizations, draft)
  })
}

function checkHrefsAndConditions(settings: SiteCustomizationInput): void {
  const faults = hrefsOf(settings).flatMap(({ href, path }): ErrorDetail[] => {
    const fault = hrefFault(href)
    return fault ? [{ path, message: fault }] : []
  })
  if (faults.length > 0) throw badRequest('A URL is invalid.', faults)
  for (const [i, { condition }] of (settings.header?.links ?? []).entries()) {
    if (condition !== undefined) requireCondition(condition, `/header/links/${i}/condition`)
  }
}

/** Removes the settings of a site space, so that it inherits all settings of its site. */
export async function deleteSiteSpaceCustomization(
  app: App,
  actor: Actor,
  site: LoadedSite,
  siteSpace: string,
): Promise<void> {
  await changeSiteDocuments(
    app,
    actor,
    site,
    'customization',
    async (tx) => (await removeSiteSpaceDocuments(tx, siteSpace)) || null,
  )
}

/**
 * Removes the documents of a site space, in the transaction that removes it from its site. Returns whether there were
 * any.
 */
const removeSiteSpaceDocuments = (tx: Transaction, siteSpace: string): Promise<boolean> =>
  tx.remove(siteCustomizations, siteSpace)

/** Removes the documents of the site spaces that are in the structure `before` but not in `after`. */
export async function removeDocumentsOfRemoved(
  tx: Transaction,
  before: SiteStructure,
  after: SiteStructure,
): Promise<void> {
  const remaining = new Set(siteSpacesOf(after).map(({ id }) => id))
  for (const { id } of siteSpacesOf(before)) if (!remaining.has(id)) await removeSiteSpaceDocuments(tx, id)
}
