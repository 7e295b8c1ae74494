/** Finds sections, links and site spaces in a structure. */
import { notFound } from '../../../kernel/errors.js'
import {
  type GroupEntry,
  itemsOf,
  type LinkEntry,
  type SectionEntry,
  type SiteSpaceEntry,
  type SiteStructure,
  sectionsOf,
} from '../../../model/index.js'

/** Finds a section and its group. Null if there is no such section. */
export function findSection(
  structure: SiteStructure,
  id: string,
): { section: SectionEntry; group?: GroupEntry } | null {
  for (const { item, group } of itemsOf(structure))
    if (item.type === 'site-section' && item.id === id) return { section: item, ...(group ? { group } : {}) }
  return null
}

/** Finds an external link and its group. Null if there is no such link. */
export function findLink(structure: SiteStructure, id: string): { link: LinkEntry; group: GroupEntry } | null {
  for (const { item, group } of itemsOf(structure))
    if (item.type === 'site-external-link' && item.id === id && group) return { link: item, group }
  return null
}

/** Finds a site space and its section. Null if there is no such site space. */
export function findSiteSpace(
  structure: SiteStructure,
  id: string,
): { siteSpace: SiteSpaceEntry; section?: SectionEntry } | null {
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

/** Like `findSiteSpace`; throws 404. */
export function getSiteSpace(
  structure: SiteStructure,
  id: string,
): { siteSpace: SiteSpaceEntry; section?: SectionEntry } {
  const found = findSiteSpace(structure, id)
  if (!found) throw notFound('The site space')
  return found
}
