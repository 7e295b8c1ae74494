/** The sample site that a new service shows: a template in its own space, published for everyone. */
import { basenameKey, type OrganizationDoc, organizations, sites } from '../../model/index.js'
import { type Document, orIfDamaged } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import { createSpace } from '../spaces/spaces.js'
import { publishedSite } from './addresses.js'
import { publishSite } from './settings.js'
import { createSite } from './sites.js'

/** The template of the sample, and its basename. */
const TEMPLATE = 'bindery'
const TITLE = 'Bindery'

/** Creates the sample site in the name of an admin of the organization. */
export async function createSampleSite(
  app: App,
  user: Actor['user'],
  organization: Document<OrganizationDoc>,
): Promise<void> {
  // No token was used, so none limits what the user may do.
  const actor: Actor = { user, token: { id: 'first-start', readOnly: false } }
  const loaded = { doc: organization, role: 'admin' as const }
  const emoji = (await app.templates()).get(TEMPLATE)?.emoji
  const space = await createSpace(app, actor, loaded, { title: TITLE, template: TEMPLATE, ...(emoji ? { emoji } : {}) })
  const site = await createSite(app, actor, loaded, { title: TITLE, spaces: [space.doc.id] })
  await publishSite(app, actor, site)
}

/**
 * Returns the address of the sample site while anyone may read it. Null after it was deleted or closed, and while a
 * file of its documents is damaged: the start and the first screen only mention it.
 * @param id of the organization
 */
export async function findSampleSite(app: App, id: string): Promise<string | null> {
  const key = basenameKey({ organization: id, basename: TEMPLATE })
  const [site] = await app.store.find(sites, 'basename', key).catch(orIfDamaged([]))
  const organization = site?.visibility === 'public' ? await app.store.get(organizations, id) : null
  return (site && organization && publishedSite({ app, organization, site })) ?? null
}
