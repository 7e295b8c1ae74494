/** The structure of a site as rows, with their parents and the possible moves. */
import { api, body, type Schemas } from '../api/client.js'
import { type Site, sitePath } from './site.js'

type Structure = Schemas['SiteStructure']
type Section = Schemas['SiteSection']
type Group = Schemas['SiteSectionGroup']
type SiteSpace = Schemas['SiteSpace']
type Link = Schemas['SiteExternalLink']

/** The type of a part of a site in the API. */
export interface PartName {
  type: 'site-section' | 'site-section-group' | 'site-external-link' | 'site-space'
  id: string
}

/** A row of the structure. */
export interface Row extends PartName {
  level: number
  part: Section | Group | SiteSpace | Link
  /** Its siblings in order, including itself. */
  siblings: readonly PartName[]
  /** The group that it is in; null = the top level; undefined = it cannot change its group (a variant). */
  group: Group | null | undefined
  /** The section of a variant. */
  section?: Section
  /** Whether it is the default of the site or of its section. */
  isDefault: boolean
}

const nameOf = (part: { object: string; id: string }): PartName => ({
  type: part.object as PartName['type'],
  id: part.id,
})

function rowsOf(parts: readonly Row['part'][], level: number, group: Row['group'], section?: Section): Row[] {
  const siblings = parts.map(nameOf)
  return parts.flatMap((part) => {
    const isDefault = 'default' in part && part.default
    const row: Row = { ...nameOf(part), level, part, siblings, group, isDefault, ...(section ? { section } : {}) }
    if (part.object === 'site-section' && part.siteSpaces.length > 1)
      return [row, ...rowsOf(part.siteSpaces, level + 1, undefined, part)]
    if (part.object === 'site-section-group') return [row, ...rowsOf(part.children, level + 1, part)]
    return [row]
  })
}

/** Lists the rows, from top to bottom. */
export const listRows = ({ type, structure }: Structure): Row[] =>
  type === 'sections' ? rowsOf(structure, 0, null) : rowsOf(structure, 0, undefined)

/** The target of a move: before or after a row, or the end of a group. */
export interface Move {
  into?: string | null
  position?: { before: PartName } | { after: PartName }
}

const is = (a: PartName, b: PartName): boolean => a.type === b.type && a.id === b.id

/** Returns the target to which a key moves a row. Null if there is none. */
export function moveByKey(rows: readonly Row[], row: Row, key: string): Move | null {
  const at = row.siblings.findIndex((one) => is(one, row))
  const before = row.siblings[at - 1]
  const after = row.siblings[at + 1]
  if (key === 'ArrowUp') return before ? { position: { before } } : null
  if (key === 'ArrowDown') return after ? { position: { after } } : null
  if (row.group === undefined) return null
  if (key === 'ArrowRight') return before?.type === 'site-section-group' ? { into: before.id } : null
  if (key !== 'ArrowLeft' || row.group === null || row.type === 'site-external-link') return null
  const group = row.group
  const parent = rows.find((one) => is(one, { type: 'site-section-group', id: group.id }))?.group
  return { into: parent?.id ?? null, position: { after: { type: 'site-section-group', id: group.id } } }
}

/** Returns the target to which a drop moves a row. Null if there is none. */
export function moveByDrop(row: Row, target: Row, where: 'before' | 'after' | 'into'): Move | null {
  if (is(row, target)) return null
  if (where === 'into')
    return target.type === 'site-section-group' && row.group !== undefined ? { into: target.id } : null
  const to = { type: target.type, id: target.id }
  const position = where === 'before' ? { before: to } : { after: to }
  if (row.siblings.some((one) => is(one, target))) return { position }
  if (row.group === undefined || target.group === undefined) return null
  if (target.group === null && row.type === 'site-external-link') return null
  return { into: target.group?.id ?? null, position }
}

/** Moves a row. Returns the new structure. */
export const moveRow = (site: Site, { type, id }: PartName, move: Move): Promise<Structure> =>
  body(
    api.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/structure/sort', {
      params: { path: sitePath(site) },
      body: { item: { type, id }, ...move },
    }),
  )

/** Returns the name of a row. */
export const titleOf = ({ part }: Row): string => part.title
