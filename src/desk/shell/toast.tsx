/** Short messages about the result of an action. Screen readers announce them. An error is never shown only here. */
import { signal } from '@preact/signals'
import { ApiError } from '../api/client.js'
import { words } from '../words/index.js'

interface Toast {
  id: number
  text: string
  isBad: boolean
  undo?: () => void | Promise<void>
}

const SHOWN_MS = 10_000
const MAX_TOASTS = 3
const toasts = signal<readonly Toast[]>([])
let last = 0

/** Shows a message for ten seconds. `undo` adds a button. */
export function toast(
  text: string,
  { undo, isBad = false }: { undo?: () => void | Promise<void>; isBad?: boolean } = {},
): void {
  const id = ++last
  toasts.value = [...toasts.value, { id, text, isBad, ...(undo ? { undo } : {}) }].slice(-MAX_TOASTS)
  setTimeout(() => hide(id), SHOWN_MS)
}

const hide = (id: number): void => void (toasts.value = toasts.value.filter((one) => one.id !== id))

/** The sentences about an error: the event, and the state of the data. */
export function explain(error: unknown): string {
  const w = words().errors
  if (!(error instanceof ApiError)) return `${w.serverTitle} ${String(error)}`
  if (error.status === 0) return `${w.offlineTitle} ${w.offline}`
  if (error.status >= 500 && error.message === '') return `${w.serverTitle} ${w.server}`
  return error.message
}

/** Runs an action and shows its error as a message. Returns whether it succeeded. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action()
    return true
  } catch (error) {
    toast(explain(error), { isBad: true })
    return false
  }
}

export function Toasts() {
  const w = words().common
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isBad, undo }) => (
        <div key={id} class={`toast ${isBad ? 'bad' : ''}`}>
          <span class="grow">{text}</span>
          {undo && (
            <button
              type="button"
              class="btn small"
              onClick={() => {
                hide(id)
                void attempt(async () => undo())
              }}
            >
              {w.undo}
            </button>
          )}
          <button type="button" class="btn small quiet" onClick={() => hide(id)}>
            {w.close}
          </button>
        </div>
      ))}
    </div>
  )
}
