// What is checked before spaces and collections are put into, or taken out of, a location: the roles that this needs.
import { atLeast } from '../../access/index.js'
import { badRequest, type ErrorDetail, notFound, ServiceError } from '../../kernel/errors.js'
import { collections, type Role } from '../../model/index.js'
import type { Reader } from '../../store/index.js'
import { roleOn, type Viewer, viewerOf } from '../roles/access.js'
import type { Item, Location } from './siblings.js'

/** The role of a viewer at a location: on the collection, or (top level) in the organization. */
export async function roleAt(reader: Reader, viewer: Viewer, location: Location): Promise<Role | null> {
  if (location.parent === undefined) return viewer.member ?? null
  const collection = await reader.get(collections, location.parent)
  return collection?.organization === location.organization
    ? roleOn(reader, viewer, { ...collection, kind: 'collection' })
    : null
}

/** The role of a viewer on a space or collection. */
export const roleOnItem = (reader: Reader, viewer: Viewer, item: Item): Promise<Role | null> =>
  roleOn(reader, viewer, { ...item.doc, kind: item.kind })

/** Throws 404 if the viewer may no longer see the item, 403 if they may not move, transfer or delete it. */
export async function checkMayMove(reader: Reader, viewer: Viewer, item: Item): Promise<void> {
  const role = await roleOnItem(reader, viewer, item)
  if (role === null) throw notFound(`The ${item.kind}`)
  if (!atLeast(role, 'create'))
    throw new ServiceError('forbidden', `This needs the role create on the ${item.kind}; your role is ${role}.`)
}

/** Throws 400 if the viewer sees no such collection in the organization, 403 if they may not add to the location. */
export async function checkMayAdd(reader: Reader, viewer: Viewer, location: Location): Promise<void> {
  const role = await roleAt(reader, viewer, location)
  if (location.parent !== undefined && role === null)
    throw badRequest('There is no such collection.', [
      { path: '/parent', message: 'must be the ID of a collection of this organization' },
    ])
  if (!atLeast(role, 'create')) throw mayNotAdd(location)
}

/** Throws 403 if the user may not add to the location of a space that they copy or restore (the request does not name it). */
export async function checkMayAddBeside(
  reader: Reader,
  user: string,
  { organization, parent }: Location,
): Promise<void> {
  const location = { organization, ...(parent === undefined ? {} : { parent }) }
  if (!atLeast(await roleAt(reader, await viewerOf(reader, user, organization), location), 'create'))
    throw mayNotAdd(location)
}

const mayNotAdd = (location: Location) =>
  new ServiceError('forbidden', `You may not add to ${wording(location)}: that needs the role create there.`)

/** Throws 403 if the viewer may not take anything out of the location. */
export async function checkMayTake(reader: Reader, viewer: Viewer, location: Location): Promise<void> {
  if (!atLeast(await roleAt(reader, viewer, location), 'create'))
    throw new ServiceError(
      'forbidden',
      `You may not take anything out of ${wording(location)}: that needs the role create there.`,
    )
}

/**
 * The items that a viewer may not take to another location, where other people may get access to them: those on which they
 * lack the role create. Items that they may not see are counted, not named.
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
      message: `you may not see ${unseen} of the items that it contains: an admin of the organization can ${verb} it`,
    })
  return details
}

const wording = ({ parent }: Location): string =>
  parent === undefined ? 'the top level of the organization' : 'the collection'
