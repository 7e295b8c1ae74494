import type { GroupEntry, SectionEntry, SiteItemType, SiteStructure } from '../../../model/index.js'
import { getGroup, getSection, getSiteSpace, replaceContainer, replaceGroup } from './find.js'
import { moveAmong, type ItemPointer, type SiblingPosition } from './position.js'

const typeOf = (item: SectionEntry | GroupEntry): SiteItemType => item.type

/**
 * Moves an item among its siblings: a section in its group, a section or group of the top level among the items there, a site
 * space in its section or at the root. Throws 404 if there is no such item, 400 and 409 as `moveAmong`.
 */
export function moveItem(structure: SiteStructure, { type, id }: ItemPointer, position: SiblingPosition): SiteStructure {
  if (type === 'site-space') {
    const { siteSpace, section } = getSiteSpace(structure, id)
    const { siteSpaces, defaultSiteSpace } = section ?? structure
    return replaceContainer(structure, section, { siteSpaces: moveAmong(siteSpaces, siteSpace, position, () => 'site-space'), defaultSiteSpace })
  }
  if (type === 'site-section') {
    const { section, group } = getSection(structure, id)
    if (group) return replaceGroup(structure, { ...group, sections: moveAmong(group.sections, section, position, typeOf) })
    return { ...structure, items: moveAmong<SectionEntry | GroupEntry>(structure.items, section, position, typeOf) }
  }
  return { ...structure, items: moveAmong<SectionEntry | GroupEntry>(structure.items, getGroup(structure, id), position, typeOf) }
}
