// Reads and orders the spaces and collections of one location.
import { required } from '../../kernel/defined.js'
import { inOrder, positionsAt } from '../../kernel/order.js'
import { type CollectionDoc, collections, placeKey, type SpaceDoc, spaces } from '../../model/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'

/** A space or a collection, which are the items of a collection or of the top level of an organization. */
export type Item = { kind: 'space'; doc: Document<SpaceDoc> } | { kind: 'collection'; doc: Document<CollectionDoc> }

/** The location of items: a collection of an organization or, without `parent`, its top level. */
export interface Location {
  organization: string
  parent?: string
}

export const spaceItem = (doc: Document<SpaceDoc>): Item => ({ kind: 'space', doc })
export const collectionItem = (doc: Document<CollectionDoc>): Item => ({ kind: 'collection', doc })

/**
 * Whether the item is a deleted space. It keeps its position until it is restored or purged, but it is hidden from all
 * users.
 */
export const isDeleted = (item: Item): boolean => item.kind === 'space' && item.doc.deletedAt !== undefined

/** Lists the spaces and collections of one location in their order, including deleted spaces. */
export async function itemsAt(reader: Reader, location: Location): Promise<Item[]> {
  const [own, nested] = [
    await reader.find(spaces, 'place', placeKey(location)),
    await reader.find(collections, 'place', placeKey(location)),
  ]
  const byId = new Map([...own.map(spaceItem), ...nested.map(collectionItem)].map((item) => [item.doc.id, item]))
  return inOrder([...byId.values()].map(({ doc }) => doc)).map(({ id }) => required(byId.get(id)))
}

/** Lists all items below a collection at any depth, collections before their content. */
export async function itemsBelow(reader: Reader, collection: string): Promise<Item[]> {
  const found: Item[] = []
  for (let open = [collection]; open.length > 0; ) {
    const next: string[] = []
    for (const id of open) {
      const nested = await reader.find(collections, 'parent', id)
      next.push(...nested.map((doc) => doc.id))
      found.push(...nested.map(collectionItem), ...(await reader.find(spaces, 'parent', id)).map(spaceItem))
    }
    open = next
  }
  return found
}

/** Returns an item with changed values of members that spaces and collections share. */
export const withMembers = (item: Item, members: { position?: string; organization?: string }): Item =>
  item.kind === 'space' ? spaceItem({ ...item.doc, ...members }) : collectionItem({ ...item.doc, ...members })

/** Replaces the document of a space or collection. */
export async function replaceItem(tx: Transaction, item: Item): Promise<Item> {
  return item.kind === 'space'
    ? spaceItem(await tx.replace(spaces, item.doc))
    : collectionItem(await tx.replace(collections, item.doc))
}

/**
 * Creates `n` positions at index `at` among siblings, which are given in their order. Siblings that are in the way get
 * new, stored positions.
 * @returns the positions, which the caller stores
 */
export async function makeRoom(tx: Transaction, siblings: readonly Item[], at: number, n = 1): Promise<string[]> {
  if (n === 0) return []
  const { positions, moved } = positionsAt(
    siblings.map(({ doc }) => doc),
    at,
    n,
  )
  for (const item of siblings) {
    const position = moved.get(item.doc.id)
    if (position !== undefined) await replaceItem(tx, withMembers(item, { position }))
  }
  return positions
}

/** Returns the position at the end of a location. */
export async function positionAtEnd(tx: Transaction, location: Location): Promise<string> {
  const siblings = await itemsAt(tx, location)
  return required((await makeRoom(tx, siblings, siblings.length))[0])
}
