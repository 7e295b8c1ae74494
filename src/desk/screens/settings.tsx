/** The settings of the user: name, language, colors and keyboard; access tokens; signed-in devices. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { api, body } from '../api/client.js'
import { session } from '../api/session.js'
import { changeSettings, type Settings, useSettings } from '../api/settings.js'
import { address } from '../route.js'
import { Field, Switch } from '../shell/fields.js'
import { Frame } from '../shell/frame.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Show } from '../shell/notes.js'
import { explain, toast } from '../shell/toast.js'
import { LANGUAGES, words } from '../words/index.js'
import { moreWords } from '../words/more.js'

/** The frame of all settings of the user. */
export function SettingsFrame({ title, children }: { title: string; children: ComponentChildren }) {
  const w = words()
  const places: [string, IconName, string][] = [
    ['/settings', 'gear', moreWords().settings.general],
    ['/settings/tokens', 'key', w.common.tokens],
    ['/settings/devices', 'desktop', w.common.devices],
    ['/inbox#settings', 'bell', w.common.notifications],
  ]
  return (
    <Frame
      title={title}
      crumbs={[{ title: w.common.settings, href: '/settings' }]}
      side={
        <nav class="tree" aria-label={w.common.settings}>
          <ul class="t">
            {places.map(([href, icon, text]) => (
              <li key={href}>
                <a href={href} aria-current={address.value.path === href ? 'page' : undefined}>
                  <Icon name={icon} />
                  <span>{text}</span>
                </a>
              </li>
            ))}
          </ul>
        </nav>
      }
    >
      <div class="mid stack l">
        <h1 class="title">{title}</h1>
        {children}
      </div>
    </Frame>
  )
}

/** The first screen of the settings. */
export function UserSettings() {
  const settings = useSettings()
  return (
    <SettingsFrame title={words().common.settings}>
      <Name />
      <Show data={settings}>{(value) => <Preferences settings={value} />}</Show>
    </SettingsFrame>
  )
}

function Name() {
  const w = moreWords().settings
  const user = session.value?.user
  const [name, setName] = useState(user?.displayName ?? '')
  const [error, setError] = useState<string | null>(null)
  const save = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (name.trim() === '') return setError(w.nameNeeded)
    try {
      const changed = await body(api.PATCH('/v1/user', { body: { displayName: name } }))
      if (session.value) session.value = { ...session.value, user: changed }
      setError(null)
      toast(w.nameSaved)
    } catch (thrown) {
      setError(explain(thrown))
    }
  }
  return (
    <form class="stack" onSubmit={save} noValidate>
      <Field label={w.name} help={w.nameHelp} error={error}>
        {(field) => (
          <input
            {...field}
            class="in"
            autocomplete="name"
            required
            maxLength={100}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label={w.email} help={w.emailHelp}>
        {(field) => <input {...field} class="in" type="email" readOnly value={user?.email ?? ''} />}
      </Field>
      <div>
        <button type="submit" class="btn primary">
          {words().common.save}
        </button>
      </div>
    </form>
  )
}

const THEMES = ['system', 'light', 'dark'] as const

function Preferences({ settings }: { settings: Settings }) {
  const w = moreWords().settings
  return (
    <section class="stack" aria-label={w.preferences}>
      <h2 class="h">{w.preferences}</h2>
      <Field label={w.language}>
        {(field) => (
          <select
            {...field}
            class="in auto"
            value={settings.language ?? ''}
            onChange={(event) => void changeSettings({ language: event.currentTarget.value || null })}
          >
            <option value="">{w.browserLanguage}</option>
            {Object.entries(LANGUAGES).map(([tag, title]) => (
              <option key={tag} value={tag} lang={tag}>
                {title}
              </option>
            ))}
          </select>
        )}
      </Field>
      <fieldset class="field">
        <legend>{w.theme}</legend>
        <div class="seg">
          {THEMES.map((theme) => (
            <button
              key={theme}
              type="button"
              aria-pressed={settings.theme === theme}
              onClick={() => void changeSettings({ theme })}
            >
              {w.themes[theme]}
            </button>
          ))}
        </div>
      </fieldset>
      <Switch checked={settings.singleKeys} onChange={(singleKeys) => void changeSettings({ singleKeys })}>
        <span>
          {moreWords().shortcuts.singleKeys} <span class="muted">{moreWords().shortcuts.singleKeysLead}</span>
        </span>
      </Switch>
    </section>
  )
}
