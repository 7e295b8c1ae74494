/** The settings of a user: notifications, keyboard, theme and language of the app. They are stored with the user. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, nullable, oneOf } from './common.js'

/** The subjects of notifications that a user switches on and off. */
export const notificationTopics = ['reviewRequests', 'comments', 'reviews', 'conflicts', 'syncs', 'merges'] as const
export type NotificationTopic = (typeof notificationTopics)[number]

/** The channels for notifications about a topic. */
export interface NotificationChannels {
  app: boolean
  mail: boolean
}

const themes = ['system', 'light', 'dark'] as const

/** The settings that a user changed, as stored. */
export interface StoredUserSettings {
  notifications?: { [K in NotificationTopic]?: Partial<NotificationChannels> }
  singleKeys?: boolean
  theme?: (typeof themes)[number]
  language?: string
}

/** Returns the channels in which a user wants notifications about a topic. By default all, but merges are not mailed. */
export const channelsOf = (
  settings: StoredUserSettings | undefined,
  topic: NotificationTopic,
): NotificationChannels => ({
  app: true,
  mail: topic !== 'merges',
  ...settings?.notifications?.[topic],
})

const topics = <T>(of: (topic: NotificationTopic) => T): Record<NotificationTopic, T> =>
  Object.fromEntries(notificationTopics.map((topic) => [topic, of(topic)])) as Record<NotificationTopic, T>

/** Returns all settings of a user, with the defaults. */
export const userSettings = (settings: StoredUserSettings = {}): UserSettings => ({
  object: 'user-settings',
  notifications: topics((topic) => channelsOf(settings, topic)),
  singleKeys: settings.singleKeys ?? true,
  theme: settings.theme ?? 'system',
  language: settings.language ?? null,
})

/** Returns stored settings with changes. */
export const changedSettings = (
  { notifications, language: known, ...rest }: StoredUserSettings,
  { notifications: changed = {}, language = known ?? null, ...input }: UpdateUserSettings,
): StoredUserSettings => ({
  ...rest,
  ...input,
  ...(language === null ? {} : { language }),
  notifications: topics((topic) => ({ ...notifications?.[topic], ...changed[topic] })),
})

const Channels = Type.Object({ app: Type.Boolean(), mail: Type.Boolean() })
const LanguageTag = Type.String({
  minLength: 2,
  maxLength: 20,
  pattern: '^[a-zA-Z0-9-]+$',
  'x-pattern-message': 'must be a language tag such as de',
})

export const UserSettings = Type.Object(
  {
    object: Type.Literal('user-settings'),
    notifications: Type.Object(
      topics(() => Channels),
      { description: 'The notifications that appear in the app, and those that are mailed.' },
    ),
    singleKeys: Type.Boolean({ description: 'Whether single-key shortcuts of the app are on.' }),
    theme: oneOf(themes, { description: 'The color scheme of the app.' }),
    language: nullable(LanguageTag),
  },
  { $id: 'UserSettings' },
)
export type UserSettings = Static<typeof UserSettings>

const ChannelsInput = Type.Optional(
  Type.Object({ app: Type.Optional(Type.Boolean()), mail: Type.Optional(Type.Boolean()) }, closed),
)
export const UpdateUserSettings = Type.Object(
  {
    notifications: Type.Optional(
      Type.Object(
        topics(() => ChannelsInput),
        closed,
      ),
    ),
    singleKeys: Type.Optional(Type.Boolean()),
    theme: Type.Optional(oneOf(themes)),
    language: Type.Optional(nullable(LanguageTag)),
  },
  {
    ...closed,
    $id: 'UpdateUserSettings',
    description: 'Absent members are unchanged. `language: null` = the language of the browser.',
  },
)
export type UpdateUserSettings = Static<typeof UpdateUserSettings>
