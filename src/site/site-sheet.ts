/** The style sheets of sites, made once for each look. */
import { LRUCache } from 'lru-cache'
import type { SiteCustomization } from '../model/index.js'
import type { SharedAssets } from './assets.js'
import { type SiteStyle, styleOf } from './look/site-style.js'

/** Number of looks whose style sheets are in memory, each of about 100 KiB. */
const MAX_LOOKS = 200

const known = new WeakMap<SharedAssets, LRUCache<string, Promise<SiteStyle>>>()

/** Returns the style sheet for a look, and the fonts that its pages load first. */
export function styleFor(assets: SharedAssets, look: SiteCustomization): Promise<SiteStyle> {
  const styles = known.get(assets) ?? new LRUCache<string, Promise<SiteStyle>>({ max: MAX_LOOKS })
  known.set(assets, styles)
  const key = JSON.stringify([look.styling, look.header, look.themes, look.internationalization])
  const made = styles.get(key) ?? styleOf(assets, look)
  styles.set(key, made)
  made.catch(() => styles.delete(key))
  return made
}
