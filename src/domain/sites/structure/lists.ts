/** Finds the groups of a structure, and replaces items in the lists that it consists of. */
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

/** The groups of a structure in order, each before those in it. */
export const groupsOf = (structure: SiteStructure): GroupEntry[] =>
  itemsOf(structure).flatMap(({ item }) => (item.type === 'site-section-group' ? [item] : []))

/** The group with this ID, at whatever level; null if there is none. */
export const findGroup = (structure: SiteStructure, id: string): GroupEntry | null =>
  groupsOf(structure).find((group) => group.id === id) ?? null

/** Like `findGroup`; throws 404. */
export function getGroup(structure: SiteStructure, id: string): GroupEntry {
  const group = findGroup(structure, id)
  if (!group) throw notFound('The site section group')
  return group
}

/** The group that a field of the body names. Throws 400. */
export function requireGroup(structure: SiteStructure, id: string, field: string): GroupEntry {
  const group = findGroup(structure, id)
  if (group) return group
  throw badRequest('There is no such group.', [
    { path: field, message: 'must be the ID of a group of sections of this site' },
  ])
}

/** The structure with every list of items changed, those of inner groups first. */
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

/** The structure without an item, wherever that is. */
export const withoutItem = (structure: SiteStructure, id: string): SiteStructure =>
  withLists(structure, (list) => list.filter((item) => item.id !== id))

/** The structure with one of its sections, groups or links replaced. */
export const replaceItem = (structure: SiteStructure, next: GroupChild): SiteStructure =>
  withLists(structure, (list) => list.map((item) => (item.id === next.id ? next : item)))

/** The structure with other items in a group, or at the top level (null). */
export const replaceList = (structure: SiteStructure, group: string | null, next: ItemList): SiteStructure =>
  withLists(structure, (list, of) => (of === group ? next : list))

/** The items of a group, or of the top level (null). */
export const listOfGroup = (structure: SiteStructure, group: string | null): ItemList =>
  group === null ? structure.items : (findGroup(structure, group)?.children ?? [])

/** What contains site spaces: a section, or the root. */
export type Container = Pick<SiteStructure, 'siteSpaces' | 'defaultSiteSpace'>

/** The structure with other site spaces in a section, or at the root. */
export const replaceContainer = (
  structure: SiteStructure,
  section: SectionEntry | undefined,
  next: Container,
): SiteStructure => (section ? replaceItem(structure, { ...section, ...next }) : { ...structure, ...next })
