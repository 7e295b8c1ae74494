import { badRequest, conflict } from '../../../kernel/errors.js'
import type { GroupEntry, SectionEntry, SiteStructure } from '../../../model/index.js'
import { findGroup, findSection, getGroup, groupsOf, replaceGroup } from './find.js'

/** Most groups of sections of a site. */
export const MAX_GROUPS = 100

/** A group to be made. */
export interface NewGroup {
  id: string
  title: string
  icon?: string
}

/** Takes a section out of where it stands. */
const pulled = (structure: SiteStructure, id: string): SiteStructure => ({
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

/** Adds a group with sections, in the order given. It stands where the first of them stood at the top level, else at the end. */
export function addGroup(structure: SiteStructure, { id, title, icon }: NewGroup, sectionIds: readonly string[]): SiteStructure {
  if (groupsOf(structure).length >= MAX_GROUPS) throw conflict(`A site can have ${MAX_GROUPS} groups of sections, and has as many.`)
  const sections = sectionIds.map((section, i) => requireSection(structure, section, `/sections/${i}`))
  const group: GroupEntry = { type: 'site-section-group', id, title, ...(icon === undefined ? {} : { icon }), sections }
  const first = structure.items.findIndex((item) => item.id === sectionIds[0])
  const at = first < 0 ? structure.items.length : first
  const staying = new Set(structure.items.slice(0, at).map((item) => item.id))
  const left = sectionIds.reduce(pulled, structure)
  const index = left.items.filter((item) => staying.has(item.id)).length
  return { ...left, items: [...left.items.slice(0, index), group, ...left.items.slice(index)] }
}

/** Changes title or icon of a group; null removes the icon. Throws 404. */
export function updateGroup(structure: SiteStructure, id: string, { title, icon }: { title?: string; icon?: string | null }): SiteStructure {
  const { icon: had, ...group } = getGroup(structure, id)
  const kept = icon === undefined ? had : (icon ?? undefined)
  return replaceGroup(structure, { ...group, ...(title === undefined ? {} : { title }), ...(kept === undefined ? {} : { icon: kept }) })
}

/** Removes a group; its sections stand at the top level in its place. A structure without it stays as it is. */
export function removeGroup(structure: SiteStructure, id: string): SiteStructure {
  if (!findGroup(structure, id)) return structure
  return { ...structure, items: structure.items.flatMap((item) => (item.id === id && item.type === 'site-section-group' ? item.sections : [item])) }
}

/** Puts a section at the end of a group, wherever it stood; one that is in it stays as it is. Throws 404 (group), 400 (section). */
export function addToGroup(structure: SiteStructure, id: string, sectionId: string): SiteStructure {
  const group = getGroup(structure, id)
  const section = requireSection(structure, sectionId, '/sectionId')
  if (group.sections.includes(section)) return structure
  const left = pulled(structure, sectionId)
  return replaceGroup(left, { ...group, sections: [...group.sections, section] })
}

/** Takes a section out of a group: it stands right behind it at the top level. One that is not in it stays where it is. */
export function removeFromGroup(structure: SiteStructure, id: string, sectionId: string): SiteStructure {
  const section = findGroup(structure, id)?.sections.find((one) => one.id === sectionId)
  if (!section) return structure
  const left = pulled(structure, sectionId)
  return { ...left, items: left.items.flatMap((item) => (item.id === id ? [item, section] : [item])) }
}
