/** Lists and marks the notifications of a user. */
import { type Page, type PageQuery, paginate } from '../../kernel/paging.js'
import {
  type ChangeRequestDoc,
  changeRequests,
  type MarkNotifications,
  type NotificationDoc,
  notifications,
  type SpaceDoc,
  spaces,
} from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import { isTokenFor, spaceRole } from '../roles/access.js'

/** A notification with its subject. */
export interface ShownNotification {
  doc: Document<NotificationDoc>
  space: SpaceDoc
  changeRequest: ChangeRequestDoc | null
}

/** Finds spaces that a user may see, each once. */
export function visibleTo(reader: Reader, user: string, isFor: (organization: string) => Promise<boolean>) {
  const known = new Map<string, Promise<SpaceDoc | null>>()
  const find = async (id: string): Promise<SpaceDoc | null> => {
    const space = await reader.get(spaces, id)
    if (!space || space.deletedAt !== undefined || !(await isFor(space.organization))) return null
    return (await spaceRole(reader, user, space)) === null ? null : space
  }
  return (id: string): Promise<SpaceDoc | null> => {
    const found = known.get(id) ?? find(id)
    known.set(id, found)
    return found
  }
}

/** Finds the spaces that the caller may see. */
export const visibleToCaller = ({ store }: App, actor: Actor) =>
  visibleTo(store, actor.user.id, (organization) => isTokenFor(store, actor, organization))

/** Lists the caller's notifications, newest first, without those about spaces that they may no longer see. */
export async function listNotifications(
  app: App,
  actor: Actor,
  { status, ...query }: PageQuery & { status: 'all' | 'unread' },
): Promise<Page<ShownNotification>> {
  const spaceOf = visibleToCaller(app, actor)
  const shown: Omit<ShownNotification, 'changeRequest'>[] = []
  for (const doc of await app.store.find(notifications, 'user', actor.user.id)) {
    if (doc.mailOnly || (status === 'unread' && doc.readAt !== undefined)) continue
    const space = await spaceOf(doc.space)
    if (space) shown.push({ doc, space })
  }
  const page = paginate(shown, query, ({ doc }) => [doc.at, doc.id], 'desc')
  return { ...page, items: await Promise.all(page.items.map((one) => withRequest(app.store, one))) }
}

/** Adds the change request of a notification. */
export const withRequest = async <T extends { doc: NotificationDoc }>(reader: Reader, one: T) => ({
  ...one,
  changeRequest: one.doc.changeRequest === undefined ? null : await reader.get(changeRequests, one.doc.changeRequest),
})

/** Marks notifications of the caller as read or unread. Notifications that were read in the app are not mailed. */
export async function markNotifications(app: App, actor: Actor, { read, ids }: MarkNotifications): Promise<void> {
  const readAt = app.clock.now().toISOString()
  await app.store.transact(async (tx) => {
    const own = await tx.find(notifications, 'user', actor.user.id)
    for (const { readAt: was, mailDue, ...rest } of own) {
      if (rest.mailOnly || (ids && !ids.includes(rest.id)) || read === (was !== undefined)) continue
      await tx.replace(notifications, { ...rest, ...(read ? { readAt } : {}) })
    }
  })
}
