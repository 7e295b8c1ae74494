/** Adds groups of sections to the structure of a site, and sections to groups. */
import { badRequest, conflict } from '../../../kernel/errors.js'
import { type GroupEntry, type SectionEntry, type SiteStructure, itemsOf } from '../../../model/index.js'
import { findSection } from './find.js'
import { groupsOf, requireGroup, listOfGroup, withoutItem, replaceList, type ItemList, getGroup } from './lists.js'

export const MAX_GROUPS = 100

/** Maximum number of nested group levels. */
const MAX_LEVELS = 5

/** A group to add. */
interface NewGroup {
  id: string
  title: string
  icon?: string
  draft?: true
}

function requireSection(structure: SiteStructure, id: string, field: string): SectionEntry {
  const found = findSection(structure, id)
  if (found) return found.section
  throw badRequest('The section does not exist.', [
    { path: field, message: 'must be the ID of a section of this site' },
  ])
}

/**
 * Adds a group with sections, in the given order, to the top level or to another group. It takes the position of the
 * first section if that is in the same list. Otherwise it goes to the end. Throws 400 (sections, group), and 409 (too
 * many groups or levels).
 */
export function addGroup(
  structure: SiteStructure,
  added: NewGroup,
  sectionIds: readonly string[],
  parent: string | null = null,
): SiteStructure {
  if (groupsOf(structure).length >= MAX_GROUPS)
    throw conflict(`A site can have at most ${MAX_GROUPS} groups of sections. Remove some first.`)
  if (parent !== null) requireGroup(structure, parent, '/sectionGroup')
  const children = sectionIds.map((section, i) => requireSection(structure, section, `/sections/${i}`))
  const group: GroupEntry = { type: 'site-section-group', ...added, children }
  checkLevels(structure, group, parent)
  const list = listOfGroup(structure, parent)
  const first = list.findIndex((item) => item.id === sectionIds[0])
  const staying = new Set(list.slice(0, first < 0 ? list.length : first).map((item) => item.id))
  const left = sectionIds.reduce(withoutItem, structure)
  const rest = listOfGroup(left, parent)
  const index = rest.filter((item) => staying.has(item.id)).length
  return replaceList(left, parent, [...rest.slice(0, index), group, ...rest.slice(index)])
}

/** Throws 409 if a group would be nested too deeply below `parent`. */
export function checkLevels(structure: SiteStructure, group: GroupEntry, parent: string | null): void {
  const above = parent === null ? 0 : (itemsOf(structure).find(({ item }) => item.id === parent)?.level ?? 0)
  const heightOf = (children: ItemList): number =>
    1 + Math.max(0, ...children.map((item) => (item.type === 'site-section-group' ? heightOf(item.children) : 0)))
  if (above + heightOf(group.children) > MAX_LEVELS)
    throw conflict(`Groups can be nested at most ${MAX_LEVELS} levels deep. Choose another group.`)
}

/** Moves a section to the end of a group, unless it is already in the group. Throws 404 (group), 400 (section). */
export function addToGroup(structure: SiteStructure, id: string, sectionId: string): SiteStructure {
  const group = getGroup(structure, id)
  const section = requireSection(structure, sectionId, '/sectionId')
  if (group.children.includes(section)) return structure
  const left = withoutItem(structure, sectionId)
  return replaceList(left, id, [...listOfGroup(left, id), section])
}
