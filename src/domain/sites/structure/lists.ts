/** Finds the groups of a structure, and replaces items in its lists. */
import { badRequest, notFound } from '../../../kernel/errors.js'
import {
  type GroupChild,
  type GroupEntry,
  type SectionEntry,
  type SiteStructure,
  itemsOf,
} from '../../../model/index.js'

/** A list of items: the top level, or the children of a group. */
export type ItemList = readonly GroupChild[]

/** Lists the groups of a structure in order, parents first. */
export const groupsOf = (structure: SiteStructure): GroupEntry[] =>
  itemsOf(structure).flatMap(({ item }) => (item.type === 'site-section-group' ? [item] : []))

/** Finds the group with this ID at any level. Null if there is none. */
export const findGroup = (structure: SiteStructure, id: string): GroupEntry | null =>
  groupsOf(structure).find((group) => group.id === id) ?? null

/** Like `findGroup`; throws 404. */
export function getGroup(structure: SiteStructure, id: string): GroupEntry {
  const group = findGroup(structure, id)
  if (!group) throw notFound('The site section group')
  return group
}

/** Returns the group that a field of the body refers to. Throws 400. */
export function requireGroup(structure: SiteStructure, id: string, field: string): GroupEntry {
  const group = findGroup(structure, id)
  if (group) return group
  throw badRequest('The group does not exist.', [
    { path: field, message: 'must be the ID of a group of sections of this site' },
  ])
}

/** Changes every list of items, inner groups first. */
function withLists(
  structure: SiteStructure,
  change: (list: ItemList, group: string | null) => ItemList,
): SiteStructure {
  const within = (list: ItemList, group: string | null): GroupChild[] => {
    const inner = list.map((item) =>
      item.type === 'site-section-group' ? { ...item, children: within(item.children, item.id) } : item,
    )
    return [...change(inner, group)]
  }
  return { ...structure, items: within(structure.items, null) as SiteStructure['items'] }
}

/** Removes an item at any level. */
export const withoutItem = (structure: SiteStructure, id: string): SiteStructure =>
  withLists(structure, (list) => list.filter((item) => item.id !== id))

/** Replaces one of the sections, groups or links. */
export const replaceItem = (structure: SiteStructure, next: GroupChild): SiteStructure =>
  withLists(structure, (list) => list.map((item) => (item.id === next.id ? next : item)))

/** Replaces the items of a group, or of the top level (null). */
export const replaceList = (structure: SiteStructure, group: string | null, next: ItemList): SiteStructure =>
  withLists(structure, (list, of) => (of === group ? next : list))

/** Returns the items of a group, or of the top level (null). */
export const listOfGroup = (structure: SiteStructure, group: string | null): ItemList =>
  group === null ? structure.items : (findGroup(structure, group)?.children ?? [])

/** A container of site spaces: a section, or the root. */
export type Container = Pick<SiteStructure, 'siteSpaces' | 'defaultSiteSpace'>

/** Replaces the site spaces of a section, or of the root. */
export const replaceContainer = (
  structure: SiteStructure,
  section: SectionEntry | undefined,
  next: Container,
): SiteStructure => (section ? replaceItem(structure, { ...section, ...next }) : { ...structure, ...next })
