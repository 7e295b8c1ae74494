/**
 * The bundled fonts as one style sheet that lists the characters of each file. Chromium loads only the files that a
 * document needs.
 */
import { required } from '../kernel/defined.js'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { ServedFile } from './chromium.js'

const require = createRequire(import.meta.url)

/** The packages and their style sheets. The later ones are for scripts that the first ones do not support. */
const PACKAGES: Record<string, string[]> = {
  '@fontsource/ibm-plex-sans': ['400', '400-italic', '600', '600-italic'],
  '@fontsource/ibm-plex-mono': ['400', '600'],
  '@fontsource/noto-sans-arabic': ['400', '600'],
  '@fontsource/noto-sans-hebrew': ['400', '600'],
  '@fontsource/noto-sans-devanagari': ['400', '600'],
  '@fontsource/noto-sans-thai': ['400', '600'],
  '@fontsource/stix-two-math': ['400'],
  '@fontsource-variable/noto-sans-sc': ['wght'],
  '@fontsource-variable/noto-sans-kr': ['wght'],
}
const FILE = /^\/fonts\/(@fontsource(?:-variable)?\/[a-z-]+)\/([a-z0-9-]+\.woff2)$/

/** A package whose style sheet declares only Latin letters. Formulas need the whole font. */
const WITHOUT_RANGE = '@fontsource/stix-two-math'
/** Packages whose style sheets list characters of other scripts that the fonts do not contain. */
const EAST_ASIAN = /^@fontsource-variable\/noto-sans-(?:sc|kr)$/
const EAST_ASIAN_CHARACTER =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef]/u

const sheets = new Map<string, string>()

/** Returns the style sheet of a package; empty if it is not installed. */
function sheetOf(name: string): string {
  const known = sheets.get(name)
  if (known !== undefined) return known
  const css = (PACKAGES[name] ?? []).map((one) => readSheet(name, one)).join('\n')
  sheets.set(name, css)
  return css
}

function readSheet(name: string, sheet: string): string {
  try {
    const css = readFileSync(join(folderOf(name), `${sheet}.css`), 'utf8')
      .replace(/url\(\.\/files\/([^)]+)\)/g, `url(/fonts/${name}/$1)`)
      .replace(/,\s*url\([^)]*\.woff\) format\('woff'\)/g, '')
    return name === WITHOUT_RANGE ? css.replace(/unicode-range:[^;}]+;?/g, '') : css
  } catch {
    return ''
  }
}

const folderOf = (name: string): string => dirname(require.resolve(`${name}/package.json`))

/** Returns a file below `/fonts`; null if it does not exist. */
export function serveFont(path: string): ServedFile | null {
  if (path === '/fonts.css')
    return { contentType: 'text/css; charset=utf-8', body: Buffer.from(Object.keys(PACKAGES).map(sheetOf).join('\n')) }
  const [, name, file] = FILE.exec(path) ?? []
  if (name === undefined || file === undefined || !Object.hasOwn(PACKAGES, name)) return null
  return { contentType: 'font/woff2', body: readFileSync(join(folderOf(name), 'files', file)) }
}

/** Whether a bundled font contains the character. */
export function isInBundledFont(character: string): boolean {
  ranges ??= Object.keys(PACKAGES).flatMap((name) =>
    rangesOf(name).map((range) => ({ range, eastAsian: EAST_ASIAN.test(name) })),
  )
  const codePoint = required(character.codePointAt(0))
  const eastAsian = EAST_ASIAN_CHARACTER.test(character)
  return ranges.some(
    ({ range: [from, to], eastAsian: only }) => from <= codePoint && codePoint <= to && (!only || eastAsian),
  )
}
let ranges: { range: [number, number]; eastAsian: boolean }[] | null = null

const rangesOf = (name: string): [number, number][] =>
  [...sheetOf(name).matchAll(/unicode-range:\s*([^;}]+)/gi)].flatMap(([, list = '']) =>
    list.split(',').flatMap(rangeOf),
  )

function rangeOf(text: string): [number, number][] {
  const [, from, to] = /^\s*U\+([0-9a-f]+)(?:-([0-9a-f]+))?\s*$/i.exec(text) ?? []
  return from === undefined ? [] : [[Number.parseInt(from, 16), Number.parseInt(to ?? from, 16)]]
}
