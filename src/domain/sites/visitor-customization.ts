/** How a site looks to a visitor: without links that are not for them, or lead to what they do not see. */
import type { SiteCustomization, SiteDestination } from '../../model/index.js'
import { shownSections, shownSiteSpaces } from './view.js'
import type { Visitor } from './visitor.js'

interface Link {
  to: SiteDestination | null
  condition?: string
}

/** The customization as the visitor gets it. */
export function customizationFor(visitor: Visitor, look: SiteCustomization): SiteCustomization {
  const { context, view } = visitor
  const sections = new Set(shownSections(view).map(({ entry }) => entry.id))
  const siteSpaces = new Set(shownSiteSpaces(view).map(({ entry }) => entry.id))
  const spaces = new Set(shownSiteSpaces(view).map(({ entry }) => entry.space))
  const leads = (to: SiteDestination | null): boolean => {
    if (to === null || to.kind === 'url') return true
    if (to.kind === 'site-section') return sections.has(to.siteSection)
    return to.kind === 'site-space' ? siteSpaces.has(to.siteSpace) : spaces.has(to.space)
  }
  const isFor = ({ to, condition }: Link): boolean => (condition === undefined || context.holds(condition)) && leads(to)
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

const announcementFor = ({ link, ...told }: Announcement, isFor: (link: Link) => boolean): Announcement => ({
  ...told,
  ...(link && isFor(link) ? { link } : {}),
})
