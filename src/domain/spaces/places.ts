import { atLeast } from '../../access/index.js'
import { badRequest, conflict, type ErrorDetail, notFound, ServiceError } from '../../kernel/errors.js'
import { type CollectionDoc, collections, type Role } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import { roleOn, type Viewer, viewerOf } from '../roles/access.js'
import type { Item, Place } from './siblings.js'

/** How deep collections may lie in each other: every look at a space reads all above it. */
export const MAX_DEPTH = 32

/** The role of a viewer on a place: on the collection, or in the organization. */
export async function roleAt(reader: Reader, viewer: Viewer, place: Place): Promise<Role | null> {
  if (place.parent === undefined) return viewer.member ?? null
  const collection = await reader.get(collections, place.parent)
  return collection?.organization === place.organization ? roleOn(reader, viewer, { ...collection, kind: 'collection' }) : null
}

/** The role of a viewer on a space or collection. */
export const roleOnItem = (reader: Reader, viewer: Viewer, item: Item): Promise<Role | null> => roleOn(reader, viewer, { ...item.doc, kind: item.kind })

/** Throws 404 where the viewer does not see it any more, 403 where he may not move, transfer or delete it. */
export async function checkMayMove(reader: Reader, viewer: Viewer, item: Item): Promise<void> {
  const role = await roleOnItem(reader, viewer, item)
  if (role === null) throw notFound(`The ${item.kind}`)
  if (!atLeast(role, 'create')) throw new ServiceError('forbidden', `This needs the role create on the ${item.kind}: yours is ${role}.`)
}

/** Throws 400 where the collection is not one of the organization that the viewer sees, 403 where he may not add to the place. */
export async function checkMayAdd(reader: Reader, viewer: Viewer, place: Place): Promise<void> {
  const role = await roleAt(reader, viewer, place)
  if (place.parent !== undefined && role === null)
    throw badRequest('There is no such collection.', [{ path: '/parent', message: 'must be the ID of a collection of this organization' }])
  if (!atLeast(role, 'create')) throw mayNotAdd(place)
}

/** Throws 403 where somebody may not add to a place that no request names: that of a space which he copies or restores. */
export async function checkMayAddBeside(reader: Reader, user: string, { organization, parent }: Place): Promise<void> {
  const place = { organization, ...(parent === undefined ? {} : { parent }) }
  if (!atLeast(await roleAt(reader, await viewerOf(reader, user, organization), place), 'create')) throw mayNotAdd(place)
}

const mayNotAdd = (place: Place) => new ServiceError('forbidden', `You may not add to ${wording(place)}: that needs the role create there.`)

/** Throws 403 where the viewer may not take something away from the place. */
export async function checkMayTake(reader: Reader, viewer: Viewer, place: Place): Promise<void> {
  if (!atLeast(await roleAt(reader, viewer, place), 'create'))
    throw new ServiceError('forbidden', `You may not take anything out of ${wording(place)}: that needs the role create there.`)
}

/**
 * What a viewer may not take to another place, whose people may see and do more with it: that on which he has no role
 * create. What he may not see is counted, not named.
 */
export async function whatHeMayNotTake(reader: Reader, viewer: Viewer, items: readonly Item[], verb: 'move' | 'transfer'): Promise<ErrorDetail[]> {
  const details: ErrorDetail[] = []
  let unseen = 0
  for (const item of items) {
    const role = await roleOnItem(reader, viewer, item)
    if (role === null) unseen++
    else if (!atLeast(role, 'create')) details.push({ path: '', message: `you need the role create on the ${item.kind} ${item.doc.id} (${item.doc.title})` })
  }
  if (unseen > 0) details.push({ path: '', message: `${unseen} of what lies in it you may not see: an admin of the organization can ${verb} it` })
  return details
}

const wording = ({ parent }: Place): string => (parent === undefined ? 'the top level of the organization' : 'the collection')

/** The collections from `id` outwards. */
export async function collectionsFrom(reader: Reader, id: string | undefined): Promise<Document<CollectionDoc>[]> {
  const found: Document<CollectionDoc>[] = []
  for (let at = id === undefined ? null : await reader.get(collections, id); at; at = at.parent === undefined ? null : await reader.get(collections, at.parent))
    found.push(at)
  return found
}

/** Throws 400 where collections would lie deeper than `MAX_DEPTH`. `height`: of what is added, in collections. */
export async function checkDepth(reader: Reader, parent: string | undefined, height: number): Promise<void> {
  if ((await collectionsFrom(reader, parent)).length + height > MAX_DEPTH)
    throw badRequest('The collections would be nested too deep.', [{ path: '/parent', message: `collections can lie ${MAX_DEPTH} deep in each other` }])
}

/** How many collections lie in each other from this one down, itself counted. */
async function heightOf(reader: Reader, collection: string): Promise<number> {
  let height = 0
  for (let open = [collection]; open.length > 0; height++) {
    const next = await Promise.all(open.map((id) => reader.find(collections, 'parent', id)))
    open = next.flat().map(({ id }) => id)
  }
  return height
}

/** Throws 400 for a collection in itself, 409 for one in a collection that lies in it, 400 where it would lie too deep. */
export async function checkNesting(reader: Reader, id: string, parent: string | undefined): Promise<void> {
  if (id === parent) throw badRequest('A collection cannot be in itself.', [{ path: '/parent', message: 'must be another collection' }])
  if ((await collectionsFrom(reader, parent)).some((above) => above.id === id))
    throw conflict('A collection cannot be in one that lies in it: move that one out first.')
  await checkDepth(reader, parent, await heightOf(reader, id))
}
