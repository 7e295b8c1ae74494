/** Rules for browsers: which pages to fetch when a reader presses on a link, before they release it. */
import { type Asset, asset } from './assets.js'
import type { Visit } from './visit.js'

/** Returns the speculation rules of a site. Null for a preview, or if the pages depend on the reader. */
export function speculationRules({ audience, base }: Pick<Visit, 'audience' | 'base'>): Asset | null {
  if (audience !== 'public') return null
  const path = base.replace(/[\\+*?:{}()]/g, '\\$&')
  const where = {
    and: [
      { href_matches: [path || '/', `${path}/*`] },
      // Excludes files, searches and other outputs.
      { not: { href_matches: `${path}/*~*` } },
      { not: { selector_matches: '[rel~=nofollow], [download]' } },
    ],
  }
  return asset('prefetch.json', Buffer.from(JSON.stringify({ prefetch: [{ where, eagerness: 'conservative' }] })))
}
