/** The address of the app. It contains the state of the screen, so a reload or a shared link shows the same screen. */
import { signal } from '@preact/signals'

/** An address within the app. */
export interface Address {
  path: string
  query: URLSearchParams
  /** Without the `#`. */
  hash: string
}

const current = (): Address => ({
  path: location.pathname,
  query: new URLSearchParams(location.search),
  hash: decodeURIComponent(location.hash.slice(1)),
})

/** The address that is shown. */
export const address = signal<Address>(current())

/** A function that returns false to keep the user on the screen, for example because of an unsaved text. */
type Guard = () => boolean
const guards = new Set<Guard>()

/** Asks before the reader leaves the screen. Returns the function that stops asking. */
export function guardLeaving(guard: Guard): () => void {
  guards.add(guard)
  return () => void guards.delete(guard)
}

/** Opens an address of the app: `/s/abc?at=main`. `replace` leaves no entry in the browser's history. */
export function open(to: string, { replace = false }: { replace?: boolean } = {}): void {
  for (const guard of guards) if (!guard()) return
  const url = new URL(to, location.href)
  const samePath = url.pathname === location.pathname
  history[replace ? 'replaceState' : 'pushState'](null, '', url)
  address.value = current()
  if (!samePath && url.hash === '') scrollTo(0, 0)
}

/** Changes parameters of the query without another entry in the browser's history. Null removes a parameter. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(changes))
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  history.replaceState(null, '', url)
  address.value = current()
}

/** The first segments of the app's addresses. The server has the same list. */
const OWN = /^\/(?:$|(?:sign-in|start|invite|inbox|new|settings|o|collections|s|sites)(?:\/|$))/

/** Follows the browser's buttons and the links of the page. Call once. */
export function followLinks(): void {
  addEventListener('popstate', () => void (address.value = current()))
  document.addEventListener('click', (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link?.href || link.target !== '' || link.hasAttribute('download')) return
    const url = new URL(link.href)
    if (url.origin !== location.origin || !OWN.test(url.pathname)) return
    if (url.pathname === location.pathname && url.search === location.search && url.hash !== '') return
    event.preventDefault()
    open(url.href)
  })
}

/**
 * Matches a path with a pattern, `/s/:space/p/:page`. Returns the parameters, or null.
 */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const names = pattern.split('/')
  const parts = path.replace(/(?<=.)\/$/, '').split('/')
  if (names.length !== parts.length) return null
  const found: Record<string, string> = {}
  for (const [at, name] of names.entries()) {
    const part = parts[at] ?? ''
    if (name.startsWith(':') && part !== '') found[name.slice(1)] = decodeURIComponent(part)
    else if (name !== part) return null
  }
  return found
}
