/** Rules for browsers: which pages to fetch when a reader presses on a link, before they release it. */
import { type Asset, asset } from './assets.js'
import type { Visit } from './visit.js'

/** Returns the rules of a site. Null if its pages are not the same for everyone, or belong to a preview. */
export function speculationRules({ audience, base }: Pick<Visit, 'audience' | 'base'>): Asset | null {
  if (audience !== 'public') return null
  const path = base.replace(/[\\+*?:{}()]/g, '\\$&')
  const where = {
    and: [
      { href_matches: [path || '/', `${path}/*`] },
      // Files, searches and other outputs.
      { not: { href_matches: `${path}/*~*` } },
      { not: { selector_matches: '[rel~=nofollow], [download]' } },
    ],
  }
  return asset('prefetch.json', Buffer.from(JSON.stringify({ prefetch: [{ where, eagerness: 'conservative' }] })))
}
