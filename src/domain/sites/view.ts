/** What a caller sees of a site's structure, without what they may not see. What a visitor sees of it: `visitor.ts`. */
import { type GroupEntry, type SectionEntry, type SiteSpaceEntry, siteSpacesOf, spaces } from '../../model/index.js'
import { roleOn, spaceRole, viewerOf } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedOrganization, LoadedSite, VisibleSpace } from '../context/loaded.js'
import type { SiteAddress } from './addresses.js'
import { validShareKey } from './share-links.js'
import { findSiteSpace } from './structure/find.js'
import { shownDefault, shownDefaultSection } from './structure/defaults.js'
import { sortKeyOf } from './structure/keys.js'

/** A site space as the caller sees it. */
export interface ShownSiteSpace {
  entry: SiteSpaceEntry
  space: VisibleSpace
  section?: SectionEntry
  /** Whether it is the default of its section, or of the root. */
  isDefault: boolean
  /** Whether it is in the default section, or at the root: the default one there is the default of the site. */
  isDefaultSection: boolean
  /** Orders the list of all site spaces of the site. */
  sortKey: string
}

/** A section as the caller sees it. */
export interface ShownSection {
  entry: SectionEntry
  group?: GroupEntry
  isDefault: boolean
  defaultSiteSpace: string | null
  siteSpaces: ShownSiteSpace[]
  sortKey: string
}

/** A group as the caller sees it. */
export interface ShownGroup {
  entry: GroupEntry
  sections: ShownSection[]
  sortKey: string
}

/** A site as the caller sees it, in order. */
export interface SiteView {
  address: SiteAddress
  /** At the root. */
  siteSpaces: ShownSiteSpace[]
  items: (ShownSection | ShownGroup)[]
}

/**
 * What the caller sees of a site. Site spaces are left out if their space is deleted (they return when it is restored) or the
 * caller may not see it. If the space of a default site space is deleted, the first remaining one is the default, for everybody.
 */
export async function viewSite(app: App, actor: Actor, organization: LoadedOrganization, { doc }: LoadedSite, shareKey?: string): Promise<SiteView> {
  const { structure } = doc
  const viewer = await viewerOf(app.store, actor.user.id, doc.organization)
  const visible = new Map<string, VisibleSpace>()
  for (const { space: id, hidden } of siteSpacesOf(structure)) {
    const space = hidden ? null : await app.store.get(spaces, id)
    if (!space) continue
    const role = await roleOn(app.store, viewer, { ...space, kind: 'space' })
    if (role !== null) visible.set(id, { doc: space, role })
  }
  const defaultSection = shownDefaultSection(structure)
  const show = (entries: readonly SiteSpaceEntry[], byDefault: string | null, within: { section?: SectionEntry; isDefault: boolean; sortKey?: string }) =>
    entries.flatMap((entry): ShownSiteSpace[] => {
      const space = visible.get(entry.space)
      if (!space) return []
      const isDefault = entry.id === byDefault
      const section = within.section ? { section: within.section } : {}
      return [{ entry, space, ...section, isDefault, isDefaultSection: within.isDefault, sortKey: sortKeyOf(within.sortKey, entry.order) }]
    })
  const showSection = (entry: SectionEntry, group?: GroupEntry): ShownSection => {
    const defaultSiteSpace = shownDefault(entry)
    const isDefault = defaultSection === entry.id
    const sortKey = sortKeyOf(group?.order, entry.order)
    const siteSpaces = show(entry.siteSpaces, defaultSiteSpace, { section: entry, isDefault, sortKey })
    return { entry, ...(group ? { group } : {}), isDefault, defaultSiteSpace, siteSpaces, sortKey }
  }
  const key = await validShareKey(app.store, doc, shareKey)
  return {
    address: { app, organization: organization.doc, site: doc, ...(key === undefined ? {} : { shareKey: key }) },
    siteSpaces: show(structure.siteSpaces, shownDefault(structure), { isDefault: true }),
    items: structure.items.map((item) =>
      item.type === 'site-section'
        ? showSection(item)
        : { entry: item, sections: item.sections.map((section) => showSection(section, item)), sortKey: sortKeyOf(item.order) },
    ),
  }
}

/** Whether it is the default site space of the whole site. */
export const isSiteDefault = ({ isDefault, isDefaultSection }: ShownSiteSpace): boolean => isDefault && isDefaultSection

export const isGroup = (item: ShownSection | ShownGroup): item is ShownGroup => 'sections' in item

/** The sections that the caller sees, including those in groups, in order. */
export const shownSections = (view: SiteView): ShownSection[] => view.items.flatMap((item) => (isGroup(item) ? item.sections : [item]))

/** The site spaces that the caller sees, in order. */
export const shownSiteSpaces = (view: SiteView): ShownSiteSpace[] => [...view.siteSpaces, ...shownSections(view).flatMap((section) => section.siteSpaces)]

/** The groups that the caller sees, in order. */
export const shownGroups = (view: SiteView): ShownGroup[] => view.items.filter(isGroup)

/** A site space if the caller may see its space; else null. */
export async function findVisibleSiteSpace(app: App, actor: Actor, site: LoadedSite, id: string): Promise<SiteSpaceEntry | null> {
  const entry = findSiteSpace(site.doc.structure, id)?.siteSpace
  const space = entry && (await app.store.get(spaces, entry.space))
  if (!entry || entry.hidden || !space) return null
  return (await spaceRole(app.store, actor.user.id, space)) === null ? null : entry
}
