/** Finds, lists and deletes connections of spaces to remote repositories. */
import { type Page, type PageQuery, pageOf, paginate } from '../../kernel/paging.js'
import { type ConnectionDoc, connections, spaces } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization, VisibleSpace } from '../context/loaded.js'
import { viewerOf } from '../roles/access.js'
import { rolesOf } from '../roles/roles-of-list.js'
import { emitConnectionEvent, unlinkSpace } from './link.js'
import { pollAfterChange } from './preview-polls.js'

/** Finds a connection of the space. Null if there is none. */
export async function findConnection(
  app: App,
  space: VisibleSpace,
  id: string,
): Promise<Document<ConnectionDoc> | null> {
  const doc = await app.store.get(connections, id)
  return doc?.space === space.doc.id ? doc : null
}

/** Lists the connections of a space, oldest first. */
export const listConnectionsOf = (
  app: App,
  space: VisibleSpace,
  query: PageQuery,
): Promise<Page<Document<ConnectionDoc>>> => pageOf(app.store, connections, 'ofSpace', space.doc.id, query)

/** Lists the connections of the organization's spaces that the caller may see, oldest first. */
export async function listAllConnections(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  query: PageQuery,
): Promise<Page<Document<ConnectionDoc>>> {
  const all = await app.store.find(connections, 'organization', organization.doc.id)
  const found = (
    await Promise.all([...new Set(all.map(({ space }) => space))].map((id) => app.store.get(spaces, id)))
  ).flatMap((space) => (space !== null && space.deletedAt === undefined ? [space] : []))
  const viewer = await viewerOf(app.store, actor.user.id, organization.doc.id)
  const roles = await rolesOf(app.store, viewer, 'space', found)
  const visible = new Set(found.filter((_, index) => roles[index] != null).map(({ id }) => id))
  return paginate(
    all.filter(({ space }) => visible.has(space)),
    query,
    (one) => [one.createdAt, one.id],
  )
}

/** Deletes a connection. The sync log stays, so that another connection to the same remote continues from there. */
export async function deleteConnection(app: App, actor: Actor, connection: ConnectionDoc): Promise<void> {
  await app.store.transact(async (tx) => {
    const stored = await tx.get(connections, connection.id)
    if (!stored) return
    await unlinkSpace(tx, stored)
    await tx.remove(connections, stored.id)
    await pollAfterChange(app, tx, stored, null)
    await emitConnectionEvent(app, tx, actor, 'deleted', stored)
  })
  app.wakes.jobs()
}
