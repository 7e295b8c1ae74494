/** Changes and removes groups of sections in the structure of a site, and removes sections from them. */
import { itemsOf, type SiteStructure } from '../../../model/index.js'
import { findGroup, getGroup, listOfGroup, replaceItem, replaceList, withoutItem } from './lists.js'
import { defined } from '../../../kernel/defined.js'

/** Changes title, icon or draft of a group; null removes the icon. Throws 404. */
export function updateGroup(
  structure: SiteStructure,
  id: string,
  { title, icon, draft }: { title?: string; icon?: string | null; draft?: boolean },
): SiteStructure {
  const { icon: had, draft: was, ...group } = getGroup(structure, id)
  const newIcon = icon === undefined ? had : (icon ?? undefined)
  return replaceItem(structure, {
    ...group,
    ...defined({ title, icon: newIcon }),
    ...((draft ?? was) ? { draft: true } : {}),
  })
}

/**
 * Removes a group. Its children take its place. The top level has no links, so links of a top-level group are removed.
 * Returns a structure without the group unchanged.
 */
export function removeGroup(structure: SiteStructure, id: string): SiteStructure {
  const found = itemsOf(structure).find(({ item }) => item.id === id)
  if (found?.item.type !== 'site-section-group') return structure
  const parent = found.group?.id ?? null
  const children = found.item.children.filter((item) => parent !== null || item.type !== 'site-external-link')
  return replaceList(
    structure,
    parent,
    listOfGroup(structure, parent).flatMap((item) => (item.id === id ? children : [item])),
  )
}

/** Moves a section out of a group, directly after it. Does nothing if the section is not in the group. */
export function removeFromGroup(structure: SiteStructure, id: string, sectionId: string): SiteStructure {
  const section = findGroup(structure, id)?.children.find((one) => one.id === sectionId)
  if (section?.type !== 'site-section') return structure
  const parent = itemsOf(structure).find(({ item }) => item.id === id)?.group?.id ?? null
  const left = withoutItem(structure, sectionId)
  return replaceList(
    left,
    parent,
    listOfGroup(left, parent).flatMap((item) => (item.id === id ? [item, section] : [item])),
  )
}
