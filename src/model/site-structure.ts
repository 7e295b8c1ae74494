export const SITE_TITLE = { minLength: 2, maxLength: 128 }

/** What a site is made of. */
export const siteItemTypes = ['site-section', 'site-section-group', 'site-space'] as const
export type SiteItemType = (typeof siteItemTypes)[number]

/** The link between a site and a space, as stored. */
export interface SiteSpaceEntry {
  id: string
  space: string
  /** Unique among its siblings: those of its section, or of the root. */
  path: string
  condition?: string
  /** The space is deleted: it is not shown until the space is restored, and goes when the space is purged. */
  hidden?: true
  /** Key by which it is paged; grows along the list. */
  order?: string
}

/** A section, as stored. */
export interface SectionEntry {
  type: 'site-section'
  id: string
  title: string
  /** Unique among the sections of the site, whatever their group. */
  path: string
  description?: string
  condition?: string
  icon?: string
  siteSpaces: SiteSpaceEntry[]
  /** ID of one of its site spaces; null = it has none. */
  defaultSiteSpace: string | null
  order?: string
}

/** A heading over sections, as stored. */
export interface GroupEntry {
  type: 'site-section-group'
  id: string
  title: string
  icon?: string
  sections: SectionEntry[]
  order?: string
}

/** What a site shows, in order. Site spaces are at the root only while there is no section. */
export interface SiteStructure {
  siteSpaces: SiteSpaceEntry[]
  /** ID of one of `siteSpaces`; null = there is none. */
  defaultSiteSpace: string | null
  items: (SectionEntry | GroupEntry)[]
  /** ID of one of the sections; null = there is none. */
  defaultSection: string | null
}

export const emptyStructure: SiteStructure = { siteSpaces: [], defaultSiteSpace: null, items: [], defaultSection: null }

/** The sections of a structure in order, those in groups too. */
export const sectionsOf = (structure: SiteStructure): SectionEntry[] =>
  structure.items.flatMap((item) => (item.type === 'site-section' ? [item] : item.sections))

/** The site spaces of a structure in order. */
export const siteSpacesOf = (structure: SiteStructure): SiteSpaceEntry[] => [
  ...structure.siteSpaces,
  ...sectionsOf(structure).flatMap((section) => section.siteSpaces),
]

/** IDs of the spaces of a structure. */
export const spacesOf = (structure: SiteStructure): string[] => siteSpacesOf(structure).map((entry) => entry.space)
