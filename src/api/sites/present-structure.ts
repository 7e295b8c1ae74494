/** Turns the sections, groups and site spaces of a site into the JSON that clients get. */
import type { App } from '../../domain/context/app.js'
import { publishedSection, publishedSiteSpace } from '../../domain/sites/addresses.js'
import {
  isGroup,
  isSiteDefault,
  isSection,
  type ShownGroup,
  type ShownItem,
  type ShownLink,
  type ShownSection,
  type ShownSiteSpace,
  type SiteView,
  shownGroups,
  shownLinks,
  shownSections,
  shownSiteSpaces,
} from '../../domain/sites/view.js'
import { openSpaces } from '../../domain/spaces/spaces.js'
import { notFound } from '../../kernel/errors.js'
import type { SiteSectionGroup } from '../../model/index.js'
import { presentSpace } from '../spaces/present.js'
import { siteLocation } from './present.js'
import { defined } from '../../kernel/defined.js'

const urlsOf = (location: string, published: string | undefined) => ({
  location,
  ...defined({ published }),
})

export async function presentSiteSpace(app: App, { address }: SiteView, shown: ShownSiteSpace) {
  const { entry, section, isDefault, isDefaultSection, live } = shown
  const [space] = await openSpaces(app, [shown.space])
  if (!space) throw notFound('The space')
  const published = live
    ? publishedSiteSpace(address, entry, { ...(section ? { section } : {}), isDefaultSection, isDefault })
    : undefined
  return {
    object: 'site-space' as const,
    id: entry.id,
    path: entry.path,
    ...(section ? { section: section.id } : {}),
    space: await presentSpace(app, space, address.shareKey),
    title: space.doc.title,
    default: isSiteDefault(shown),
    ...defined({ condition: entry.condition }),
    draft: entry.draft ?? false,
    hasAdvancedCustomizationFeature: true,
    urls: urlsOf(`${siteLocation(app, address.site)}/site-spaces/${entry.id}`, published),
  }
}

export async function presentSection(
  app: App,
  view: SiteView,
  { entry, group, isDefault, defaultSiteSpace, siteSpaces, live }: ShownSection,
) {
  const { condition, description, icon } = entry
  return {
    object: 'site-section' as const,
    id: entry.id,
    title: entry.title,
    ...defined({ description }),
    default: isDefault,
    ...(siteSpaces.some((one) => one.entry.id === defaultSiteSpace) && defaultSiteSpace !== null
      ? { defaultSiteSpace }
      : {}),
    path: entry.path,
    ...defined({ condition }),
    draft: entry.draft ?? false,
    ...(group ? { sectionGroup: group.id } : {}),
    ...defined({ icon }),
    siteSpaces: await Promise.all(siteSpaces.map((one) => presentSiteSpace(app, view, one))),
    urls: urlsOf(
      `${siteLocation(app, view.address.site)}/sections/${entry.id}`,
      live ? publishedSection(view.address, entry, isDefault) : undefined,
    ),
  }
}

export const presentLink = (app: App, { address }: SiteView, { entry, group }: ShownLink) => ({
  object: 'site-external-link' as const,
  id: entry.id,
  title: entry.title,
  target: entry.target,
  ...defined({ icon: entry.icon }),
  sectionGroup: group.id,
  urls: { location: `${siteLocation(app, address.site)}/external-links/${entry.id}` },
})

export async function presentGroup(
  app: App,
  view: SiteView,
  { entry, group, children }: ShownGroup,
): Promise<SiteSectionGroup> {
  const presented = await Promise.all(children.map((child) => presentItem(app, view, child)))
  return {
    object: 'site-section-group',
    id: entry.id,
    title: entry.title,
    ...defined({ icon: entry.icon }),
    draft: entry.draft ?? false,
    ...(group ? { sectionGroup: group.id } : {}),
    sections: presented.filter((child) => child.object === 'site-section'),
    children: presented,
    urls: { location: `${siteLocation(app, view.address.site)}/section-groups/${entry.id}` },
  }
}

async function presentItem(app: App, view: SiteView, item: ShownItem): Promise<SiteSectionGroup['children'][number]> {
  if (isGroup(item)) return presentGroup(app, view, item)
  return isSection(item) ? presentSection(app, view, item) : presentLink(app, view, item)
}

/** Returns the structure of a site: its sections and groups, or the site spaces at its root if it has no sections. */
export async function presentStructure(app: App, view: SiteView) {
  const { siteSpaces, items } = view
  const isFlat = view.address.site.structure.siteSpaces.length > 0 || items.length === 0
  if (isFlat)
    return {
      type: 'siteSpaces' as const,
      structure: await Promise.all(siteSpaces.map((one) => presentSiteSpace(app, view, one))),
    }
  const structure = await Promise.all(items.map((item) => presentItem(app, view, item)))
  return { type: 'sections' as const, structure: structure.filter((item) => item.object !== 'site-external-link') }
}

function found<T>(shown: T | undefined, what: string): T {
  if (shown === undefined) throw notFound(what)
  return shown
}

/** Returns one section of a view by ID. Throws 404 if it no longer exists. */
export const presentSectionById = (app: App, view: SiteView, id: string) =>
  presentSection(
    app,
    view,
    found(
      shownSections(view).find(({ entry }) => entry.id === id),
      'The site section',
    ),
  )

/** Returns one group of a view by ID. Throws 404 if it no longer exists. */
export const presentGroupById = (app: App, view: SiteView, id: string) =>
  presentGroup(
    app,
    view,
    found(
      shownGroups(view).find(({ entry }) => entry.id === id),
      'The site section group',
    ),
  )

/** Returns one external link of a view by ID. Throws 404 if it no longer exists. */
export const presentLinkById = (app: App, view: SiteView, id: string) =>
  presentLink(
    app,
    view,
    found(
      shownLinks(view).find(({ entry }) => entry.id === id),
      'The external link',
    ),
  )

/** Returns one site space of a view by ID. Throws 404 if it no longer exists. */
export const presentSiteSpaceById = (app: App, view: SiteView, id: string) =>
  presentSiteSpace(
    app,
    view,
    found(
      shownSiteSpaces(view).find(({ entry }) => entry.id === id),
      'The site space',
    ),
  )
