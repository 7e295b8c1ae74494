/** All settings of the service: environment variables, defaults and checks, and the function that reads them. */
import { resolve } from 'node:path'
import { cleanEnv } from 'envalid'
import { limitSettings } from './start/limit-settings.js'
import { connectionSettings, remoteSettings } from './start/remote-settings.js'
import {
  backupSettings,
  databaseSettings,
  serverSettings,
  signInSettings,
  traceSettings,
} from './start/server-settings.js'
import type { Setting } from './start/setting.js'
import { translationSettings } from './start/translation-settings.js'

/** The settings by heading, in the order of docs/settings.md. */
const groups = {
  Server: serverSettings,
  'Database and keys': databaseSettings,
  'Mail and sign-in': signInSettings,
  Backups: backupSettings,
  Traces: traceSettings,
  Limits: limitSettings,
  'Remotes and imports': remoteSettings,
  Connections: connectionSettings,
  Translations: translationSettings,
}
const settings = {
  ...serverSettings,
  ...databaseSettings,
  ...backupSettings,
  ...traceSettings,
  ...signInSettings,
  ...limitSettings,
  ...remoteSettings,
  ...connectionSettings,
  ...translationSettings,
} as const

type Values = { [K in keyof typeof settings]: (typeof settings)[K] extends Setting<infer T> ? T : never }

/** The settings of one service. */
export type Config = Readonly<Values>

/** One row of the table in docs/settings.md. */
interface SettingRow {
  group: string
  name: string
  default: string
  description: string
}

/** Returns all settings with their defaults, in the order of the table in docs/settings.md. */
export const settingsTable = (): SettingRow[] =>
  Object.entries(groups).flatMap(([group, members]) =>
    Object.values(members).map(({ name, default: fallback, description }) => ({
      group,
      name,
      default: fallback,
      description,
    })),
  )

/** The settings are invalid. The message lists all problems, one per line, without the values. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/**
 * Reads the settings. Folders become absolute, because Git processes run in other folders. Throws `ConfigError` with
 * all problems.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const wrong: string[] = []
  const entries: [string, Setting<unknown>][] = Object.entries(settings)
  const given = Object.fromEntries(entries.map(([, one]) => [one.name, env[one.name] ?? one.default]))
  const specs = Object.fromEntries(entries.map(([, one]) => [one.name, one.validator()]))
  const clean = cleanEnv(given, specs, {
    reporter: ({ errors }) =>
      void wrong.push(...Object.entries(errors).map(([name, error]) => `${name} ${error?.message ?? 'is invalid'}`)),
  })
  for (const name of Object.keys(env))
    if (name.startsWith('BINDERY_') && !(name in given)) wrong.push(`${name} is not a setting of this service`)
  // Read from `given`, because `clean` throws for invalid values.
  if (given.BINDERY_SMTP_URL && given.BINDERY_MAIL_FROM === '')
    wrong.push('BINDERY_MAIL_FROM must be set if BINDERY_SMTP_URL is set')
  if (given.BINDERY_SIGNING_KEY && given.BINDERY_SIGNING_KEY_FILE)
    wrong.push('only one of BINDERY_SIGNING_KEY and BINDERY_SIGNING_KEY_FILE may be set')
  if ((given.BINDERY_DEEPL_KEY === '') !== (given.BINDERY_DEEPL_URL === ''))
    wrong.push('BINDERY_DEEPL_URL and BINDERY_DEEPL_KEY must be set together')
  if (given.BINDERY_OPENAI_URL && given.BINDERY_OPENAI_MODEL === '')
    wrong.push('BINDERY_OPENAI_MODEL must be set if BINDERY_OPENAI_URL is set')
  if (wrong.length > 0) throw new ConfigError(`The configuration is invalid:\n  ${wrong.join('\n  ')}`)
  const values = Object.fromEntries(
    entries.map(([key, one]) => [key, clean[one.name] === '' ? null : clean[one.name]]),
  ) as Values
  return Object.freeze({ ...values, dataDir: resolve(values.dataDir), reposDir: resolve(values.reposDir) })
}
