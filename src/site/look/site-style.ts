/** The complete style sheet of a site: its fonts, the theme and its colors. */
import type { SiteCustomization } from '../../model/index.js'
import { type Asset, asset, type SharedAssets } from '../assets.js'
import { colorTokens } from './style.js'

/** The style sheet of a site, and the fonts that its pages load first. */
export interface SiteStyle {
  sheet: Asset
  preload: Asset[]
}

/** Makes the style sheet of a site. */
export async function styleOf(assets: SharedAssets, look: SiteCustomization): Promise<SiteStyle> {
  const sans = await assets.font('@fontsource-variable/ibm-plex-sans/files/ibm-plex-sans-latin-wght-normal.woff2')
  const mono = await assets.font('@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff2')
  const face = (family: string, font: Asset, weight: string): string =>
    `@font-face{font-family:"${family}";src:url(${font.name}) format("woff2");font-weight:${weight};font-display:optional}`
  const css = face('Plex Sans', sans, '400 700') + face('Plex Mono', mono, '400') + assets.theme + colorTokens(look)
  return { sheet: asset('site.css', Buffer.from(css)), preload: [sans, mono] }
}
