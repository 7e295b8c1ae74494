/** The structure of a site: its sections, groups of sections and site spaces, in order. */
import { Type } from '@sinclair/typebox'
import { closed, Id, oneOf } from './common.js'
import { type GroupEntry, SiteSectionGroup } from './site-section-group.js'
import { type SectionEntry, SiteSection } from './site-section.js'
import { SiteSpace, type SiteSpaceEntry } from './site-space.js'

/** What a site is made of. */
const siteItemTypes = ['site-section', 'site-section-group', 'site-space'] as const

export type SiteItemType = (typeof siteItemTypes)[number]

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

export const SiteStructureResponse = Type.Union(
  [
    Type.Object({ type: Type.Literal('sections'), structure: Type.Array(Type.Union([SiteSection, SiteSectionGroup])) }),
    Type.Object({ type: Type.Literal('siteSpaces'), structure: Type.Array(SiteSpace) }),
  ],
  { $id: 'SiteStructure' },
)

const ItemPointer = Type.Object({ type: oneOf(siteItemTypes), id: Id }, closed)

export const SortSiteStructure = Type.Object(
  { item: ItemPointer, position: Type.Optional(Type.Object({ before: Type.Optional(ItemPointer), after: Type.Optional(ItemPointer) }, closed)) },
  { ...closed, $id: 'SortSiteStructure' },
)
