// Creates, finds and changes sites.
import { isDeepStrictEqual } from 'node:util'
import { badRequest, notFound } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import {
  basenameKey,
  type CreateSite,
  type EventType,
  emptyStructure,
  SITE_TITLE,
  type SiteDoc,
  type SiteSpaceEntry,
  type SpaceDoc,
  sitePublishingAuths,
  sites,
} from '../../model/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'
import { contentRole, roleOn, viewerOf } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedOrganization, LoadedSite } from '../context/loaded.js'
import { emit } from '../events/events.js'
import { createSpace } from '../spaces/spaces.js'
import { derivedPath } from './paths.js'
import { sitesOfSpace } from '../spaces/sites-of-space.js'
import { findSpaceToPublish, publishableSpace } from './publishable-space.js'
import { withKeys } from './structure/keys.js'
import { newPublishingAuth } from './publishing-auth.js'
import { defined, keysOf } from '../../kernel/defined.js'

const DEFAULT_TITLE = 'Untitled'

/** Derives the title of a site or section from that of a space, which may be too short. */
export const titleFrom = (title: string | undefined): string =>
  title !== undefined && [...title].length >= SITE_TITLE.minLength ? title : DEFAULT_TITLE

/** Finds a site, with the caller's role. Null if it is not in the organization or they may not see it. */
export async function findSite(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  id: string,
): Promise<LoadedSite | null> {
  const doc = await app.store.get(sites, id)
  if (!doc || doc.organization !== organization.doc.id) return null
  const role = await contentRole(app.store, actor.user.id, { ...doc, kind: 'site' })
  return role === null ? null : { doc, role }
}

/** Filters for a list of sites. */
interface SiteFilter {
  /** ID of a space that the site shows. */
  space?: string
  /** Part of the title. The case is ignored. */
  title?: string
  published?: boolean
}

/**
 * Lists the sites of an organization that the caller may see. Throws 400 if they may not see the space to filter by.
 */
export async function listSites(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  filter: SiteFilter = {},
): Promise<LoadedSite[]> {
  const { id } = organization.doc
  if (filter.space !== undefined && !(await findSpaceToPublish(app.store, actor, id, filter.space)))
    throw badRequest('The space does not exist.', [
      { path: 'query/space', message: 'must be the ID of a space of this organization' },
    ])
  const docs =
    filter.space === undefined
      ? await app.store.find(sites, 'organization', id)
      : await sitesOfSpace(app.store, filter.space)
  const title = filter.title?.toLowerCase()
  const viewer = await viewerOf(app.store, actor.user.id, id)
  const seen: LoadedSite[] = []
  for (const doc of docs) {
    if (doc.organization !== id || (filter.published !== undefined && doc.published !== filter.published)) continue
    if (title !== undefined && !doc.title.toLowerCase().includes(title)) continue
    const role = await roleOn(app.store, viewer, { ...doc, kind: 'site' })
    if (role !== null) seen.push({ doc, role })
  }
  return seen
}

/**
 * Creates an unpublished site with the given spaces at its root. The first one is the default. Throws 400 if a space
 * does not exist, and 403 if the caller may not publish it.
 */
export async function createSite(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  { spaces, ...input }: CreateSite,
): Promise<LoadedSite> {
  const { id } = organization.doc
  const doc =
    typeof spaces === 'string'
      ? await createSiteAndSpace(app, actor, organization, input, spaces)
      : await app.store.transact(async (tx) => {
          const shown: SpaceDoc[] = []
          for (const [i, space] of (spaces ?? []).entries())
            shown.push(await publishableSpace(tx, actor, id, space, `/spaces/${i}`))
          return insertSite(app, tx, actor, { organization: id, input, shown })
        })
  return { doc, role: (await contentRole(app.store, actor.user.id, { ...doc, kind: 'site' })) ?? 'read' }
}

type NewSite = Omit<CreateSite, 'spaces'>

/** Creates a site and a space for it in one transaction. */
async function createSiteAndSpace(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  input: NewSite,
  template: 'empty' | 'sample',
) {
  const title = input.title === undefined ? {} : { title: [...input.title].slice(0, 50).join('') }
  const space = await createSpace(app, actor, organization, { ...title, template }, async (tx, made) => {
    await insertSite(app, tx, actor, { organization: organization.doc.id, input, shown: [made] })
  })
  const [site] = await sitesOfSpace(app.store, space.doc.id)
  if (!site) throw notFound('The site')
  return site
}

interface SiteToInsert {
  organization: string
  input: NewSite
  /** The spaces of the site. */
  shown: readonly SpaceDoc[]
}

async function insertSite(
  app: App,
  tx: Transaction,
  actor: Actor,
  { organization, input, shown }: SiteToInsert,
): Promise<Document<SiteDoc>> {
  const siteSpaces: SiteSpaceEntry[] = []
  for (const space of shown) {
    const taken = siteSpaces.map((entry) => entry.path)
    siteSpaces.push({ id: newId(), space: space.id, path: derivedPath(space.title, taken, 'space') })
  }
  const title = input.title ?? titleFrom(shown[0]?.title)
  const site: SiteDoc = {
    id: newId(),
    organization,
    type: input.type ?? 'basic',
    title,
    icon: null,
    basename: await freeBasename(tx, organization, title),
    visibility: input.visibility ?? 'public',
    published: false,
    adaptiveContent: { enabled: false },
    agentsContext: 'included',
    createdAt: app.clock.now().toISOString(),
    createdBy: actor.user.id,
    structure: withKeys({ ...emptyStructure, siteSpaces, defaultSiteSpace: siteSpaces[0]?.id ?? null }),
  }
  await emit(app, tx, { type: 'site.created', organization, actor: actor.user.id, subject: { site: site.id } })
  await tx.insert(sitePublishingAuths, newPublishingAuth(app, site.id))
  return tx.insert(sites, site)
}

async function freeBasename(reader: Reader, organization: string, title: string): Promise<string> {
  const taken = (await reader.find(sites, 'organization', organization)).map((site) => site.basename)
  return derivedPath(title, taken, 'site')
}

/** Whether another site of the organization has the basename. */
export async function hasBasename(reader: Reader, site: SiteDoc, basename: string): Promise<boolean> {
  const holders = await reader.find(sites, 'basename', basenameKey({ ...site, basename }))
  return holders.some((holder) => holder.id !== site.id)
}

/** Overrides for the event of a change: its type, and further subjects. */
interface SiteEvent {
  type?: EventType
  /** ID of a space. */
  space?: string
}

/**
 * Changes a site in one transaction, based on the stored version. Emits `site.updated` (or another type) with the names
 * of the changed fields. Writes nothing if nothing changes. Throws 404 if the site was deleted in the meantime.
 */
export async function changeSite(
  app: App,
  actor: Actor,
  site: LoadedSite,
  change: (doc: Document<SiteDoc>, tx: Transaction) => Document<SiteDoc> | Promise<Document<SiteDoc>>,
  { type = 'site.updated', space }: SiteEvent = {},
): Promise<LoadedSite> {
  const doc = await app.store.transact(async (tx) => {
    const stored = await tx.get(sites, site.doc.id)
    if (!stored) throw notFound('The site')
    const next = await change(stored, tx)
    const changed = keysOf({ ...stored, ...next }).filter((key) => !isDeepStrictEqual(next[key], stored[key]))
    if (changed.length === 0) return stored
    const subject = { site: stored.id, ...defined({ space }) }
    await emit(app, tx, { type, organization: stored.organization, actor: actor.user.id, subject, data: { changed } })
    return tx.replace(sites, next)
  })
  return { ...site, doc }
}
