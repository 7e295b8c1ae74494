/** Adds, changes and removes external links in the groups of a site. */
import { conflict, notFound } from '../../../kernel/errors.js'
import { itemsOf, type LinkEntry, type SiteStructure } from '../../../model/index.js'
import { findLink } from './find.js'
import { listOfGroup, replaceItem, replaceList, requireGroup, withoutItem } from './lists.js'
import { defined } from '../../../kernel/defined.js'

const MAX_LINKS = 200

/** Lists the links of a structure in order, each with its group. */
const linksOf = (structure: SiteStructure): { link: LinkEntry; group: string }[] =>
  itemsOf(structure).flatMap(({ item, group }) =>
    item.type === 'site-external-link' && group ? [{ link: item, group: group.id }] : [],
  )

const appendTo = (structure: SiteStructure, group: string, link: LinkEntry): SiteStructure =>
  replaceList(structure, group, [...listOfGroup(structure, group), link])

/** Adds a link at the end of a group. Throws 400 (group), 409 (too many). */
export function addLink(structure: SiteStructure, link: Omit<LinkEntry, 'type'>, group: string): SiteStructure {
  requireGroup(structure, group, '/sectionGroup')
  if (linksOf(structure).length >= MAX_LINKS)
    throw conflict(`A site can have at most ${MAX_LINKS} external links. Remove some first.`)
  return appendTo(structure, group, { type: 'site-external-link', ...link })
}

/** Changes of a link; null removes the icon. */
interface LinkChange {
  title?: string
  target?: string
  icon?: string | null
  sectionGroup?: string
}

/** Changes a link. A new group adds it at the end of that group. Throws 404, 400 (group). */
export function updateLink(
  structure: SiteStructure,
  id: string,
  { icon, sectionGroup, ...change }: LinkChange,
): SiteStructure {
  const found = findLink(structure, id)
  if (!found) throw notFound('The external link')
  const { icon: had, ...rest } = found.link
  const newIcon = icon === undefined ? had : (icon ?? undefined)
  const next: LinkEntry = { ...rest, ...change, ...defined({ icon: newIcon }) }
  if (sectionGroup === undefined || sectionGroup === found.group.id) return replaceItem(structure, next)
  requireGroup(structure, sectionGroup, '/sectionGroup')
  return appendTo(withoutItem(structure, id), sectionGroup, next)
}

/** Removes a link. Returns a structure without the link unchanged. */
export const removeLink = (structure: SiteStructure, id: string): SiteStructure =>
  findLink(structure, id) ? withoutItem(structure, id) : structure
