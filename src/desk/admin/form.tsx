/** Forms. Each shows the API's errors next to the rejected fields, and keeps the entered values. */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { ApiError } from '../api/client.js'
import { Field, type FieldAttributes } from '../shell/fields.js'
import { Note } from '../shell/notes.js'
import { explain } from '../shell/toast.js'

/** The state of a form. */
export interface Form {
  /** Whether the response is awaited. */
  isBusy: boolean
  /** The error of a field, by its name in the request. */
  error(name: string): string | undefined
  /** The errors that no field of the form shows. Null if there are none. */
  rest(): string | null
  submit(event: Event): void
}

const isWithin = (path: string, name: string): boolean => path === `/${name}` || path.startsWith(`/${name}/`)

/** Sends a form. Its error stays until it is sent again, and the first rejected field gets the focus. */
export function useForm(send: () => Promise<unknown>): Form {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  // bound: the fields of one form
  const shown = useRef(new Set<string>())
  const details = error instanceof ApiError ? error.details : []
  const submit = async (event: Event) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    if (isBusy) return
    setBusy(true)
    setError(null)
    try {
      await send()
    } catch (thrown) {
      setError(thrown)
      setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus())
    } finally {
      setBusy(false)
    }
  }
  return {
    isBusy,
    error(name) {
      shown.current.add(name)
      return details.find(({ path }) => path !== undefined && isWithin(path, name))?.message
    },
    rest() {
      if (error === null) return null
      const left = details.filter(({ path }) => ![...shown.current].some((name) => isWithin(path ?? '', name)))
      return details.length > 0 && left.length === 0 ? null : explain(error)
    },
    submit: (event) => void submit(event),
  }
}

/** The form error that belongs to no field. Render it after the fields. */
export function FormError({ form }: { form: Form }) {
  const text = form.rest()
  return (
    text !== null && (
      <Note tone="bad">
        <p>{text}</p>
      </Note>
    )
  )
}

/** The button that sends a form. */
export const Submit = ({ form, children, small }: { form: Form; children: ComponentChildren; small?: boolean }) => (
  <button type="submit" class={`btn primary ${small ? 'small' : ''}`} aria-disabled={form.isBusy || undefined}>
    {children}
  </button>
)

/** The properties that all fields have. */
interface FieldProps {
  label: string
  help?: string | undefined
  error?: string | undefined
}

/** A line of text. */
export const TextField = ({
  label,
  help,
  error,
  value,
  onInput,
  ...more
}: FieldProps & {
  value: string
  onInput: (value: string) => void
  type?: 'text' | 'email' | 'url' | 'password' | 'number' | 'date' | 'datetime-local'
  mono?: boolean
  required?: boolean
  placeholder?: string
  autocomplete?: string
  maxLength?: number
  min?: number
}) => {
  const { mono, ...attributes } = more
  return (
    <Field label={label} help={help} error={error}>
      {(field) => (
        <input
          {...field}
          {...(attributes as object)}
          class={mono ? 'in mono' : 'in'}
          autocomplete={attributes.autocomplete ?? 'off'}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

/** Several lines of text. */
export const AreaField = ({
  label,
  help,
  error,
  value,
  onInput,
  rows = 4,
  mono,
  required,
}: FieldProps & {
  value: string
  onInput: (value: string) => void
  rows?: number
  mono?: boolean
  required?: boolean
}) => (
  <Field label={label} help={help} error={error}>
    {(field) => (
      <textarea
        {...field}
        class={mono ? 'in mono' : 'in'}
        rows={rows}
        required={required}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    )}
  </Field>
)

/** An option of a list, with value and text. */
export type Choices<T extends string> = readonly (readonly [value: T, text: string])[]

/** The options of a list. */
export const Options = <T extends string>({ of, value }: { of: Choices<T>; value: T }) => (
  <>
    {of.map(([one, text]) => (
      <option key={one} value={one} selected={one === value}>
        {text}
      </option>
    ))}
  </>
)

/** A select field. */
export const ChoiceField = <T extends string>({
  label,
  help,
  error,
  value,
  of,
  onChange,
}: FieldProps & { value: T; of: Choices<T>; onChange: (value: T) => void }) => (
  <Field label={label} help={help} error={error}>
    {(field: FieldAttributes) => (
      <select {...field} class="in" onChange={(event) => onChange(event.currentTarget.value as T)}>
        <Options of={of} value={value} />
      </select>
    )}
  </Field>
)

/** A select field that takes effect immediately, with a name for screen readers. */
export const Pick = <T extends string>({
  label,
  value,
  of,
  onChange,
  disabled,
}: {
  label: string
  value: T
  of: Choices<T>
  onChange: (value: T) => void
  disabled?: boolean
}) => (
  <select
    class="in auto"
    aria-label={label}
    disabled={disabled}
    onChange={(event) => onChange(event.currentTarget.value as T)}
  >
    <Options of={of} value={value} />
  </select>
)

/** A group of radio buttons that takes effect when the form is sent. */
export const CheckField = ({
  checked,
  onChange,
  children,
  name,
  type = 'checkbox',
}: {
  checked: boolean
  onChange: (checked: boolean) => void
  children: ComponentChildren
  /** The name of the group of radio buttons. */
  name?: string
  type?: 'checkbox' | 'radio'
}) => (
  <label class="check">
    <input type={type} name={name} checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
    <span>{children}</span>
  </label>
)

/** A switch between two to four views. */
export const Segments = <T extends string>({
  label,
  value,
  of,
  onChange,
}: {
  label: string
  value: T
  of: Choices<T>
  onChange: (value: T) => void
}) => (
  <fieldset class="seg" aria-label={label}>
    {of.map(([one, text]) => (
      <button key={one} type="button" aria-pressed={one === value} onClick={() => onChange(one)}>
        {text}
      </button>
    ))}
  </fieldset>
)
