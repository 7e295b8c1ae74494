// Checks the roles that are needed to add spaces and collections to a location or to take them out of it.
import { atLeast } from '../../access/index.js'
import { badRequest, type ErrorDetail, notFound, ServiceError } from '../../kernel/errors.js'
import { collections, type Role } from '../../model/index.js'
import type { Reader } from '../../store/index.js'
import { roleOn, type Viewer, viewerOf } from '../roles/access.js'
import type { Item, Location } from './siblings.js'
import { defined } from '../../kernel/defined.js'

/** Returns the role of a viewer at a location: on the collection, or (top level) in the organization. */
export async function roleAt(reader: Reader, viewer: Viewer, location: Location): Promise<Role | null> {
  if (location.parent === undefined) return viewer.member ?? null
  const collection = await reader.get(collections, location.parent)
  return collection?.organization === location.organization
    ? roleOn(reader, viewer, { ...collection, kind: 'collection' })
    : null
}

/** Returns the role of a viewer on a space or collection. */
export const roleOnItem = (reader: Reader, viewer: Viewer, item: Item): Promise<Role | null> =>
  roleOn(reader, viewer, { ...item.doc, kind: item.kind })

/** Throws 404 if the viewer may no longer see the item, and 403 if they may not move, transfer or delete it. */
export async function checkMayMove(reader: Reader, viewer: Viewer, item: Item): Promise<void> {
  const role = await roleOnItem(reader, viewer, item)
  if (role === null) throw notFound(`The ${item.kind}`)
  if (!atLeast(role, 'create'))
    throw new ServiceError('forbidden', `This needs the role create on the ${item.kind}; your role is ${role}.`)
}

/**
 * Throws 400 if the viewer sees no such collection in the organization, and 403 if they may not add to the location.
 */
export async function checkMayAdd(reader: Reader, viewer: Viewer, location: Location): Promise<void> {
  const role = await roleAt(reader, viewer, location)
  if (location.parent !== undefined && role === null)
    throw badRequest('The collection does not exist.', [
      { path: '/parent', message: 'must be the ID of a collection of this organization' },
    ])
  if (!atLeast(role, 'create')) throw mayNotAdd(location)
}

/**
 * Throws 403 if the user may not add to the location of a space that they copy or restore. The request does not name
 * the location.
 */
export async function checkMayAddBeside(
  reader: Reader,
  user: string,
  { organization, parent }: Location,
): Promise<void> {
  const location = { organization, ...defined({ parent }) }
  if (!atLeast(await roleAt(reader, await viewerOf(reader, user, organization), location), 'create'))
    throw mayNotAdd(location)
}

const mayNotAdd = (location: Location) =>
  new ServiceError(
    'forbidden',
    `You are not allowed to add to ${describeLocation(location)}. This needs the role create there.`,
  )

/** Throws 403 if the viewer may not take items out of the location. */
export async function checkMayTake(reader: Reader, viewer: Viewer, location: Location): Promise<void> {
  if (!atLeast(await roleAt(reader, viewer, location), 'create'))
    throw new ServiceError(
      'forbidden',
      `You are not allowed to take items out of ${describeLocation(location)}. This needs the role create there.`,
    )
}

/**
 * Lists the items that a viewer may not take to another location, where other users may get access to them: those on
 * which they lack the role create. Items that they may not see are counted but not named.
 */
export async function itemsNotToTake(
  reader: Reader,
  viewer: Viewer,
  items: readonly Item[],
  verb: 'move' | 'transfer',
): Promise<ErrorDetail[]> {
  const details: ErrorDetail[] = []
  let unseen = 0
  for (const item of items) {
    const role = await roleOnItem(reader, viewer, item)
    if (role === null) unseen++
    else if (!atLeast(role, 'create'))
      details.push({
        path: '',
        message: `you need the role create on the ${item.kind} ${item.doc.id} (${item.doc.title})`,
      })
  }
  if (unseen > 0)
    details.push({
      path: '',
      message: `you are not allowed to see ${unseen} of the items that it contains; an admin of the organization can ${verb} it`,
    })
  return details
}

const describeLocation = ({ parent }: Location): string =>
  parent === undefined ? 'the top level of the organization' : 'the collection'
