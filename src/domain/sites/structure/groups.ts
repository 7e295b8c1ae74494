// Groups of sections in the structure of a site.
import { badRequest, conflict } from '../../../kernel/errors.js'
import type { GroupEntry, SectionEntry, SiteStructure } from '../../../model/index.js'
import { findGroup, findSection, getGroup, groupsOf, replaceGroup } from './find.js'

export const MAX_GROUPS = 100

/** A group to be added. */
interface NewGroup {
  id: string
  title: string
  icon?: string
}

/** The structure without a section, wherever that is. */
const withoutSection = (structure: SiteStructure, id: string): SiteStructure => ({
  ...structure,
  items: structure.items
    .filter((item) => item.id !== id)
    .map((item) => (item.type === 'site-section-group' ? { ...item, sections: item.sections.filter((section) => section.id !== id) } : item)),
})

function requireSection(structure: SiteStructure, id: string, field: string): SectionEntry {
  const found = findSection(structure, id)
  if (found) return found.section
  throw badRequest('There is no such section.', [{ path: field, message: 'must be the ID of a section of this site' }])
}

/** Adds a group with sections, in the order given. It takes the place of the first of them at the top level, else it goes to the end. */
export function addGroup(structure: SiteStructure, { id, title, icon }: NewGroup, sectionIds: readonly string[]): SiteStructure {
  if (groupsOf(structure).length >= MAX_GROUPS) throw conflict(`A site can have at most ${MAX_GROUPS} groups of sections: remove some first.`)
  const sections = sectionIds.map((section, i) => requireSection(structure, section, `/sections/${i}`))
  const group: GroupEntry = { type: 'site-section-group', id, title, ...(icon === undefined ? {} : { icon }), sections }
  const first = structure.items.findIndex((item) => item.id === sectionIds[0])
  const target = first < 0 ? structure.items.length : first
  const staying = new Set(structure.items.slice(0, target).map((item) => item.id))
  const left = sectionIds.reduce(withoutSection, structure)
  const index = left.items.filter((item) => staying.has(item.id)).length
  return { ...left, items: [...left.items.slice(0, index), group, ...left.items.slice(index)] }
}

/** Changes title or icon of a group; null removes the icon. Throws 404. */
export function updateGroup(structure: SiteStructure, id: string, { title, icon }: { title?: string; icon?: string | null }): SiteStructure {
  const { icon: had, ...group } = getGroup(structure, id)
  const newIcon = icon === undefined ? had : (icon ?? undefined)
  return replaceGroup(structure, { ...group, ...(title === undefined ? {} : { title }), ...(newIcon === undefined ? {} : { icon: newIcon }) })
}

/** Removes a group; its sections take its place at the top level. Returns a structure without the group unchanged. */
export function removeGroup(structure: SiteStructure, id: string): SiteStructure {
  if (!findGroup(structure, id)) return structure
  return { ...structure, items: structure.items.flatMap((item) => (item.id === id && item.type === 'site-section-group' ? item.sections : [item])) }
}

/** Moves a section to the end of a group, unless it is in the group already. Throws 404 (group), 400 (section). */
export function addToGroup(structure: SiteStructure, id: string, sectionId: string): SiteStructure {
  const group = getGroup(structure, id)
  const section = requireSection(structure, sectionId, '/sectionId')
  if (group.sections.includes(section)) return structure
  const left = withoutSection(structure, sectionId)
  return replaceGroup(left, { ...group, sections: [...group.sections, section] })
}

/** Takes a section out of a group, to the top level right after the group. Does nothing if the section is not in the group. */
export function removeFromGroup(structure: SiteStructure, id: string, sectionId: string): SiteStructure {
  const section = findGroup(structure, id)?.sections.find((one) => one.id === sectionId)
  if (!section) return structure
  const left = withoutSection(structure, sectionId)
  return { ...left, items: left.items.flatMap((item) => (item.id === id ? [item, section] : [item])) }
}
