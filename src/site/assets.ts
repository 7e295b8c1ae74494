/** The files that pages load: scripts, style sheets and fonts. Their names contain a hash of their content. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/** A file that browsers may cache forever. */
export interface Asset {
  name: string
  type: string
  body: Buffer
}

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/speculationrules+json',
  woff2: 'font/woff2',
}

/** Returns a file under a name with its hash: `main.js` becomes `main-1a2b3c4d5e.js`. */
export function asset(name: string, body: Buffer): Asset {
  const dot = name.lastIndexOf('.')
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 10)
  return { name: `${name.slice(0, dot)}-${hash}${name.slice(dot)}`, type: TYPES[name.slice(dot + 1)] ?? '', body }
}

/** A server that runs from its sources finds the files of the last build. */
const folder = [new URL('./assets/', import.meta.url), new URL('../../dist/site/assets/', import.meta.url)].find(
  (one) => existsSync(one),
)

function built(name: string): Buffer {
  if (!folder) throw new Error('The scripts and styles of sites are missing. Run `npm run build`.')
  return readFileSync(new URL(name, folder))
}
const require = createRequire(import.meta.url)

/** The files that all sites share. */
export interface SharedAssets {
  main: Asset
  /** The script of bundles. */
  offline: Asset
  scheme: Asset
  /** The script that sends requests to APIs, and its style sheet. */
  trier: { script: Asset; sheet: Asset }
  /** The style sheet of pages that mark changes since a point in time. */
  since: Asset
  /** The script of suggestions, and its style sheet. */
  suggester: { script: Asset; sheet: Asset }
  /** The style sheet of pages without a site's customization. */
  plain: Asset
  /** The theme, to which each site adds its colors and fonts. */
  theme: string
  /** Aliases of Font Awesome icons, and the names of their files. */
  iconAliases: ReadonlyMap<string, string>
  find(name: string): Asset | undefined
  /** Reads the script that reloads the pages of a local preview. */
  reload(): string
  /** Loads a font file of an installed package. */
  font(file: string): Promise<Asset>
}

/** Loads the files that `npm run build` created. Throws if they are missing. */
export function loadAssets(): SharedAssets {
  const main = asset('main.js', built('main.js'))
  const offline = asset('offline.js', built('offline.js'))
  const scheme = asset('scheme.js', built('scheme.js'))
  const trier = { script: asset('try.js', built('try.js')), sheet: asset('try.css', built('try.css')) }
  const suggester = {
    script: asset('suggest.js', built('suggest.js')),
    sheet: asset('suggest.css', built('suggest.css')),
  }
  const since = asset('since.css', built('since.css'))
  const plain = asset('plain.css', built('plain.css'))
  // bound: the font files of the packages
  const fonts = new Map<string, Promise<Asset>>()
  const shared = [main, offline, scheme, trier.script, trier.sheet, suggester.script, suggester.sheet, since, plain]
  const byName = new Map(shared.map((one) => [one.name, one]))
  const load = async (file: string): Promise<Asset> => {
    const font = asset(file.slice(file.lastIndexOf('/') + 1), await readFile(require.resolve(file)))
    byName.set(font.name, font)
    return font
  }
  return {
    main,
    offline,
    scheme,
    trier,
    since,
    suggester,
    plain,
    theme: built('theme.css').toString(),
    iconAliases: new Map(Object.entries<string>(JSON.parse(built('icon-aliases.json').toString()))),
    find: (name) => byName.get(name),
    reload: () => built('reload.js').toString(),
    font: (file) => {
      const known = fonts.get(file) ?? load(file)
      fonts.set(file, known)
      return known
    },
  }
}
