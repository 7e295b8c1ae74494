/** Endpoints for the caller's waiting items, notifications and settings. */
import { updateSettings } from '../../domain/accounts/accounts.js'
import {
  changeRequestAddress,
  connectionAddress,
  waitingSuggestionsAddress,
} from '../../domain/context/app-addresses.js'
import type { App } from '../../domain/context/app.js'
import {
  listNotifications,
  markNotifications,
  type ShownNotification,
} from '../../domain/notifications/notifications.js'
import { notificationAddress } from '../../domain/people/notification-mail.js'
import { waitingFor, type WaitingItem } from '../../domain/people/waiting.js'
import { defined } from '../../kernel/defined.js'
import {
  type ChangeRequestDoc,
  MarkNotifications,
  NotificationList,
  NotificationsQuery,
  type SpaceDoc,
  UpdateUserSettings,
  UserSettings,
  userSettings,
  users,
  Waiting,
} from '../../model/index.js'
import { endpoint } from '../service.js'
import { formerUser, presentUser } from '../users/present.js'

const section = 'Inbox'

const spaceTitle = ({ id, title }: SpaceDoc & { id: string }) => ({ id, title })
const requestTitle = ({ id, number, subject }: ChangeRequestDoc) => ({ id, number, subject })

async function presentNotification(app: App, shown: ShownNotification) {
  const { doc, space, changeRequest } = shown
  const { id, type, at, organization, page, comment, review, message, actor } = doc
  const user = actor === undefined ? null : await app.store.get(users, actor)
  return {
    object: 'notification' as const,
    id,
    type,
    at,
    read: doc.readAt !== undefined,
    organization,
    space: spaceTitle(space),
    ...(actor === undefined ? {} : { actor: user ? presentUser(app, user) : formerUser(app, actor) }),
    ...(changeRequest ? { changeRequest: requestTitle(changeRequest) } : {}),
    ...defined({ page, comment, review, message }),
    urls: { app: notificationAddress(app, shown) },
  }
}

export const listUserNotifications = endpoint({
  method: 'GET',
  path: '/v1/user/notifications',
  summary: 'List your notifications',
  description:
    'Newest first. The newest 200 are kept. Notifications about spaces that you may no longer see are omitted.',
  section,
  needs: 'authenticated',
  query: NotificationsQuery,
  returns: NotificationList,
  handle: async ({ app, actor, query }) => {
    const page = await listNotifications(app, actor, query)
    return { ...page, items: await Promise.all(page.items.map((one) => presentNotification(app, one))) }
  },
})

export const markUserNotifications = endpoint({
  method: 'PATCH',
  path: '/v1/user/notifications',
  summary: 'Mark notifications as read or unread',
  description: 'The mail does not contain notifications that you read before it is sent.',
  section,
  needs: 'authenticated',
  audited: false,
  body: MarkNotifications,
  handle: ({ app, actor, body }) => markNotifications(app, actor, body),
})

async function presentWaiting(
  app: App,
  { type, at, space, changeRequest, comments, site, suggestions, message }: WaitingItem,
) {
  const author = changeRequest && (await app.store.get(users, changeRequest.createdBy))
  return {
    type,
    at,
    organization: space.organization,
    space: spaceTitle(space),
    ...(changeRequest ? { changeRequest: requestTitle(changeRequest) } : {}),
    ...(author ? { author: presentUser(app, author) } : {}),
    ...(site ? { site: { id: site.id, title: site.title } } : {}),
    ...defined({ comments, suggestions, message }),
    urls: {
      app: site
        ? waitingSuggestionsAddress(app, site.id)
        : changeRequest
          ? changeRequestAddress(app, space.id, changeRequest.number)
          : connectionAddress(app, space.id),
    },
  }
}

export const getUserWaiting = endpoint({
  method: 'GET',
  path: '/v1/user/waiting',
  summary: 'Get the items that wait for you',
  description:
    'Syncs that fail in spaces where you may sync, reviews that are requested from you, suggestions of readers that you may accept, and your change requests that need an action by you.',
  section,
  needs: 'authenticated',
  returns: Waiting,
  handle: async ({ app, actor }) => ({
    object: 'waiting' as const,
    items: await Promise.all((await waitingFor(app, actor)).map((one) => presentWaiting(app, one))),
  }),
})

export const getUserSettings = endpoint({
  method: 'GET',
  path: '/v1/user/settings',
  summary: 'Get your settings',
  section,
  needs: 'authenticated',
  returns: UserSettings,
  handle: ({ actor }) => userSettings(actor.user.settings),
})

export const updateUserSettings = endpoint({
  method: 'PATCH',
  path: '/v1/user/settings',
  summary: 'Change your settings',
  section,
  needs: 'authenticated',
  audited: false,
  body: UpdateUserSettings,
  returns: UserSettings,
  handle: async ({ app, actor, body }) => userSettings((await updateSettings(app, actor, body)).settings),
})
