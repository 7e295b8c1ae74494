import { badRequest, conflict } from '../../../kernel/errors.js'
import { type SiteSpaceEntry, type SiteStructure, siteSpacesOf, spacesOf } from '../../../model/index.js'
import { checkFree, checkPath, derivedPath } from '../paths.js'
import { type Container, findSection, getSiteSpace, replaceContainer } from './find.js'
import { without } from './position.js'

/** Most site spaces of a site: its structure is one document, and is shown as a whole. */
export const MAX_SITE_SPACES = 500

const paths = (container: Container, but?: string): string[] => container.siteSpaces.filter((entry) => entry.id !== but).map((entry) => entry.path)

/** A space to be put on a site; its path is made from its title. */
export interface NewSiteSpace {
  id: string
  space: string
  title: string
}

/** Throws 409 where a site shows the space already, or has no room. */
export function checkNewSpace(structure: SiteStructure, space: string): void {
  const there = spacesOf(structure)
  if (there.includes(space)) throw conflict('The site shows this space already: a space is on a site once.')
  if (there.length >= MAX_SITE_SPACES) throw conflict(`A site can show ${MAX_SITE_SPACES} spaces, and has as many.`)
}

/** The site spaces of a container with one more at the end; the first is the default. */
export function appended(container: Container, { id, space, title }: NewSiteSpace): Container {
  const entry: SiteSpaceEntry = { id, space, path: derivedPath(title, paths(container), 'space') }
  return { siteSpaces: [...container.siteSpaces, entry], defaultSiteSpace: container.defaultSiteSpace ?? id }
}

/** Adds a site space to a section; without one to the default section, or to the root of a site without sections. */
export function addSiteSpace(structure: SiteStructure, added: NewSiteSpace, sectionId: string | undefined): SiteStructure {
  checkNewSpace(structure, added.space)
  const id = sectionId ?? structure.defaultSection
  const section = id === null ? undefined : findSection(structure, id)?.section
  if (id !== null && !section) throw badRequest('There is no such section.', [{ path: '/sectionId', message: 'must be the ID of a section of this site' }])
  return replaceContainer(structure, section, appended(section ?? structure, added))
}

/** What of a site space can be changed; null removes the condition. */
export interface SiteSpaceChange {
  path?: string
  condition?: string | null
  space?: string
}

/** Changes a site space. Throws 404, 400 (path), 409 where a sibling has the path or the site shows the space already. */
export function updateSiteSpace(structure: SiteStructure, id: string, { path, condition, space }: SiteSpaceChange): SiteStructure {
  const { siteSpace, section } = getSiteSpace(structure, id)
  const container = section ?? structure
  if (path !== undefined && path !== siteSpace.path) {
    checkPath(path, '/path')
    checkFree(path, paths(container, id), 'path')
  }
  if (space !== undefined && space !== siteSpace.space && spacesOf(structure).includes(space))
    throw conflict('The site shows this space already: a space is on a site once.')
  const { condition: had, hidden, ...rest } = siteSpace
  const kept = condition === undefined ? had : (condition ?? undefined)
  const next: SiteSpaceEntry = {
    ...rest,
    ...(path === undefined ? {} : { path }),
    ...(space === undefined ? {} : { space }),
    ...(hidden && (space ?? siteSpace.space) === siteSpace.space ? { hidden } : {}),
    ...(kept === undefined ? {} : { condition: kept }),
  }
  return replaceContainer(structure, section, {
    siteSpaces: container.siteSpaces.map((entry) => (entry.id === id ? next : entry)),
    defaultSiteSpace: container.defaultSiteSpace,
  })
}

/** Removes a site space; the next one is the default where it was. A structure without it stays as it is. */
export function removeSiteSpace(structure: SiteStructure, id: string): SiteStructure {
  if (!siteSpacesOf(structure).some((entry) => entry.id === id)) return structure
  const { section } = getSiteSpace(structure, id)
  const container = section ?? structure
  const { rest, byDefault } = without(container.siteSpaces, id, container.defaultSiteSpace)
  return replaceContainer(structure, section, { siteSpaces: rest, defaultSiteSpace: byDefault })
}

/** Removes whatever shows a space. */
export const removeSpace = (structure: SiteStructure, space: string): SiteStructure =>
  siteSpacesOf(structure)
    .filter((entry) => entry.space === space)
    .reduce((left, entry) => removeSiteSpace(left, entry.id), structure)
