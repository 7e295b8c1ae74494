/** API data for screens. Previously loaded data appears immediately and is revalidated in the background. */
import { type Signal, signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { ApiError } from './client.js'

/** Loaded data. Before the first response, `value` and `error` are undefined. */
export interface Loaded<T> {
  value?: T
  error?: ApiError
  /** Whether a request is in progress. */
  isLoading: boolean
}

interface Entry<T> {
  state: Signal<Loaded<T>>
  load: () => Promise<T>
  running: Promise<void> | null
}

const MAX_ENTRIES = 200
// bound: MAX_ENTRIES, the oldest goes first
const entries = new Map<string, Entry<unknown>>()

function entryOf<T>(key: string, load: () => Promise<T>): Entry<T> {
  const known = entries.get(key) as Entry<T> | undefined
  if (known) {
    known.load = load
    return known
  }
  const entry: Entry<T> = { state: signal<Loaded<T>>({ isLoading: true }), load, running: null }
  entries.set(key, entry as Entry<unknown>)
  const [oldest] = entries.keys()
  if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest)
  return entry
}

function run<T>(entry: Entry<T>): Promise<void> {
  entry.running ??= (async () => {
    entry.state.value = { ...entry.state.value, isLoading: true }
    try {
      entry.state.value = { value: await entry.load(), isLoading: false }
    } catch (error) {
      const failed = error instanceof ApiError ? error : new ApiError(0, String(error))
      // Earlier data stays readable while the server is unreachable.
      const kept = failed.status === 0 || failed.status >= 500 ? entry.state.value.value : undefined
      entry.state.value = { ...(kept === undefined ? {} : { value: kept }), error: failed, isLoading: false }
    } finally {
      entry.running = null
    }
  })()
  return entry.running
}

/**
 * Loads data for a component and reads it. A null key loads nothing.
 * @param key names the data; all components with this key share it
 */
export function useData<T>(key: string | null, load: () => Promise<T>): Loaded<T> {
  const entry = key === null ? null : entryOf(key, load)
  useLayoutEffect(() => {
    if (entry) void run(entry)
  }, [entry])
  return entry ? entry.state.value : { isLoading: false }
}

/** Reloads the data of all keys with a prefix, and resolves when it has arrived. */
export async function reload(prefix: string): Promise<void> {
  const found = [...entries].filter(([key]) => key.startsWith(prefix)).map(([, entry]) => run(entry))
  await Promise.all(found)
}

/** Replaces loaded data, for example by the response to a change. */
export function put<T>(key: string, value: T): void {
  const entry = entries.get(key)
  if (entry) entry.state.value = { value, isLoading: false }
}

/** Drops all data, after a sign-out. */
export const forgetAll = (): void => entries.clear()
