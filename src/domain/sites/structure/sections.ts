// Adds, changes and removes sections in the structure of a site.
import { badRequest, conflict } from '../../../kernel/errors.js'
import { type SectionEntry, type SiteStructure, sectionsOf } from '../../../model/index.js'
import { checkFree, checkPath, derivedPath } from '../paths.js'
import { findSection, getSection } from './find.js'
import { replaceItem, withoutItem } from './lists.js'
import { without } from './position.js'
import { appended, checkNewSpace, type NewSiteSpace } from './site-spaces.js'
import { defined } from '../../../kernel/defined.js'

const MAX_SECTIONS = 500

const paths = (structure: SiteStructure, but?: string): string[] =>
  sectionsOf(structure)
    .filter((section) => section.id !== but)
    .map((section) => section.path)

/** A section to add. */
interface NewSection {
  id: string
  title: string
  icon?: string
  draft?: true
}

function add(
  structure: SiteStructure,
  { id, title, icon, draft }: NewSection,
  container: Pick<SectionEntry, 'siteSpaces' | 'defaultSiteSpace'>,
): SiteStructure {
  if (sectionsOf(structure).length >= MAX_SECTIONS)
    throw conflict(`A site can have at most ${MAX_SECTIONS} sections. Remove some first.`)
  const path = derivedPath(title, paths(structure), 'section')
  const section: SectionEntry = {
    type: 'site-section',
    id,
    title,
    path,
    ...defined({ icon }),
    ...(draft ? { draft } : {}),
    ...container,
  }
  return { ...structure, items: [...structure.items, section], defaultSection: structure.defaultSection ?? id }
}

/**
 * Adds a section with its first site space at the end of the top level. Site spaces at the root move into a new section
 * (`root`), which becomes the first and default one.
 */
export function addSection(
  structure: SiteStructure,
  section: NewSection,
  first: NewSiteSpace,
  root: NewSection,
): SiteStructure {
  checkNewSpace(structure, first.space)
  const { siteSpaces, defaultSiteSpace, ...rest } = structure
  const bare = { ...rest, siteSpaces: [], defaultSiteSpace: null }
  const ready = siteSpaces.length === 0 ? structure : add(bare, root, { siteSpaces, defaultSiteSpace })
  return add(ready, section, appended({ siteSpaces: [], defaultSiteSpace: null }, first))
}

/** Changes of a section; null removes a field. */
interface SectionChange {
  title?: string
  path?: string
  defaultSiteSpace?: string
  condition?: string | null
  icon?: string | null
  description?: string | null
  draft?: boolean
}

/** Changes a section. Throws 404, 400 (path, default site space), 409 if another section has the path. */
export function updateSection(structure: SiteStructure, id: string, change: SectionChange): SiteStructure {
  const { section } = getSection(structure, id)
  if (change.path !== undefined && change.path !== section.path) {
    checkPath(change.path, '/path')
    checkFree(change.path, paths(structure, id), 'path')
  }
  if (
    change.defaultSiteSpace !== undefined &&
    !section.siteSpaces.some((entry) => entry.id === change.defaultSiteSpace)
  )
    throw badRequest('The site space does not exist.', [
      { path: '/defaultSiteSpace', message: 'must be the ID of a site space of this section' },
    ])
  const next = Object.fromEntries(
    Object.entries({ ...section, ...change }).filter(
      ([, value]) => value !== null && value !== undefined && value !== false,
    ),
  )
  return replaceItem(structure, { defaultSiteSpace: null, ...next } as SectionEntry)
}

/**
 * Removes a section with its site spaces. If it was the default, the next one becomes the default. Returns a structure
 * without the section unchanged.
 */
export function removeSection(structure: SiteStructure, id: string): SiteStructure {
  if (!findSection(structure, id)) return structure
  const { byDefault } = without(sectionsOf(structure), id, structure.defaultSection)
  return { ...withoutItem(structure, id), defaultSection: byDefault }
}
