// Moves spaces and collections within their organization.
import { badRequest, conflict, notFound, ServiceError } from '../../kernel/errors.js'
import { collections, type MoveContent, type SiblingPointer, spaces } from '../../model/index.js'
import type { Reader, Transaction } from '../../store/index.js'
import { type Viewer, viewerOf } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedCollection, LoadedSpace } from '../context/loaded.js'
import { loadedCollection } from './collections.js'
import { emit } from '../events/events.js'
import { checkMayAdd, checkMayMove, checkMayTake, roleOnItem, itemsNotToTake } from './location-checks.js'
import { checkNesting } from './nesting-checks.js'
import { checkStillProtected, adminProtectedSpaces } from './protected-spaces.js'
import {
  collectionItem,
  type Item,
  isDeleted,
  itemsAt,
  itemsBelow,
  makeRoom,
  type Location,
  replaceItem,
  spaceItem,
} from './siblings.js'
import { openSpace } from './spaces.js'
import { defined, required } from '../../kernel/defined.js'

/** Maximum number of details in one error. */
export const MAX_DETAILS = 50

/** Moves a space to another collection, the top level, or another position. Throws the errors of `moveItem`. */
export async function moveSpace(app: App, actor: Actor, space: LoadedSpace, input: MoveContent): Promise<LoadedSpace> {
  const doc = await app.store.transact(async (tx) => {
    const stored = await tx.get(spaces, space.doc.id)
    if (!stored || stored.deletedAt !== undefined) throw notFound('The space')
    return (await moveItem(app, tx, actor, spaceItem(stored), input)).doc as typeof stored
  })
  return openSpace(app, actor, doc)
}

/** Moves a collection with its content. Throws the errors of `moveItem`. */
export async function moveCollection(
  app: App,
  actor: Actor,
  collection: LoadedCollection,
  input: MoveContent,
): Promise<LoadedCollection> {
  const doc = await app.store.transact(async (tx) => {
    const stored = await tx.get(collections, collection.doc.id)
    if (!stored) throw notFound('The collection')
    return (await moveItem(app, tx, actor, collectionItem(stored), input)).doc
  })
  return loadedCollection(app.store, actor, doc)
}

/**
 * Moves an item, based on the stored state. Concurrent moves run one at a time. Throws
 * - 400 if the parent or sibling does not exist;
 * - 403 if the caller may not take items from the old location, add to the new one, or move all of the content, or if
 * they would become an admin of a protected space (`adminProtectedSpaces`);
 * - 409 if nothing would change, a collection would contain itself, or the caller could no longer see the item.
 */
async function moveItem(app: App, tx: Transaction, actor: Actor, item: Item, input: MoveContent): Promise<Item> {
  const { organization } = item.doc
  const viewer = await viewerOf(tx, actor.user.id, organization)
  const from: Location = locationOf(item)
  const to: Location = input.parent === undefined ? from : locationIn(organization, input.parent ?? undefined)
  await checkMayMove(tx, viewer, item)
  await checkMayTake(tx, viewer, from)
  await checkMayAdd(tx, viewer, to)
  if (item.kind === 'collection' && to.parent !== from.parent) {
    await checkNesting(tx, item.doc.id, to.parent)
    const refused = await itemsNotToTake(tx, viewer, await itemsBelow(tx, item.doc.id), 'move')
    if (refused.length > 0)
      throw new ServiceError('forbidden', 'You are not allowed to move all items of the collection. See details.', {
        details: refused.slice(0, MAX_DETAILS),
      })
  }
  const all = await itemsAt(tx, to)
  const others = all.filter(({ doc }) => doc.id !== item.doc.id)
  const index = await indexOf(tx, viewer, others, item, input.position)
  const before = all.findIndex(({ doc }) => doc.id === item.doc.id)
  if (from.parent === to.parent && undeletedBefore(others, index) === undeletedBefore(all, before))
    throw conflict('Nothing would change: it is already at this position.')
  const [position] = await makeRoom(tx, others, index)
  const protectedIds =
    to.parent === from.parent
      ? []
      : await adminProtectedSpaces(tx, viewer, item.kind === 'space' ? [item] : await itemsBelow(tx, item.doc.id))
  const moved = await replaceItem(tx, movedTo(item, to, required(position), app.clock.now().toISOString()))
  if ((await roleOnItem(tx, viewer, moved)) === null)
    throw conflict(
      'You could no longer see it there, because its default level gives no access and you have no role on it.',
    )
  await checkStillProtected(tx, viewer.user, protectedIds)
  await emit(app, tx, {
    type: `${item.kind}.moved`,
    organization,
    actor: actor.user.id,
    subject: { [item.kind]: item.doc.id },
    data: { from: from.parent ?? null, to: to.parent ?? null },
  })
  return moved
}

export const locationIn = (organization: string, parent: string | undefined): Location => ({
  organization,
  ...defined({ parent }),
})
export const locationOf = ({ doc }: Item): Location => locationIn(doc.organization, doc.parent)

/** Returns the item at another location. A space with visibility `in-collection` becomes private at the top level. */
export function movedTo(item: Item, { organization, parent }: Location, position: string, now: string): Item {
  const to = { organization, position, ...defined({ parent }) }
  if (item.kind === 'collection') {
    const { parent: _before, ...rest } = item.doc
    return collectionItem({ ...rest, ...to })
  }
  const { parent: _before, ...rest } = item.doc
  const visibility = rest.visibility === 'in-collection' && parent === undefined ? 'private' : rest.visibility
  return spaceItem({ ...rest, ...to, updatedAt: now, visibility })
}

const undeletedBefore = (items: readonly Item[], at: number): number =>
  items.slice(0, at).filter((item) => !isDeleted(item)).length

/**
 * Returns the index of a position among the other items of the parent: directly before `before`, otherwise directly
 * after `after`, otherwise at the end. Throws 400.
 */
async function indexOf(
  tx: Reader,
  viewer: Viewer,
  others: readonly Item[],
  item: Item,
  position: MoveContent['position'] = {},
): Promise<number> {
  const find = async (field: 'before' | 'after'): Promise<number | undefined> => {
    const pointer = position[field]
    if (pointer === undefined) return undefined
    const path = `/position/${field}`
    const { kind, id } = siblingOf(pointer)
    if (id === item.doc.id)
      throw badRequest('The position refers to the moved item itself.', [
        { path, message: 'must refer to another item' },
      ])
    const index = others.findIndex((other) => other.kind === kind && other.doc.id === id && !isDeleted(other))
    if (index < 0 || (await roleOnItem(tx, viewer, required(others[index]))) === null)
      throw badRequest(`The ${kind} is not in the new parent.`, [
        { path, message: `must be a ${kind} in the new parent of the item` },
      ])
    return index
  }
  const [before, after] = [await find('before'), await find('after')]
  if (before !== undefined && after !== undefined && after >= before)
    throw badRequest('`after` and `before` contradict each other.', [
      { path: '/position', message: '`after` must refer to an item before the one of `before`' },
    ])
  return before ?? (after === undefined ? others.length : after + 1)
}

const siblingOf = (pointer: SiblingPointer): { kind: Item['kind']; id: string } =>
  pointer.type === 'space' ? { kind: 'space', id: pointer.space } : { kind: 'collection', id: pointer.collection }
