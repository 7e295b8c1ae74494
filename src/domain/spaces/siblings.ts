import { inOrder, positionsAt } from '../../kernel/order.js'
import { type CollectionDoc, collections, placeKey, type SpaceDoc, spaces } from '../../model/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'

/** A space or a collection: what stands in a collection or at the top level of an organization. */
export type Item = { kind: 'space'; doc: Document<SpaceDoc> } | { kind: 'collection'; doc: Document<CollectionDoc> }

/** A collection of an organization, or (parent absent) its top level. */
export interface Place {
  organization: string
  parent?: string
}

export const spaceItem = (doc: Document<SpaceDoc>): Item => ({ kind: 'space', doc })
export const collectionItem = (doc: Document<CollectionDoc>): Item => ({ kind: 'collection', doc })

/** Whether it is a deleted space: it keeps its place until it is restored or purged, and nobody sees it there. */
export const isDeleted = (item: Item): boolean => item.kind === 'space' && item.doc.deletedAt !== undefined

/** The spaces and collections of one place in their order, deleted spaces among them. */
export async function itemsAt(reader: Reader, place: Place): Promise<Item[]> {
  const [own, nested] = [await reader.find(spaces, 'place', placeKey(place)), await reader.find(collections, 'place', placeKey(place))]
  const byId = new Map([...own.map(spaceItem), ...nested.map(collectionItem)].map((item) => [item.doc.id, item]))
  return inOrder([...byId.values()].map(({ doc }) => doc)).map(({ id }) => byId.get(id) as Item)
}

/** Everything below a collection, at any depth: its collections before what is in them. */
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

/** Replaces the document of a space or collection. */
export async function replaceItem(tx: Transaction, item: Item): Promise<Item> {
  return item.kind === 'space' ? spaceItem(await tx.replace(spaces, item.doc)) : collectionItem(await tx.replace(collections, item.doc))
}

/**
 * Positions for `n` things at index `at` among siblings given in their order; gives siblings that need it a new position.
 * @returns the positions, to be stored with the things
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
    if (position !== undefined) await replaceItem(tx, { ...item, doc: { ...item.doc, position } } as Item)
  }
  return positions
}

/** The position at the end of a place. */
export async function positionAtEnd(tx: Transaction, place: Place): Promise<string> {
  const siblings = await itemsAt(tx, place)
  return (await makeRoom(tx, siblings, siblings.length))[0] as string
}
