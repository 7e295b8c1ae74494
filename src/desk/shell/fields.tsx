/** Fields of forms: the label above, help below; an error replaces the help and is read with the field. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Icon } from './icons.js'

/** The attributes that connect a control with its label and help. */
export interface FieldAttributes {
  id: string
  'aria-invalid'?: 'true'
  'aria-describedby'?: string
}

/** A control with its label. */
export function Field({
  label,
  help,
  error,
  children,
}: {
  label: string
  help?: string | undefined
  error?: string | null | undefined
  children: (attributes: FieldAttributes) => ComponentChildren
}) {
  const id = useId()
  const isBad = error !== null && error !== undefined
  const text = isBad ? error : help
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(isBad ? { 'aria-invalid': 'true' } : {}),
        ...(text === undefined ? {} : { 'aria-describedby': `${id}-help` }),
      })}
      {text !== undefined && (
        <p class={`help ${isBad ? 'bad' : ''}`} id={`${id}-help`} role={isBad ? 'alert' : undefined}>
          {isBad && <Icon name="warn" />}
          {text}
        </p>
      )}
    </div>
  )
}

/** A switch that takes effect at once. */
export const Switch = ({
  checked,
  onChange,
  children,
  disabled,
}: {
  checked: boolean
  onChange: (checked: boolean) => void
  children: ComponentChildren
  disabled?: boolean
}) => (
  <label class="switch">
    <input
      type="checkbox"
      role="switch"
      aria-checked={checked}
      checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    {children}
  </label>
)
