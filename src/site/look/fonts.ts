/** The font faces of a site: only those of its two fonts, and of scripts that these may lack. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { SiteCustomization } from '../../model/index.js'
import type { Asset, SharedAssets } from '../assets.js'
import { type KnownFont, MATH_FONT, MONOSPACE_FONTS, SANS_FONTS, SCRIPT_FONTS } from './font-table.js'
import { own, required } from '../../kernel/defined.js'

type ChosenFont = SiteCustomization['styling']['font'] | SiteCustomization['styling']['monospaceFont']
type CustomFont = Exclude<ChosenFont, string>

/** The fonts of a site as CSS, and the files to preload. */
export interface SiteFonts {
  css: string
  preload: Asset[]
  /** Returns further files to preload for pages in a language. */
  preloadFor(lang: string): Asset[]
}

const require = createRequire(import.meta.url)
const SUBSETS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'vietnamese']
/** Subsets of italic faces. Other languages rarely use them. */
const ITALIC_SUBSETS = ['latin', 'latin-ext']
/** The package whose ranges all fonts use. Those of other packages differ in single characters. */
const LATIN_RANGES = '@fontsource-variable/inter'
/** The regular face covers all lighter weights, and the heading face all bolder ones. */
const REGULAR = '100 500'
const BOLD = '501 900'
const ALL = '100 900'

/** Returns the faces of a site. */
export async function fontsOf(assets: SharedAssets, { styling }: SiteCustomization): Promise<SiteFonts> {
  const sans = await chosen(assets, styling.font, SANS_FONTS, 'Inter')
  const mono = await chosen(assets, styling.monospaceFont, MONOSPACE_FONTS, 'IBMPlexMono')
  const scripts = await Promise.all(SCRIPT_FONTS.map((font) => scriptFaces(assets, font)))
  const math = await assets.font(MATH_FONT.file)
  const mathFace = face(MATH_FONT.family, source(math), ALL)
  const others = SCRIPT_FONTS.map(({ family }) => `"${family}"`).join()
  const tokens = `@layer tokens{:root{--sans:${sans.names[0]},${others}${rest(sans)};--mono:${mono.names[0]}${rest(mono)},${others}}}`
  return {
    css: [sans.css, mono.css, ...scripts.map(({ css }) => css), mathFace, tokens].join(''),
    preload: [sans.main, mono.main].filter((one) => one !== undefined),
    preloadFor: (lang) =>
      SCRIPT_FONTS.flatMap(({ languages }, at) => (languages.test(lang) ? (scripts[at]?.files ?? []) : [])),
  }
}

/** Returns the origins of a site's own fonts, for the Content-Security-Policy. */
export function fontHosts({ styling }: SiteCustomization): string[] {
  const urls = [styling.font, styling.monospaceFont].flatMap((font) =>
    typeof font === 'string' ? [] : font.fontFaces.flatMap(({ sources }) => sources.map(({ url }) => url)),
  )
  return [...new Set(urls.filter(isFetched).map((url) => new URL(url).origin))]
}

const isFetched = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

interface Chosen {
  css: string
  /** Names for `font-family`, in quotes: the font, then its replacement. */
  names: string[]
  main?: Asset
}

const rest = ({ names }: Chosen): string =>
  names
    .slice(1)
    .map((name) => `,${name}`)
    .join('')

async function chosen(
  assets: SharedAssets,
  font: ChosenFont,
  known: Readonly<Record<string, KnownFont>>,
  fallback: string,
): Promise<Chosen> {
  if (typeof font !== 'string') return custom(font)
  const found = own(known, font) ?? required(known[fallback])
  const faces: string[] = []
  let main: Asset | undefined
  const add = async (subset: string, weight: string, range: string, isItalic: boolean): Promise<void> => {
    const file = fileOf(found.package, subset, weight, isItalic)
    if (!file) return
    const loaded = await assets.font(file)
    if (subset === 'latin' && !isItalic) main ??= loaded
    faces.push(face(found.family, source(loaded), range, { ranges: rangesOf(LATIN_RANGES)[subset], isItalic }))
  }
  const isVariable = found.bold === undefined
  for (const subset of SUBSETS) {
    await add(subset, isVariable ? 'wght' : '400', isVariable || found.bold === null ? ALL : REGULAR, false)
    if (found.bold) await add(subset, String(found.bold), BOLD, false)
  }
  if (found.hasItalic) for (const subset of ITALIC_SUBSETS) await add(subset, isVariable ? 'wght' : '400', ALL, true)
  const names = [found.family, `${found.family} Fallback`].map((name) => `"${name}"`)
  return { css: faces.join('') + replacement(found), names, ...(main ? { main } : {}) }
}

function custom({ fontFamily, fontFaces }: CustomFont): Chosen {
  const css = fontFaces.map(({ weight, style, sources }) => {
    const list = sources
      .filter(({ url }) => isFetched(url))
      .map(({ url, format }) => `url("${escaped(new URL(url).href)}") format("${format}")`)
    return list.length === 0 ? '' : face(fontFamily, list.join(), String(weight), { isItalic: style === 'italic' })
  })
  return { css: css.join(''), names: [`"${escaped(fontFamily)}"`] }
}

/** Returns a text as a CSS string. */
const escaped = (text: string): string =>
  text.replace(/["\\\n\r\f<]/g, (char) => `\\${char.charCodeAt(0).toString(16)} `)

async function scriptFaces(
  assets: SharedAssets,
  { family, package: name, subset }: (typeof SCRIPT_FONTS)[number],
): Promise<{ css: string; files: Asset[] }> {
  const files = await Promise.all(['400', '600'].map((weight) => assets.font(required(fileOf(name, subset, weight)))))
  const css = files.map((file, at) =>
    face(family, source(file), at === 0 ? REGULAR : BOLD, { ranges: rangesOf(name)[subset] }),
  )
  return { css: css.join(''), files }
}

const source = ({ name }: Asset): string => `url(${name}) format("woff2")`

interface FaceOptions {
  ranges?: string | undefined
  isItalic?: boolean
}

function face(family: string, from: string, weight: string, { ranges, isItalic }: FaceOptions = {}): string {
  return `@font-face{font-family:"${family}";src:${from};font-weight:${weight};${isItalic ? 'font-style:italic;' : ''}font-display:optional${ranges ? `;unicode-range:${ranges}` : ''}}`
}

const LOCAL = {
  sans: [
    'local("Arial"),local("Liberation Sans"),local("Helvetica Neue")',
    'local("Arial Bold"),local("Liberation Sans Bold"),local("Helvetica Neue Bold")',
  ],
  serif: [
    'local("Times New Roman"),local("Liberation Serif")',
    'local("Times New Roman Bold"),local("Liberation Serif Bold")',
  ],
  mono: ['local("Courier New"),local("Liberation Mono")', 'local("Courier New"),local("Liberation Mono")'],
} as const

/** Returns faces of a system font with the metrics of a font, so that lines break at the same words until it is loaded. */
function replacement({ family, like, width, ascent, descent }: KnownFont): string {
  return width
    .map((size = 1, at) => {
      const share = (value: number): string => `${Math.round((value / size) * 1000) / 10}%`
      const weight = width.length === 1 ? ALL : at === 0 ? REGULAR : BOLD
      return `@font-face{font-family:"${family} Fallback";src:${LOCAL[like][at]};font-weight:${weight};size-adjust:${Math.round(size * 1000) / 10}%;ascent-override:${share(ascent)};descent-override:${share(descent)};line-gap-override:0%}`
    })
    .join('')
}

/** Returns the name of a file that a package has; null if it has none. */
function fileOf(name: string, subset: string, weight: string, isItalic = false): string | null {
  const id = name.slice(name.indexOf('/') + 1)
  const file = `files/${id}-${subset}-${weight}-${isItalic ? 'italic' : 'normal'}.woff2`
  return existsSync(join(folderOf(name), file)) ? `${name}/${file}` : null
}

const folderOf = (name: string): string => dirname(require.resolve(`${name}/package.json`))

// bound: the packages of the font table
const knownRanges = new Map<string, Record<string, string>>()

/** Returns the characters of each subset of a package. */
function rangesOf(name: string): Record<string, string> {
  const known = knownRanges.get(name)
  if (known) return known
  const made: Record<string, string> = JSON.parse(readFileSync(join(folderOf(name), 'unicode.json'), 'utf8'))
  knownRanges.set(name, made)
  return made
}
