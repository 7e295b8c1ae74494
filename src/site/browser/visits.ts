/** Offers the changes since the last visit. The time of the visit is stored in this browser only, and never sent. */
import { store, stored } from './page.js'

/** Milliseconds without a page after which a visit is over. */
const PAUSE = 30 * 60 * 1000
/** The offered time has no fractions, so that its address is short. */
const SECOND = 1000

/** The times of a site's visits, in milliseconds since 1970. */
interface Visits {
  /** The last page of the visit before this one. */
  before?: number
  /** The last page. */
  last: number
}

function read(key: string): Visits | null {
  try {
    const found: unknown = JSON.parse(stored('localStorage', key) ?? 'null')
    return typeof found === 'object' && found !== null && 'last' in found && typeof found.last === 'number'
      ? { last: found.last, ...('before' in found && typeof found.before === 'number' ? { before: found.before } : {}) }
      : null
  } catch {
    return null
  }
}

export function startVisits(): void {
  const link = document.querySelector<HTMLAnchorElement>('a[data-visits]')
  if (!link) return
  // Sites below different paths may share an origin.
  const key = `bindery-visits:${link.dataset.visits}`
  const known = read(key)
  const now = Date.now()
  const before = known && (now - known.last > PAUSE ? known.last : known.before)
  store('localStorage', key, JSON.stringify({ last: now, ...(before ? { before } : {}) }))
  if (!before) return
  const since = new Date(Math.floor(before / SECOND) * SECOND).toISOString().replace('.000Z', 'Z')
  link.href = `?${new URLSearchParams({ since })}`
  link.hidden = false
}
