/**
 * Adapts a site's customization to a visitor: removes links that are not for them, or that lead to content they may not
 * see.
 */
import type { SiteCustomization, SiteDestination } from '../../model/index.js'
import { shownSections, shownSiteSpaces } from './view.js'
import type { Visitor } from './visitor.js'

interface Link {
  to: SiteDestination | null
  condition?: string
}

/** Returns the customization for the visitor. */
export function customizationFor(visitor: Visitor, look: SiteCustomization): SiteCustomization {
  const { context, view } = visitor
  const sections = new Set(shownSections(view).map(({ entry }) => entry.id))
  const siteSpaces = new Set(shownSiteSpaces(view).map(({ entry }) => entry.id))
  const spaces = new Set(shownSiteSpaces(view).map(({ entry }) => entry.space))
  const isVisible = (to: SiteDestination | null): boolean => {
    if (to === null || to.kind === 'url') return true
    if (to.kind === 'site-section') return sections.has(to.siteSection)
    return to.kind === 'site-space' ? siteSpaces.has(to.siteSpace) : spaces.has(to.space)
  }
  const isFor = ({ to, condition }: Link): boolean =>
    (condition === undefined || context.holds(condition)) && isVisible(to)
  const { announcement, header, footer, ...rest } = look
  const { primaryLink, ...top } = header
  const links = header.links.filter(isFor).map((link) => ({ ...link, links: link.links.filter(isFor) }))
  return {
    ...rest,
    header: { ...top, ...(primaryLink && isFor(primaryLink) ? { primaryLink } : {}), links },
    footer: { ...footer, groups: footer.groups.map((group) => ({ ...group, links: group.links.filter(isFor) })) },
    ...(announcement ? { announcement: announcementFor(announcement, isFor) } : {}),
  }
}

type Announcement = NonNullable<SiteCustomization['announcement']>

const announcementFor = ({ link, ...rest }: Announcement, isFor: (link: Link) => boolean): Announcement => ({
  ...rest,
  ...(link && isFor(link) ? { link } : {}),
})
