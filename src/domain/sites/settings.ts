/** Changes the settings of a site, and publishes or unpublishes it. */
import { conflict } from '../../kernel/errors.js'
import { organizations, type SiteDoc, sites, type UpdateSite } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSite } from '../context/loaded.js'
import { checkHostname } from './addresses.js'
import { checkPath } from './paths.js'
import { changeSite, hasBasename } from './sites.js'
import { setDefaults } from './structure/defaults.js'
import { defined } from '../../kernel/defined.js'

/**
 * Changes the given settings; null removes an optional one. Throws 400 (basename, hostname, defaults), and 409 if
 * another site has the hostname, or another site of the organization has the basename.
 */
export async function updateSite(app: App, actor: Actor, site: LoadedSite, input: UpdateSite): Promise<LoadedSite> {
  const { hostname, proxy, defaultSiteSpace, defaultSiteSection, ...rest } = input
  if (rest.basename !== undefined && rest.basename !== site.doc.basename) checkPath(rest.basename, '/basename')
  if (hostname) checkHostname(app, hostname, '/hostname')
  return changeSite(app, actor, site, async (stored, tx) => {
    if (hostname) await checkFreeHostname(tx, stored, hostname)
    if (rest.basename !== undefined && (await hasBasename(tx, stored, rest.basename)))
      throw conflict(`The basename ${rest.basename} is taken in this organization. Choose another one.`)
    const structure = setDefaults(stored.structure, {
      ...defined({ section: defaultSiteSection, siteSpace: defaultSiteSpace }),
    })
    return removeNull({
      ...stored,
      ...rest,
      structure,
      ...defined({ hostname, proxy }),
    })
  })
}

/** Removes a hostname or proxy that is null. */
function removeNull({
  hostname,
  proxy,
  ...rest
}: Omit<Document<SiteDoc>, 'hostname' | 'proxy'> & {
  hostname?: string | null
  proxy?: string | null
}): Document<SiteDoc> {
  return { ...rest, ...(hostname ? { hostname } : {}), ...(proxy ? { proxy } : {}) }
}

async function checkFreeHostname(reader: Reader, site: SiteDoc, hostname: string): Promise<void> {
  const holders = await reader.find(sites, 'hostname', hostname)
  const [organization] = await reader.find(organizations, 'customHostname', hostname)
  if (organization || holders.some((holder) => holder.id !== site.id))
    throw conflict(`The hostname ${hostname} is taken by another site or organization. Choose another one.`)
}

/** Makes a site visible to visitors, as its visibility allows. */
export const publishSite = (app: App, actor: Actor, site: LoadedSite): Promise<LoadedSite> =>
  changeSite(app, actor, site, (doc) => (doc.published ? doc : { ...doc, published: true }), { type: 'site.published' })

/** Hides a site from all visitors. */
export const unpublishSite = (app: App, actor: Actor, site: LoadedSite): Promise<LoadedSite> =>
  changeSite(app, actor, site, (doc) => (doc.published ? { ...doc, published: false } : doc), {
    type: 'site.unpublished',
  })
