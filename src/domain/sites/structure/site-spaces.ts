// Adds, changes and removes site spaces in the structure of a site.
import { badRequest, conflict } from '../../../kernel/errors.js'
import { type SiteSpaceEntry, type SiteStructure, siteSpacesOf, spacesOf } from '../../../model/index.js'
import { checkFree, checkPath, derivedPath } from '../paths.js'
import { findSection, getSiteSpace } from './find.js'
import { type Container, replaceContainer } from './lists.js'
import { without } from './position.js'
import { defined } from '../../../kernel/defined.js'

/** Maximum number of site spaces. The structure of a site is one document, which is read as a whole. */
export const MAX_SITE_SPACES = 500

const paths = (container: Container, but?: string): string[] =>
  container.siteSpaces.filter((entry) => entry.id !== but).map((entry) => entry.path)

/** A space to add to a site. Its path is derived from its title. */
export interface NewSiteSpace {
  id: string
  space: string
  title: string
  draft?: true
}

/** Throws 409 if the site already shows the space or has the maximum number. */
export function checkNewSpace(structure: SiteStructure, space: string): void {
  const there = spacesOf(structure)
  if (there.includes(space)) throw shownAlready()
  if (there.length >= MAX_SITE_SPACES)
    throw conflict(`A site can show at most ${MAX_SITE_SPACES} spaces. Remove some first.`)
}

const shownAlready = () => conflict('The site already shows this space. A space can be on a site only once.')

/** Adds a site space at the end of a container. The first one is the default. */
export function appended(container: Container, { id, space, title, draft }: NewSiteSpace): Container {
  const entry: SiteSpaceEntry = {
    id,
    space,
    path: derivedPath(title, paths(container), 'space'),
    ...(draft ? { draft } : {}),
  }
  return { siteSpaces: [...container.siteSpaces, entry], defaultSiteSpace: container.defaultSiteSpace ?? id }
}

/**
 * Adds a site space to a section. Without `sectionId`, it is added to the default section, or to the root of a site
 * without sections.
 */
export function addSiteSpace(
  structure: SiteStructure,
  added: NewSiteSpace,
  sectionId: string | undefined,
): SiteStructure {
  checkNewSpace(structure, added.space)
  const id = sectionId ?? structure.defaultSection
  const section = id === null ? undefined : findSection(structure, id)?.section
  if (id !== null && !section)
    throw badRequest('The section does not exist.', [
      { path: '/sectionId', message: 'must be the ID of a section of this site' },
    ])
  return replaceContainer(structure, section, appended(section ?? structure, added))
}

/** Changes of a site space; null removes the condition. */
interface SiteSpaceChange {
  path?: string
  condition?: string | null
  space?: string
  draft?: boolean
}

/**
 * Changes a site space. Throws 404, 400 (path), and 409 if a sibling has the path or the site already shows the space.
 */
export function updateSiteSpace(
  structure: SiteStructure,
  id: string,
  { path, condition, space, draft }: SiteSpaceChange,
): SiteStructure {
  const { siteSpace, section } = getSiteSpace(structure, id)
  const container = section ?? structure
  if (path !== undefined && path !== siteSpace.path) {
    checkPath(path, '/path')
    checkFree(path, paths(container, id), 'path')
  }
  if (space !== undefined && space !== siteSpace.space && spacesOf(structure).includes(space)) throw shownAlready()
  const { condition: had, draft: was, hidden, ...rest } = siteSpace
  const newCondition = condition === undefined ? had : (condition ?? undefined)
  const next: SiteSpaceEntry = {
    ...rest,
    ...defined({ path, space }),
    ...(hidden && (space ?? siteSpace.space) === siteSpace.space ? { hidden } : {}),
    ...defined({ condition: newCondition }),
    ...((draft ?? was) ? { draft: true } : {}),
  }
  return replaceContainer(structure, section, {
    siteSpaces: container.siteSpaces.map((entry) => (entry.id === id ? next : entry)),
    defaultSiteSpace: container.defaultSiteSpace,
  })
}

/**
 * Removes a site space. If it was the default, the next one becomes the default. Returns a structure without the site
 * space unchanged.
 */
export function removeSiteSpace(structure: SiteStructure, id: string): SiteStructure {
  if (!siteSpacesOf(structure).some((entry) => entry.id === id)) return structure
  const { section } = getSiteSpace(structure, id)
  const container = section ?? structure
  const { rest, byDefault } = without(container.siteSpaces, id, container.defaultSiteSpace)
  return replaceContainer(structure, section, { siteSpaces: rest, defaultSiteSpace: byDefault })
}

/** Removes every site space that shows the space. */
export const removeSiteSpacesOf = (structure: SiteStructure, space: string): SiteStructure =>
  siteSpacesOf(structure)
    .filter((entry) => entry.space === space)
    .reduce((left, entry) => removeSiteSpace(left, entry.id), structure)
