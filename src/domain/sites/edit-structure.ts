// Changes the structure of a site: sections, groups and site spaces. The pure functions are in `structure/`.
import { notFound } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import {
  type CreateSiteSection,
  type CreateSiteSectionGroup,
  type CreateSiteSpace,
  type SiteStructure,
  spaces,
  type UpdateSiteSection,
  type UpdateSiteSectionGroup,
  type UpdateSiteSpace,
} from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSite } from '../context/loaded.js'
import { requireCondition } from './conditions.js'
import { removeDocumentsOfRemoved } from './customization.js'
import { publishableSpace } from './publishable-space.js'
import { changeSite, titleFrom } from './sites.js'
import { findVisibleSiteSpace } from './view.js'
import { removeFromGroup, removeGroup, updateGroup } from './structure/groups.js'
import { addGroup, addToGroup } from './structure/add-groups.js'
import { withKeys } from './structure/keys.js'
import { moveItem } from './structure/move.js'
import type { ItemPointer, SiblingPosition } from './structure/position.js'
import { addSection, removeSection, updateSection } from './structure/sections.js'
import { addSiteSpace, removeSiteSpace, updateSiteSpace } from './structure/site-spaces.js'
import { defined } from '../../kernel/defined.js'

type StructureEdit = (structure: SiteStructure, tx: Transaction) => SiteStructure | Promise<SiteStructure>

/** Changes the structure of a site in one transaction. Writes nothing if nothing changes. */
export function changeStructure(
  app: App,
  actor: Actor,
  site: LoadedSite,
  change: StructureEdit,
  space?: string,
): Promise<LoadedSite> {
  return changeSite(
    app,
    actor,
    site,
    async (doc, tx) => {
      const next = await change(doc.structure, tx)
      await removeDocumentsOfRemoved(tx, doc.structure, next)
      return next === doc.structure ? doc : { ...doc, structure: withKeys(next) }
    },
    space === undefined ? {} : { space },
  )
}

/** A changed site, and the ID of the item that was created in it. */
export interface Created {
  site: LoadedSite
  id: string
}

/** The target of a move. */
interface Move {
  position?: SiblingPosition | undefined
  /** A group; null = the top level; absent = the current list. */
  into?: string | null | undefined
}

const draftOf = ({ draft }: { draft?: boolean }): { draft?: true } => (draft ? { draft } : {})

const created = async (site: Promise<LoadedSite>, id: string): Promise<Created> => ({ site: await site, id })

/**
 * Adds a section that shows a space. Throws 400 (space), 403 (the caller may not publish it), 409 (the site already
 * shows it, or is full).
 */
export function createSection(app: App, actor: Actor, site: LoadedSite, input: CreateSiteSection): Promise<Created> {
  const id = newId()
  const change: StructureEdit = async (structure, tx) => {
    const { id: space, title } = await publishableSpace(tx, actor, site.doc.organization, input.spaceId, '/spaceId')
    const section = {
      id,
      title: input.title ?? titleFrom(title),
      ...(input.icon ? { icon: input.icon } : {}),
      ...draftOf(input),
    }
    const root = structure.siteSpaces.find((entry) => entry.id === structure.defaultSiteSpace)
    const rootTitle = root && (await tx.get(spaces, root.space))?.title
    return addSection(structure, section, { id: newId(), space, title }, { id: newId(), title: titleFrom(rootTitle) })
  }
  return created(changeStructure(app, actor, site, change, input.spaceId), id)
}

/** Changes a section. Throws 400 (path, condition, default site space), 404, 409 (path). */
export async function changeSection(
  app: App,
  actor: Actor,
  site: LoadedSite,
  id: string,
  input: UpdateSiteSection,
): Promise<LoadedSite> {
  if (input.condition) requireCondition(input.condition, '/condition')
  return changeStructure(app, actor, site, (structure) => updateSection(structure, id, input))
}

/** Removes a section and its site spaces. The spaces stay. */
export const deleteSection = (app: App, actor: Actor, site: LoadedSite, id: string): Promise<LoadedSite> =>
  changeStructure(app, actor, site, (structure) => removeSection(structure, id))

/** Adds a group of sections. Throws 400 (sections, group), 409 (too many groups, or levels). */
export function createGroup(app: App, actor: Actor, site: LoadedSite, input: CreateSiteSectionGroup): Promise<Created> {
  const { title, icon, sections = [], sectionGroup = null } = input
  const id = newId()
  const group = { id, title, ...(icon ? { icon } : {}), ...draftOf(input) }
  return created(
    changeStructure(app, actor, site, (structure) => addGroup(structure, group, sections, sectionGroup)),
    id,
  )
}

/** Changes title, icon and draft of a group. */
export const changeGroup = (
  app: App,
  actor: Actor,
  site: LoadedSite,
  id: string,
  input: UpdateSiteSectionGroup,
): Promise<LoadedSite> => changeStructure(app, actor, site, (structure) => updateGroup(structure, id, input))

/** Removes a group. Its children take its place, except for links if it was at the top level. */
export const deleteGroup = (app: App, actor: Actor, site: LoadedSite, id: string): Promise<LoadedSite> =>
  changeStructure(app, actor, site, (structure) => removeGroup(structure, id))

/** Appends a section to a group. Throws 400 (section). */
export const addSectionToGroup = (
  app: App,
  actor: Actor,
  site: LoadedSite,
  group: string,
  section: string,
): Promise<LoadedSite> => changeStructure(app, actor, site, (structure) => addToGroup(structure, group, section))

/** Removes a section from a group. */
export const removeSectionFromGroup = (
  app: App,
  actor: Actor,
  site: LoadedSite,
  group: string,
  section: string,
): Promise<LoadedSite> => changeStructure(app, actor, site, (structure) => removeFromGroup(structure, group, section))

/**
 * Adds a space to a site. Throws 400 (space, section), 403 (the caller may not publish it), 409 (the site already shows
 * it, or is full).
 */
export function createSiteSpace(app: App, actor: Actor, site: LoadedSite, input: CreateSiteSpace): Promise<Created> {
  const id = newId()
  const change: StructureEdit = async (structure, tx) => {
    const { id: space, title } = await publishableSpace(tx, actor, site.doc.organization, input.spaceId, '/spaceId')
    return addSiteSpace(structure, { id, space, title, ...draftOf(input) }, input.sectionId)
  }
  return created(changeStructure(app, actor, site, change, input.spaceId), id)
}

/**
 * Changes a site space. Throws 400 (path, condition, space), 403 (the caller may not publish it), 404, 409 (path, or
 * the site already shows the space).
 */
export async function changeSiteSpace(
  app: App,
  actor: Actor,
  site: LoadedSite,
  id: string,
  input: UpdateSiteSpace,
): Promise<LoadedSite> {
  if (input.condition) requireCondition(input.condition, '/condition')
  const { spaceId, ...rest } = input
  const change: StructureEdit = async (structure, tx) => {
    if (spaceId !== undefined) await publishableSpace(tx, actor, site.doc.organization, spaceId, '/spaceId')
    return updateSiteSpace(structure, id, { ...rest, ...defined({ space: spaceId }) })
  }
  return changeStructure(app, actor, site, change, spaceId)
}

/** Removes a space from a site. The space itself stays. */
export const deleteSiteSpace = (app: App, actor: Actor, site: LoadedSite, id: string): Promise<LoadedSite> =>
  changeStructure(app, actor, site, (structure) => removeSiteSpace(structure, id))

/**
 * Moves an item within its list or into another group. Throws 404 (no such item, or the caller may not see it), 400
 * (position, group), and 409 (nothing would change, or too many levels).
 */
export async function moveInStructure(
  app: App,
  actor: Actor,
  site: LoadedSite,
  item: ItemPointer,
  { into, position = {} }: Move = {},
): Promise<LoadedSite> {
  if (item.type === 'site-space' && !(await findVisibleSiteSpace(app, actor, site, item.id)))
    throw notFound('The site space')
  return changeStructure(app, actor, site, (structure) => moveItem(structure, item, position, into))
}
