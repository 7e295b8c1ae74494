/** Notes, empty states, loading placeholders, and errors with a next step. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ApiError } from '../api/client.js'
import type { Loaded } from '../api/data.js'
import { fill, words } from '../words/index.js'
import { Icon, type IconName } from './icons.js'
import { explain } from './toast.js'

/** The meaning of a note: information, a location, a success, a pending decision, a failure. */
export type Tone = '' | 'on' | 'good' | 'wait' | 'bad'
const ICONS: Record<Tone, IconName> = { '': 'info', on: 'info', good: 'check', wait: 'warn', bad: 'warn' }

/** A message in the text. `actions` are buttons for the next step. */
export const Note = ({
  tone = '',
  children,
  actions,
}: {
  tone?: Tone
  children: ComponentChildren
  actions?: ComponentChildren
}) => (
  <div class={`note ${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
    <Icon name={ICONS[tone]} />
    <div>
      {children}
      {actions !== undefined && <div class="acts">{actions}</div>}
    </div>
  </div>
)

/** A state in one to four words, with an icon. */
export const Chip = ({ tone = '', icon, children }: { tone?: Tone; icon: IconName; children: ComponentChildren }) => (
  <span class={`chip ${tone}`}>
    <Icon name={icon} />
    {children}
  </span>
)

/** An error with the state of the data, a retry button, and the request ID for the log. */
export function Failed({ error, retry }: { error: ApiError; retry?: () => void }) {
  const w = words()
  return (
    <Note
      tone="bad"
      actions={
        retry && (
          <button type="button" class="btn small" onClick={retry}>
            {w.common.retry}
          </button>
        )
      }
    >
      <p>
        <b>{w.errors.loadTitle}</b> {explain(error)}
      </p>
      {error.requestId !== null && <p class="sm muted">{fill(w.errors.requestId, { id: error.requestId })}</p>}
    </Note>
  )
}

/** An empty list: its purpose and the first step. */
export const Empty = ({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName
  title: string
  children?: ComponentChildren
  action?: ComponentChildren
}) => (
  <div class="empty">
    <Icon name={icon} />
    <p>
      <b>{title}</b>
    </p>
    {children !== undefined && <p class="muted">{children}</p>}
    {action}
  </div>
)

/** Faster responses cause no placeholder. */
export const PATIENCE_MS = 300

/** A placeholder for a text, after a short delay, so that fast responses cause no flash. `isLate`: the delay has passed. */
export function Shape({ lines = 6, isLate = false }: { lines?: number; isLate?: boolean }) {
  const [isShown, setShown] = useState(isLate)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class="stack" aria-busy="true">
      <span class="vh" role="status">
        {isShown ? words().common.loading : ''}
      </span>
      {isShown &&
        Array.from({ length: lines }, (_, at) => (
          <div key={at} class={`sk ${at % 3 === 2 ? 'short' : ''}`} aria-hidden="true" />
        ))}
    </div>
  )
}

/** Renders data, a placeholder while it is loading, or its error. Earlier data stays visible during revalidation. */
export function Show<T>({
  data,
  retry,
  lines,
  children,
}: {
  data: Loaded<T>
  retry?: () => void
  lines?: number
  children: (value: T) => ComponentChildren
}) {
  if (data.value !== undefined)
    return (
      <>
        {data.error && <Failed error={data.error} {...(retry ? { retry } : {})} />}
        {children(data.value)}
      </>
    )
  if (data.error?.status === 404 || data.error?.status === 403) return <Nothing />
  if (data.error) return <Failed error={data.error} {...(retry ? { retry } : {})} />
  return <Shape {...(lines === undefined ? {} : { lines })} />
}

/** The same note for missing and for forbidden resources. */
export function Nothing() {
  const w = words().errors
  return (
    <Empty
      icon="search"
      title={w.missingTitle}
      action={
        <a class="btn primary" href="/">
          {w.toHome}
        </a>
      }
    >
      {w.missing}
    </Empty>
  )
}
