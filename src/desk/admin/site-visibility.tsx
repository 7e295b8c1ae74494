/** The audience of a site, and the readers who may suggest changes. */
import type { Schemas } from '../api/client.js'
import { CheckField } from './form.js'
import { adminWords } from './words.js'

type Visibility = Schemas['Site']['visibility']

/** From the most open to the most closed. */
const VISIBILITIES = ['public', 'unlisted', 'share-link', 'visitor-auth'] as const satisfies readonly Visibility[]

/** The options with their meanings. */
export function VisibilityField({
  value,
  onChange,
  error,
}: {
  value: Visibility
  onChange: (value: Visibility) => void
  error?: string | undefined
}) {
  const w = adminWords().sites
  return (
    <fieldset class="stack s">
      <legend class="lab">{w.visibility}</legend>
      {VISIBILITIES.map((one) => (
        <CheckField key={one} type="radio" name="visibility" checked={value === one} onChange={() => onChange(one)}>
          {w.visibilities[one].name} <span class="muted">{w.visibilities[one].means}</span>
        </CheckField>
      ))}
      {error !== undefined && (
        <p class="help bad" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}

type Suggestions = Schemas['Site']['suggestions']

const SUGGESTIONS = ['off', 'members', 'everyone'] as const satisfies readonly Suggestions[]

/** The readers who may suggest changes, with the consequences. */
export function SuggestionsField({ value, onChange }: { value: Suggestions; onChange: (value: Suggestions) => void }) {
  const w = adminWords().suggestions
  return (
    <fieldset class="stack s">
      <legend class="lab">{w.who}</legend>
      {SUGGESTIONS.map((one) => (
        <CheckField key={one} type="radio" name="suggestions" checked={value === one} onChange={() => onChange(one)}>
          {w.modes[one].name} <span class="muted">{w.modes[one].means}</span>
        </CheckField>
      ))}
    </fieldset>
  )
}
