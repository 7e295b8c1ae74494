/**
 * Computes a caller's view of a site's structure, without the parts that they may not see. For visitors, see
 * `visitor.ts`.
 */
import {
  type GroupChild,
  type GroupEntry,
  type LinkEntry,
  type OrganizationDoc,
  type Role,
  type SectionEntry,
  type SiteDoc,
  type SiteSpaceEntry,
  type SiteStructure,
  type SpaceDoc,
  siteSpacesOf,
  spaces,
} from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { roleOn, spaceRole, viewerOf } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedOrganization, LoadedSite, VisibleSpace } from '../context/loaded.js'
import type { SiteAddress } from './addresses.js'
import { validShareKey } from './share-links.js'
import { findSiteSpace } from './structure/find.js'
import { shownDefault, shownDefaultSection } from './structure/defaults.js'
import { sortKeyOf } from './structure/keys.js'
import { defined } from '../../kernel/defined.js'

/** A site space as the caller sees it. */
export interface ShownSiteSpace {
  entry: SiteSpaceEntry
  space: VisibleSpace
  section?: SectionEntry
  /** Whether it is the default of its section, or of the root. */
  isDefault: boolean
  /** Whether it is in the default section, or at the root. The default one there is the default of the site. */
  isDefaultSection: boolean
  /** Its position in the list of all site spaces of the site. */
  sortKey: string
  /** Whether neither it nor a parent is a draft. Only live site spaces have an address for visitors. */
  live: boolean
}

/** A section as the caller sees it. */
export interface ShownSection {
  entry: SectionEntry
  group?: GroupEntry
  isDefault: boolean
  defaultSiteSpace: string | null
  siteSpaces: ShownSiteSpace[]
  sortKey: string
  live: boolean
}

/** An external link. */
export interface ShownLink {
  entry: LinkEntry
  group: GroupEntry
  sortKey: string
}

/** A group as the caller sees it. */
export interface ShownGroup {
  entry: GroupEntry
  /** The parent group. */
  group?: GroupEntry
  children: ShownItem[]
  sortKey: string
  live: boolean
}

/** An item of a site or a group. */
export type ShownItem = ShownSection | ShownGroup | ShownLink

/** A site as the caller sees it, in order. */
export interface SiteView {
  address: SiteAddress
  /** Site spaces at the root. */
  siteSpaces: ShownSiteSpace[]
  items: ShownItem[]
}

/**
 * Returns the caller's view of a site. Site spaces are omitted if their space is deleted (they return after it is
 * restored) or the caller may not see it. If the space of a default site space is deleted, the first remaining one is
 * the default for all callers.
 */
export async function viewSite(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  { doc }: LoadedSite,
  shareKey?: string,
): Promise<SiteView> {
  const viewer = await viewerOf(app.store, actor.user.id, doc.organization)
  const roleFor = (space: SpaceDoc) => roleOn(app.store, viewer, { ...space, kind: 'space' })
  return viewFor(app, { organization: organization.doc, site: doc }, roleFor, shareKey)
}

/**
 * Returns the view of a site's audience: everything in its structure. A member who puts a space on a site decides
 * that its readers see it. The visitor gate decides which of them.
 */
export const viewForAudience = (
  app: App,
  owner: { organization: OrganizationDoc; site: SiteDoc },
  shareKey?: string,
): Promise<SiteView> => viewFor(app, owner, async () => 'read', shareKey)

/** Returns the part of a site that consists of some of its spaces. */
export const viewOfSpaces = (
  app: App,
  owner: { organization: OrganizationDoc; site: SiteDoc },
  chosen: ReadonlySet<string>,
): Promise<SiteView> => viewFor(app, owner, async ({ id }) => (chosen.has(id) ? 'read' : null))

type RoleFor = (space: Document<SpaceDoc>) => Promise<Role | null>

/** Returns a user's view of a site, regardless of the token. */
export async function viewForUser(
  app: App,
  user: string,
  owner: { organization: OrganizationDoc; site: SiteDoc },
): Promise<SiteView> {
  const viewer = await viewerOf(app.store, user, owner.site.organization)
  return viewFor(app, owner, (space) => roleOn(app.store, viewer, { ...space, kind: 'space' }))
}

async function viewFor(
  app: App,
  { organization, site: doc }: { organization: OrganizationDoc; site: SiteDoc },
  roleFor: RoleFor,
  shareKey?: string,
): Promise<SiteView> {
  const { structure } = doc
  const filter = new StructureFilter(structure, await visibleSpacesOf(app, structure, roleFor))
  const key = await validShareKey(app.store, doc, shareKey)
  return {
    address: { app, organization, site: doc, ...defined({ shareKey: key }) },
    siteSpaces: filter.siteSpaces(structure.siteSpaces, shownDefault(structure), { isDefault: true, live: true }),
    items: structure.items.flatMap((item) => filter.items(item, { live: true })),
  }
}

/** Returns the spaces of a site that the caller may see and that are not hidden, by ID. */
async function visibleSpacesOf(
  app: App,
  structure: SiteStructure,
  roleFor: RoleFor,
): Promise<Map<string, VisibleSpace>> {
  const visible = new Map<string, VisibleSpace>()
  for (const { space: id, hidden } of siteSpacesOf(structure)) {
    const space = hidden ? null : await app.store.get(spaces, id)
    const role = space && (await roleFor(space))
    if (space && role) visible.set(id, { doc: space, role })
  }
  return visible
}

/** The context of an item in a structure. */
interface Above {
  group?: GroupEntry
  sortKey?: string
  live: boolean
}

/** The context of the site spaces of a section or of the root. */
interface Within {
  section?: SectionEntry
  isDefault: boolean
  sortKey?: string
  live: boolean
}

/** Converts the entries of a structure to what the caller sees. */
class StructureFilter {
  readonly #defaultSection: string | null

  constructor(
    structure: SiteStructure,
    readonly visible: ReadonlyMap<string, VisibleSpace>,
  ) {
    this.#defaultSection = shownDefaultSection(structure)
  }

  siteSpaces(entries: readonly SiteSpaceEntry[], byDefault: string | null, within: Within): ShownSiteSpace[] {
    return entries.flatMap((entry): ShownSiteSpace[] => {
      const space = this.visible.get(entry.space)
      if (!space) return []
      return [
        {
          entry,
          space,
          ...defined({ section: within.section }),
          isDefault: entry.id === byDefault,
          isDefaultSection: within.isDefault,
          sortKey: sortKeyOf(within.sortKey, entry.order),
          live: within.live && !entry.draft,
        },
      ]
    })
  }

  items(entry: GroupChild, above: Above): ShownItem[] {
    if (entry.type === 'site-section') return [this.#section(entry, above)]
    const { group } = above
    const sortKey = sortKeyOf(above.sortKey, entry.order)
    if (entry.type === 'site-external-link') return group ? [{ entry, group, sortKey }] : []
    const live = above.live && !entry.draft
    const children = entry.children.flatMap((child) => this.items(child, { group: entry, sortKey, live }))
    return [{ entry, ...defined({ group }), children, sortKey, live }]
  }

  #section(entry: SectionEntry, { group, ...above }: Above): ShownSection {
    const defaultSiteSpace = shownDefault(entry)
    const isDefault = this.#defaultSection === entry.id
    const sortKey = sortKeyOf(above.sortKey, entry.order)
    const live = above.live && !entry.draft
    const siteSpaces = this.siteSpaces(entry.siteSpaces, defaultSiteSpace, { section: entry, isDefault, sortKey, live })
    return { entry, ...defined({ group }), isDefault, defaultSiteSpace, siteSpaces, sortKey, live }
  }
}

/** Whether it is the default site space of the whole site. */
export const isSiteDefault = ({ isDefault, isDefaultSection }: ShownSiteSpace): boolean => isDefault && isDefaultSection

export const isGroup = (item: ShownItem): item is ShownGroup => 'children' in item

export const isSection = (item: ShownItem): item is ShownSection => 'siteSpaces' in item

/** Lists all items of a view in order, parents first. */
function shownItems({ items }: Pick<SiteView, 'items'>): ShownItem[] {
  return items.flatMap((item) => (isGroup(item) ? [item, ...shownItems({ items: item.children })] : [item]))
}

/** Lists the sections that the caller sees, including those in groups, in order. */
export const shownSections = (view: SiteView): ShownSection[] => shownItems(view).filter(isSection)

/** Lists the site spaces that the caller sees, in order. */
export const shownSiteSpaces = (view: SiteView): ShownSiteSpace[] => [
  ...view.siteSpaces,
  ...shownSections(view).flatMap((section) => section.siteSpaces),
]

/** Lists the groups that the caller sees, in order. */
export const shownGroups = (view: SiteView): ShownGroup[] => shownItems(view).filter(isGroup)

/** Lists the external links, in order. */
export const shownLinks = (view: SiteView): ShownLink[] =>
  shownItems(view).flatMap((item) => (isGroup(item) || isSection(item) ? [] : [item]))

/** Finds a site space. Null if the caller may not see its space. */
export async function findVisibleSiteSpace(
  app: App,
  actor: Actor,
  site: LoadedSite,
  id: string,
): Promise<SiteSpaceEntry | null> {
  const entry = findSiteSpace(site.doc.structure, id)?.siteSpace
  const space = entry && (await app.store.get(spaces, entry.space))
  if (!entry || entry.hidden || !space) return null
  return (await spaceRole(app.store, actor.user.id, space)) === null ? null : entry
}
