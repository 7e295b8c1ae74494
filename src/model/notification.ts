/** Notifications of users, and items that wait for them: stored form, queries and responses. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, listOf, oneOf, pageQuery, Timestamp } from './common.js'
import { User } from './user.js'
import type { NotificationTopic } from './user-settings.js'

const notificationTypes = [
  'review_requested',
  'reviewed',
  'comment',
  'reply',
  'conflict',
  'sync_failed',
  'merged',
  'suggestion',
] as const
export type NotificationType = (typeof notificationTypes)[number]

/** The setting that controls a type. */
export const topicOf: Readonly<Record<NotificationType, NotificationTopic>> = {
  review_requested: 'reviewRequests',
  reviewed: 'reviews',
  comment: 'comments',
  reply: 'comments',
  conflict: 'conflicts',
  sync_failed: 'syncs',
  merged: 'merges',
  suggestion: 'reviewRequests',
}

/** A notification of one user, as stored. */
export interface NotificationDoc {
  id: string
  /** ID of the recipient. */
  user: string
  type: NotificationType
  organization: string
  space: string
  at: string
  /** ID of the user who caused it; absent = the service. */
  actor?: string
  changeRequest?: string
  comment?: string
  /** For `suggestion`: the site whose reader sent it. */
  site?: string
  /** The page of the comment or the suggestion. */
  page?: { id: string; title: string }
  /** For `reviewed`. */
  review?: 'approved' | 'changes-requested'
  /** For failures: the reason. */
  message?: string
  readAt?: string
  /** Whether it still has to be mailed. */
  mailDue?: true
  /** Whether it is only mailed and not shown in the app. */
  mailOnly?: true
}

export const notifications = table<NotificationDoc>()({
  name: 'notifications',
  indexes: {
    user: (one) => one.user,
    space: (one) => one.space,
    due: (one) => (one.mailDue ? one.user : null),
  },
  orders: { at: { group: (one) => one.user, by: (one) => one.at } },
  owner: (one) => one.user.slice(0, 1),
})

const SpaceTitle = Type.Object({ id: Id, title: Type.String() })
const RequestTitle = Type.Object({ id: Id, number: Type.Integer(), subject: Type.String() })
const urls = Type.Object({ app: Type.String({ description: 'Its address in the app.' }) })

export const Notification = Type.Object(
  {
    object: Type.Literal('notification'),
    id: Id,
    type: oneOf(notificationTypes),
    at: Timestamp,
    read: Type.Boolean(),
    organization: Id,
    space: SpaceTitle,
    actor: Type.Optional(User),
    changeRequest: Type.Optional(RequestTitle),
    page: Type.Optional(Type.Object({ id: Id, title: Type.String() })),
    comment: Type.Optional(Id),
    review: Type.Optional(oneOf(['approved', 'changes-requested'])),
    message: Type.Optional(Type.String({ description: 'The reason of a failure.' })),
    urls,
  },
  { $id: 'Notification' },
)
export const NotificationList = listOf(Notification, { $id: 'NotificationList' })

export const NotificationsQuery = Type.Object({
  ...pageQuery,
  status: oneOf(['all', 'unread'], { default: 'all' }),
})

export const MarkNotifications = Type.Object(
  {
    read: Type.Boolean(),
    ids: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: 200,
        uniqueItems: true,
        description: 'Absent = all of your notifications.',
      }),
    ),
  },
  { ...closed, $id: 'MarkNotifications' },
)
export type MarkNotifications = Static<typeof MarkNotifications>

const waitingTypes = [
  'conflict',
  'sync_failed',
  'review',
  'suggestions',
  'changes_requested',
  'comments',
  'ready',
  'draft',
] as const
export type WaitingType = (typeof waitingTypes)[number]

export const Waiting = Type.Object(
  {
    object: Type.Literal('waiting'),
    items: Type.Array(
      Type.Object({
        type: oneOf(waitingTypes, {
          description:
            '`conflict` and `sync_failed` belong to a connection that you may repair. A `review` is requested from you. `suggestions` of readers of a site wait for a reviewer. The others belong to your change requests: `changes_requested` by a reviewer, open `comments`, `ready` to merge, and `draft`.',
        }),
        at: Timestamp,
        organization: Id,
        space: SpaceTitle,
        changeRequest: Type.Optional(RequestTitle),
        site: Type.Optional(SpaceTitle),
        suggestions: Type.Optional(
          Type.Integer({ minimum: 1, description: 'Number of waiting suggestions of the site.' }),
        ),
        author: Type.Optional(User),
        comments: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of open comments.' })),
        message: Type.Optional(Type.String({ description: 'The reason of a failure.' })),
        urls,
      }),
      {
        description:
          'At most 100: failures first, then reviews, then suggestions of readers, then your change requests.',
      },
    ),
  },
  { $id: 'Waiting' },
)
