/** The settings that the server stores for the user: notifications, single-key shortcuts, theme and language. */
import { singleKeys } from '../keyboard.js'
import { attempt } from '../shell/toast.js'
import { setTheme } from '../theme-switch.js'
import { LANGUAGES, setLanguage } from '../words/index.js'
import { api, body, type Schemas } from './client.js'
import { type Loaded, put, useData } from './data.js'

export type Settings = Schemas['UserSettings']
export type SettingsChange = Schemas['UpdateUserSettings']

const KEY = 'settings'
let last: Settings | null = null

/** Applies the settings to the app. */
function apply(settings: Settings): void {
  last = settings
  singleKeys.value = settings.singleKeys
  setTheme(settings.theme)
  if (settings.language !== null && settings.language in LANGUAGES)
    void setLanguage(settings.language, { remember: true })
}

/** Loads the settings and applies them to the app. */
export async function loadSettings(): Promise<Settings> {
  const settings = await body(api.GET('/v1/user/settings', {}))
  apply(settings)
  return settings
}

/** Reads the settings in a component. */
export const useSettings = (): Loaded<Settings> => useData(KEY, loadSettings)

/** Changes settings. They take effect immediately, and are reverted if the server rejects them. */
export async function changeSettings(change: SettingsChange): Promise<boolean> {
  const before = last
  if (before) show(merged(before, change))
  const isStored = await attempt(async () => show(await body(api.PATCH('/v1/user/settings', { body: change }))))
  if (!isStored && before) show(before)
  return isStored
}

function show(settings: Settings): void {
  apply(settings)
  put(KEY, settings)
}

function merged(settings: Settings, { notifications, ...rest }: SettingsChange): Settings {
  const topics = { ...settings.notifications }
  for (const [topic, channels] of Object.entries(notifications ?? {}) as [keyof typeof topics, object][])
    topics[topic] = { ...topics[topic], ...channels }
  return { ...settings, ...rest, notifications: topics } as Settings
}
