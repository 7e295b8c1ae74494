/** The navigation of a page: the part of the page tree that is open around it. */
import type { PageEntry } from '../content/types.js'
import { pathOfPage, type ReadPage } from '../domain/sites/visitor-paths.js'
import type { Visit } from './visit.js'

/** An entry of the navigation. */
export interface NavigationItem {
  id: string
  title: string
  /** Absent for groups, which are headings. */
  href?: string
  isCurrent: boolean
  /** Whether the previewed change request changes the page. */
  isChanged: boolean
  /** Whether it has subpages that are not in `items`. */
  isClosed: boolean
  items: NavigationItem[]
}

/** Returns the navigation of a page. Only the branches that contain the page are open. */
export function navigationOf({ base, preview }: Visit, page: ReadPage): NavigationItem[] {
  const { siteSpace, pages, entry: current } = page
  const isAbove = (entry: PageEntry): boolean => entry.id === current.id || entry.pages.some((below) => isAbove(below))
  const itemOf = (entry: PageEntry): NavigationItem => {
    const isOpen = entry.type === 'group' || isAbove(entry)
    return {
      id: entry.id,
      title: entry.title,
      ...(entry.type === 'group' ? {} : { href: `${base}${pathOfPage(siteSpace, pages, entry)}` || '/' }),
      isCurrent: entry.id === current.id,
      isChanged: preview?.changed.has(entry.id) ?? false,
      isClosed: !isOpen && entry.pages.length > 0,
      items: isOpen ? entry.pages.map(itemOf) : [],
    }
  }
  return pages.listed.map(itemOf)
}
