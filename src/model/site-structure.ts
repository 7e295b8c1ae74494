/** The structure of a site: its sections, section groups and site spaces, in order. */
import { Type } from '@sinclair/typebox'
import { closed, Id, oneOf } from './common.js'
import { Into } from './site-fields.js'
import { type GroupChild, type GroupEntry, SiteSectionGroup } from './site-section-group.js'
import { type SectionEntry, SiteSection } from './site-section.js'
import { SiteSpace, type SiteSpaceEntry } from './site-space.js'

/** The kinds of items of a site. */
const siteItemTypes = ['site-section', 'site-section-group', 'site-external-link', 'site-space'] as const

export type SiteItemType = (typeof siteItemTypes)[number]

/** The items of a site, in order. Site spaces are at the root only while there are no sections. */
export interface SiteStructure {
  siteSpaces: SiteSpaceEntry[]
  /** ID of one of `siteSpaces`; null = there is none. */
  defaultSiteSpace: string | null
  items: (SectionEntry | GroupEntry)[]
  /** ID of one of the sections; null = there is none. */
  defaultSection: string | null
}

export const emptyStructure: SiteStructure = { siteSpaces: [], defaultSiteSpace: null, items: [], defaultSection: null }

/** A section, group or link with its parent group and its nesting level; 1 is the top level. */
export interface PlacedItem {
  item: GroupChild
  group?: GroupEntry
  level: number
  /** Whether neither the item nor any of its parent groups is a draft. */
  live: boolean
}

/** Returns the sections, groups and links of a structure in order, each group before its items. */
export function itemsOf({ items }: Pick<SiteStructure, 'items'>): PlacedItem[] {
  const within = (list: readonly GroupChild[], level: number, above: boolean, group?: GroupEntry): PlacedItem[] =>
    list.flatMap((item) => {
      const live = above && !('draft' in item && item.draft)
      const placed: PlacedItem = { item, ...(group ? { group } : {}), level, live }
      return item.type === 'site-section-group' ? [placed, ...within(item.children, level + 1, live, item)] : [placed]
    })
  return within(items, 1, true)
}

/** Returns the sections of a structure in order, including those in groups. */
export const sectionsOf = (structure: Pick<SiteStructure, 'items'>): SectionEntry[] =>
  itemsOf(structure).flatMap(({ item }) => (item.type === 'site-section' ? [item] : []))

/** Returns the site spaces of a structure in order. */
export const siteSpacesOf = (structure: SiteStructure): SiteSpaceEntry[] => [
  ...structure.siteSpaces,
  ...sectionsOf(structure).flatMap((section) => section.siteSpaces),
]

/** Returns the IDs of the spaces of a structure. */
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
  {
    item: ItemPointer,
    into: Into,
    position: Type.Optional(
      Type.Object({ before: Type.Optional(ItemPointer), after: Type.Optional(ItemPointer) }, closed),
    ),
  },
  { ...closed, $id: 'SortSiteStructure' },
)
