/** The complete style sheet of a site: its fonts, the theme and its colors. */
import { LRUCache } from 'lru-cache'
import type { SiteCustomization } from '../../model/index.js'
import { type Asset, asset, type SharedAssets } from '../assets.js'
import { fontsOf } from './fonts.js'
import { colorTokens } from './style.js'

/** The style sheet of a site, and the fonts to preload. */
export interface SiteStyle {
  sheet: Asset
  preload: Asset[]
  /** Returns further fonts to preload for pages in a language. */
  preloadFor(lang: string): Asset[]
}

/** Maximum number of cached style sheets, of about 60 KB each. */
const MAX_SHEETS = 50
/** Style sheets by the files that they refer to. */
const made = new WeakMap<SharedAssets, LRUCache<string, Promise<SiteStyle>>>()

/** Returns the style sheet of a site. Sites with the same styling share it. */
export function styleOf(assets: SharedAssets, look: SiteCustomization): Promise<SiteStyle> {
  const { styling, header } = look
  const key = JSON.stringify([styling, header.preset, header.backgroundColor, header.linkColor])
  const sheets = made.get(assets) ?? new LRUCache<string, Promise<SiteStyle>>({ max: MAX_SHEETS })
  made.set(assets, sheets)
  const known = sheets.get(key) ?? make(assets, look)
  sheets.set(key, known)
  known.catch(() => sheets.delete(key))
  return known
}

async function make(assets: SharedAssets, look: SiteCustomization): Promise<SiteStyle> {
  const fonts = await fontsOf(assets, look)
  const sheet = asset('site.css', Buffer.from(assets.theme + fonts.css + colorTokens(look)))
  return { sheet, preload: fonts.preload, preloadFor: fonts.preloadFor }
}
