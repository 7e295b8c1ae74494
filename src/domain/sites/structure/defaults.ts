// Sets and determines the section and space of a site that open first.
import { badRequest } from '../../../kernel/errors.js'
import { itemsOf, type SiteStructure } from '../../../model/index.js'
import { findSection, findSiteSpace } from './find.js'
import { type Container, replaceContainer } from './lists.js'

/**
 * Sets the default section, and the default site space, whose section becomes the default. Throws 400 if the section or
 * site space does not exist, or the site space is not in the given section.
 */
export function setDefaults(
  structure: SiteStructure,
  { section, siteSpace }: { section?: string; siteSpace?: string },
): SiteStructure {
  if (section !== undefined && !findSection(structure, section))
    throw badRequest('The section does not exist.', [
      { path: '/defaultSiteSection', message: 'must be the ID of a section of this site' },
    ])
  const chosen = section === undefined ? structure : { ...structure, defaultSection: section }
  if (siteSpace === undefined) return chosen
  const found = findSiteSpace(structure, siteSpace)
  if (!found)
    throw badRequest('The site space does not exist.', [
      { path: '/defaultSiteSpace', message: 'must be the ID of a site space of this site' },
    ])
  if (section !== undefined && found.section?.id !== section)
    throw badRequest('The site space is not in the section.', [
      { path: '/defaultSiteSpace', message: 'must be the ID of a site space of defaultSiteSection' },
    ])
  const { siteSpaces } = found.section ?? structure
  const next = replaceContainer(chosen, found.section, { siteSpaces, defaultSiteSpace: siteSpace })
  return { ...next, defaultSection: found.section?.id ?? null }
}

/**
 * Returns the ID of the site space that opens first in a section (or the root): the chosen default, otherwise the
 * first. Hidden ones and drafts do not count.
 */
export function shownDefault({ siteSpaces, defaultSiteSpace }: Container): string | null {
  const shown = siteSpaces.filter((entry) => !entry.hidden && !entry.draft)
  return (shown.find((entry) => entry.id === defaultSiteSpace) ?? shown[0])?.id ?? null
}

/**
 * Returns the ID of the section at the root of a site: the chosen default. If it is a draft or empty, the first live
 * section takes its place.
 */
export function shownDefaultSection(structure: SiteStructure): string | null {
  const shown = itemsOf(structure).flatMap(({ item, live }) =>
    item.type === 'site-section' && live && shownDefault(item) !== null ? [item] : [],
  )
  return (shown.find((section) => section.id === structure.defaultSection) ?? shown[0])?.id ?? structure.defaultSection
}
