import { atLeast } from '../../access/index.js'
import { ServiceError } from '../../kernel/errors.js'
import { type CollectionDoc, collections, type DefaultLevel, type GrantDoc, grants } from '../../model/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'
import { type Viewer, viewerOf } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedCollection } from '../context/loaded.js'
import { emit } from '../events/events.js'
import { inPlace, placeOf, withPlace } from './move.js'
import { removeGrantsOn } from '../roles/permissions.js'
import { checkMayAdd, checkMayMove, collectionsFrom } from './places.js'
import { collectionItem, type Item, itemsAt, makeRoom, type Place, replaceItem, spaceItem } from './siblings.js'

/**
 * Deletes a collection. What is in it, deleted spaces too, goes to its parent (or the top level), where the collection
 * stood, in the same order; who could see and do what there, can see and do the same after it: the default level and the
 * roles that came from the collection are written into what was in it. Throws 403 where the caller may not add to the
 * parent what would go there. A collection that is gone already is no error.
 */
export async function deleteCollection(app: App, actor: Actor, collection: LoadedCollection): Promise<void> {
  await app.store.transact(async (tx) => {
    const stored = await tx.get(collections, collection.doc.id)
    if (!stored) return
    const viewer = await viewerOf(tx, actor.user.id, stored.organization)
    await checkMayMove(tx, viewer, collectionItem(stored))
    const place = placeOf(collectionItem(stored))
    const children = await itemsAt(tx, inPlace(stored.organization, stored.id))
    if (children.length > 0) await checkMayHandUp(tx, viewer, place)
    const siblings = await itemsAt(tx, place)
    const at = siblings.findIndex(({ doc }) => doc.id === stored.id)
    const positions = await makeRoom(tx, siblings, at + 1, children.length)
    const inherited = await inheritedFrom(tx, stored)
    const now = app.clock.now().toISOString()
    for (const [i, child] of children.entries()) {
      await handGrantsDown(tx, inherited.grants, child)
      await replaceItem(tx, withPlace(withoutCollection(child, inherited), place, positions[i] as string, now))
      await emitMoved(app, tx, actor, child, stored)
    }
    await removeGrantsOn(tx, { kind: 'collection', id: stored.id })
    await tx.remove(collections, stored.id)
    const subject = { collection: stored.id }
    const data = { title: stored.title, contentMovedTo: stored.parent ?? null }
    await emit(app, tx, { type: 'collection.deleted', organization: stored.organization, actor: actor.user.id, subject, data })
  })
}

async function checkMayHandUp(tx: Reader, viewer: Viewer, place: Place): Promise<void> {
  try {
    await checkMayAdd(tx, viewer, place)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new ServiceError('forbidden', 'What is in the collection would go to where the collection is, and you may not add to that: move it elsewhere first.')
  }
}

/** What a collection adds to the access of what is in it. */
interface Inherited {
  /** Its own default level; `inherit` = it adds none. */
  level: DefaultLevel
  /** The level that holds in it: its own, or the nearest above; `inherit` = the member's own role. */
  effective: DefaultLevel
  grants: readonly Document<GrantDoc>[]
}

async function inheritedFrom(tx: Reader, collection: Document<CollectionDoc>): Promise<Inherited> {
  const decides = (await collectionsFrom(tx, collection.id)).find(({ defaultLevel }) => defaultLevel !== 'inherit')
  return {
    level: collection.defaultLevel,
    effective: decides === undefined ? 'inherit' : decides.defaultLevel,
    grants: await tx.find(grants, 'target', `collection:${collection.id}`),
  }
}

/**
 * The item with what it has by the collection written into it. A space to be seen by those of the collection becomes
 * private: the people of the parent may be others; who could read it by that alone can go on reading.
 */
function withoutCollection(item: Item, { level, effective }: Inherited): Item {
  const own = item.doc.defaultLevel
  const defaultLevel = own === 'inherit' ? level : own
  if (item.kind === 'collection') return collectionItem({ ...item.doc, defaultLevel })
  if (item.doc.visibility !== 'in-collection') return spaceItem({ ...item.doc, defaultLevel })
  const readers = effective === null ? null : 'read'
  return spaceItem({ ...item.doc, visibility: 'private', defaultLevel: own === null ? readers : defaultLevel })
}

/** Gives everybody with a role on the collection that role on what was in it, where he has none as powerful. */
async function handGrantsDown(tx: Transaction, from: readonly Document<GrantDoc>[], { kind, doc }: Item): Promise<void> {
  for (const { principal, role } of from) {
    const [target, id] = [`${kind}:${doc.id}`, `${kind}:${doc.id}:${principal}`]
    const own = await tx.get(grants, id)
    if (!own) await tx.insert(grants, { id, target, principal, role })
    else if (!atLeast(own.role, role)) await tx.replace(grants, { ...own, role })
  }
}

const emitMoved = (app: App, tx: Transaction, actor: Actor, { kind, doc }: Item, { id, parent, organization }: CollectionDoc) =>
  emit(app, tx, {
    type: `${kind}.moved`,
    organization,
    actor: actor.user.id,
    subject: { [kind]: doc.id },
    data: { from: id, to: parent ?? null, because: 'the collection was deleted' },
  })
