/**
 * Loads icons as symbols, each once per page: those of the interface, and those that authors name by their Font Awesome
 * names (`fa~rocket`). The latter come from Phosphor, which has the five styles that teams choose from, or else from
 * Font Awesome.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { own } from '../../kernel/defined.js'
import type { SiteCustomization } from '../../model/index.js'
import type { SharedAssets } from '../assets.js'
import { phosphorName } from './icon-names.js'
import { INTERFACE } from './interface-icons.js'

/** The styles of icons in the customization of a site. */
export type IconStyle = SiteCustomization['styling']['icons']

const require = createRequire(import.meta.url)
const PHOSPHOR = join(dirname(require.resolve('@phosphor-icons/core')), '../assets')
const FONT_AWESOME = dirname(require.resolve('@fortawesome/fontawesome-free/package.json'))
/** The weights of Phosphor by style. */
const WEIGHTS = { regular: 'regular', solid: 'fill', duotone: 'duotone', light: 'light', thin: 'thin' } as const
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const MAX_NAME = 60
/** Maximum number of icons that a page shows. Others keep their label. */
const MAX_ICONS = 300

/** Returns the Font Awesome name of an icon that a team chose; undefined if no icon can have it. */
export function iconName(written: string | undefined): string | undefined {
  const name = written?.trim().toLowerCase().replace(/^fa-/, '')
  return name !== undefined && name.length <= MAX_NAME && NAME.test(name) ? name : undefined
}

/** Symbols by style and name; '' for unknown names. */
const loaded = new LRUCache<string, string>({ maxSize: 4 * 1024 * 1024, sizeCalculation: (svg) => svg.length + 100 })

/** Returns the symbols with these names as HTML for an `<svg>`. Unknown names have none. */
export async function symbolsFor(assets: SharedAssets, names: Iterable<string>, style: IconStyle): Promise<string> {
  const wanted = [...new Set(names)].slice(0, MAX_ICONS)
  return (await Promise.all(wanted.map((name) => symbolOf(assets, name, style)))).join('')
}

async function symbolOf({ iconAliases }: SharedAssets, name: string, style: IconStyle): Promise<string> {
  const shape = own(INTERFACE, name)
  if (shape !== undefined) return `<symbol id="i-${name}" viewBox="0 0 20 20">${shape}</symbol>`
  const key = `${style} ${name}`
  const known = loaded.get(key)
  if (known !== undefined) return known
  const written = name.replace(/^fa~/, '')
  const isName = name.startsWith('fa~') && written.length <= MAX_NAME && NAME.test(written)
  const made = isName ? await nearest(name, iconAliases.get(written) ?? written, style) : ''
  loaded.set(key, made)
  return made
}

/**
 * Returns the symbol for a name, or for the name without its last words (at most two): `globe-pointer` is not in the
 * free sets, but `globe` is. '' if there is none.
 */
async function nearest(id: string, name: string, style: IconStyle): Promise<string> {
  const words = name.split('-')
  for (let left = words.length; left > Math.max(0, words.length - 3); left--) {
    const symbol = await chosen(id, words.slice(0, left).join('-'), style)
    if (symbol !== '') return symbol
  }
  return ''
}

async function chosen(id: string, name: string, style: IconStyle): Promise<string> {
  const weight = WEIGHTS[style]
  const file = `${phosphorName(name)}${weight === 'regular' ? '' : `-${weight}`}.svg`
  const folders = style === 'solid' ? ['solid', 'regular', 'brands'] : ['regular', 'solid', 'brands']
  const places = [
    join(PHOSPHOR, weight, file),
    ...folders.map((folder) => join(FONT_AWESOME, 'svgs', folder, `${name}.svg`)),
  ]
  for (const place of places) {
    const svg = await readFile(place, 'utf8').catch(() => null)
    const [, box, content] = /<svg[^>]*viewBox="([\d. -]+)"[^>]*>(?:<!--.*?-->)?(.*)<\/svg>/s.exec(svg ?? '') ?? []
    // The symbol is filled, while the icons of the interface are strokes.
    if (box !== undefined)
      return `<symbol id="i-${id}" viewBox="${box}"><g fill="currentColor" stroke="none">${content}</g></symbol>`
  }
  return ''
}
