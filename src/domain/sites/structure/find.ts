// Finds and replaces sections, groups and site spaces in a structure.
import { notFound } from '../../../kernel/errors.js'
import { type GroupEntry, type SectionEntry, type SiteSpaceEntry, type SiteStructure, sectionsOf } from '../../../model/index.js'

/** The groups of a structure in order. */
export const groupsOf = (structure: SiteStructure): GroupEntry[] => structure.items.filter((item) => item.type === 'site-section-group')

/** A section and the group that it is in; null if there is no such section. */
export function findSection(structure: SiteStructure, id: string): { section: SectionEntry; group?: GroupEntry } | null {
  for (const item of structure.items) {
    if (item.type === 'site-section') {
      if (item.id === id) return { section: item }
      continue
    }
    const section = item.sections.find((one) => one.id === id)
    if (section) return { section, group: item }
  }
  return null
}

export const findGroup = (structure: SiteStructure, id: string): GroupEntry | null => groupsOf(structure).find((group) => group.id === id) ?? null

/** A site space and the section that it is in; null if there is no such site space. */
export function findSiteSpace(structure: SiteStructure, id: string): { siteSpace: SiteSpaceEntry; section?: SectionEntry } | null {
  for (const section of [undefined, ...sectionsOf(structure)]) {
    const siteSpace = (section ?? structure).siteSpaces.find((one) => one.id === id)
    if (siteSpace) return { siteSpace, ...(section ? { section } : {}) }
  }
  return null
}

/** Like `findSection`; throws 404. */
export function getSection(structure: SiteStructure, id: string): { section: SectionEntry; group?: GroupEntry } {
  const found = findSection(structure, id)
  if (!found) throw notFound('The site section')
  return found
}

/** Like `findGroup`; throws 404. */
export function getGroup(structure: SiteStructure, id: string): GroupEntry {
  const group = findGroup(structure, id)
  if (!group) throw notFound('The site section group')
  return group
}

/** Like `findSiteSpace`; throws 404. */
export function getSiteSpace(structure: SiteStructure, id: string): { siteSpace: SiteSpaceEntry; section?: SectionEntry } {
  const found = findSiteSpace(structure, id)
  if (!found) throw notFound('The site space')
  return found
}

/** The structure with one of its sections replaced. */
export const replaceSection = (structure: SiteStructure, next: SectionEntry): SiteStructure => ({
  ...structure,
  items: structure.items.map((item) => {
    if (item.type === 'site-section') return item.id === next.id ? next : item
    return { ...item, sections: item.sections.map((section) => (section.id === next.id ? next : section)) }
  }),
})

/** The structure with one of its groups replaced. */
export const replaceGroup = (structure: SiteStructure, next: GroupEntry): SiteStructure => ({
  ...structure,
  items: structure.items.map((item) => (item.id === next.id ? next : item)),
})

/** What contains site spaces: a section, or the root. */
export type Container = Pick<SiteStructure, 'siteSpaces' | 'defaultSiteSpace'>

/** The structure with other site spaces in a section, or at the root. */
export const replaceContainer = (structure: SiteStructure, section: SectionEntry | undefined, next: Container): SiteStructure =>
  section ? replaceSection(structure, { ...section, ...next }) : { ...structure, ...next }
