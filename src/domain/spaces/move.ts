import { badRequest, conflict, notFound, ServiceError } from '../../kernel/errors.js'
import { collections, type MoveContent, type SiblingPointer, spaces } from '../../model/index.js'
import type { Reader, Transaction } from '../../store/index.js'
import { type Viewer, viewerOf } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedCollection, LoadedSpace } from '../context/loaded.js'
import { loadedCollection } from './collections.js'
import { emit } from '../events/events.js'
import { checkMayAdd, checkMayMove, checkMayTake, checkNesting, roleOnItem, whatHeMayNotTake } from './places.js'
import { checkRulesHold, ruledFor } from './ruled.js'
import { collectionItem, type Item, isDeleted, itemsAt, itemsBelow, makeRoom, type Place, replaceItem, spaceItem } from './siblings.js'
import { openSpace } from './spaces.js'

/** How many things one refusal names. */
export const MAX_REASONS = 50

/** Moves a space to another collection, the top level, or another position. Throws as `moveItem` does. */
export async function moveSpace(app: App, actor: Actor, space: LoadedSpace, input: MoveContent): Promise<LoadedSpace> {
  const doc = await app.store.transact(async (tx) => {
    const stored = await tx.get(spaces, space.doc.id)
    if (!stored || stored.deletedAt !== undefined) throw notFound('The space')
    return (await moveItem(app, tx, actor, spaceItem(stored), input)).doc as typeof stored
  })
  return openSpace(app, actor, doc)
}

/** Moves a collection with everything in it. Throws as `moveItem` does. */
export async function moveCollection(app: App, actor: Actor, collection: LoadedCollection, input: MoveContent): Promise<LoadedCollection> {
  const doc = await app.store.transact(async (tx) => {
    const stored = await tx.get(collections, collection.doc.id)
    if (!stored) throw notFound('The collection')
    return (await moveItem(app, tx, actor, collectionItem(stored), input)).doc as typeof stored
  })
  return loadedCollection(app.store, actor, doc)
}

/**
 * Moves by what is stored now: two moves at once come one after the other. Throws 400 for a parent or sibling that is
 * none, 403 where the caller may not take from the old place, add to the new one, take along all that lies in it, or could lift a rule of it there, 409 where nothing would change, a
 * collection would lie in itself, or the caller would lose it from sight.
 */
async function moveItem(app: App, tx: Transaction, actor: Actor, item: Item, input: MoveContent): Promise<Item> {
  const { organization } = item.doc
  const viewer = await viewerOf(tx, actor.user.id, organization)
  const from: Place = placeOf(item)
  const to: Place = input.parent === undefined ? from : inPlace(organization, input.parent ?? undefined)
  await checkMayMove(tx, viewer, item)
  await checkMayTake(tx, viewer, from)
  await checkMayAdd(tx, viewer, to)
  if (item.kind === 'collection' && to.parent !== from.parent) {
    await checkNesting(tx, item.doc.id, to.parent)
    const refused = await whatHeMayNotTake(tx, viewer, await itemsBelow(tx, item.doc.id), 'move')
    if (refused.length > 0)
      throw new ServiceError('forbidden', 'You may not move all that lies in it: see details.', { details: refused.slice(0, MAX_REASONS) })
  }
  const all = await itemsAt(tx, to)
  const others = all.filter(({ doc }) => doc.id !== item.doc.id)
  const at = await indexOf(tx, viewer, others, item, input.position)
  if (
    from.parent === to.parent &&
    livingBefore(others, at) ===
      livingBefore(
        all,
        all.findIndex(({ doc }) => doc.id === item.doc.id),
      )
  )
    throw conflict('Nothing would change: it stands there already.')
  const [position] = await makeRoom(tx, others, at)
  const ruled = to.parent === from.parent ? [] : await ruledFor(tx, viewer, item.kind === 'space' ? [item] : await itemsBelow(tx, item.doc.id))
  const moved = await replaceItem(tx, withPlace(item, to, position as string, app.clock.now().toISOString()))
  if ((await roleOnItem(tx, viewer, moved)) === null)
    throw conflict('You would not see it any more: its default level gives nobody access, and there you have no role by name.')
  await checkRulesHold(tx, viewer.user, ruled)
  await emit(app, tx, {
    type: `${item.kind}.moved`,
    organization,
    actor: actor.user.id,
    subject: { [item.kind]: item.doc.id },
    data: { from: from.parent ?? null, to: to.parent ?? null },
  })
  return moved
}

export const inPlace = (organization: string, parent: string | undefined): Place => ({ organization, ...(parent === undefined ? {} : { parent }) })
export const placeOf = ({ doc }: Item): Place => inPlace(doc.organization, doc.parent)

/** The space or collection at another place. A space that was visible to those of its collection is private where there is none. */
export function withPlace(item: Item, { organization, parent }: Place, position: string, now: string): Item {
  const { parent: _before, ...rest } = item.doc
  const doc = { ...rest, organization, position, ...(parent === undefined ? {} : { parent }) }
  if (item.kind === 'collection') return { kind: 'collection', doc } as Item
  const alone = item.doc.visibility === 'in-collection' && parent === undefined
  return { kind: 'space', doc: { ...doc, updatedAt: now, ...(alone ? { visibility: 'private' } : {}) } } as Item
}

const livingBefore = (items: readonly Item[], at: number): number => items.slice(0, at).filter((item) => !isDeleted(item)).length

/**
 * Index among the others of the parent at which the item is to stand: directly before `before`, else directly after
 * `after`, else at the end. Throws 400.
 */
async function indexOf(tx: Reader, viewer: Viewer, others: readonly Item[], item: Item, position: MoveContent['position'] = {}): Promise<number> {
  const find = async (field: 'before' | 'after'): Promise<number | undefined> => {
    const pointer = position[field]
    if (pointer === undefined) return undefined
    const path = `/position/${field}`
    const { kind, id } = pointed(pointer)
    if (id === item.doc.id) throw badRequest('The position is not clear.', [{ path, message: 'must be another one than what is moved' }])
    const at = others.findIndex((other) => other.kind === kind && other.doc.id === id && !isDeleted(other))
    if (at < 0 || (await roleOnItem(tx, viewer, others[at] as Item)) === null)
      throw badRequest(`The ${kind} is not at the place that is moved to.`, [{ path, message: `must be a ${kind} of the parent that is moved to` }])
    return at
  }
  const [before, after] = [await find('before'), await find('after')]
  if (before !== undefined && after !== undefined && after >= before)
    throw badRequest('The position contradicts itself.', [{ path: '/position', message: '`after` must name an item that comes before that of `before`' }])
  return before ?? (after === undefined ? others.length : after + 1)
}

const pointed = (pointer: SiblingPointer): { kind: Item['kind']; id: string } =>
  pointer.type === 'space' ? { kind: 'space', id: pointer.space } : { kind: 'collection', id: pointer.collection }
