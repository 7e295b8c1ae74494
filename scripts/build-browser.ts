// Builds the browser files of published sites and of the app: node --import tsx scripts/build-browser.ts <folder of the
// compiled sources>
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { FIRST_SCREENS } from '../src/desk/first-screens.js'
import { defaultCustomization } from '../src/domain/sites/customization-default.js'
import { colorTokens } from '../src/site/look/style.js'

const desk = fileURLToPath(new URL('../src/desk/', import.meta.url))
const site = fileURLToPath(new URL('../src/site/', import.meta.url))

/** The sources and the names of the built files. */
const FILES = {
  'browser/main.ts': 'main.js',
  'browser/offline.ts': 'offline.js',
  'browser/scheme.ts': 'scheme.js',
  'browser/try.ts': 'try.js',
  'browser/suggest.ts': 'suggest.js',
  'browser/reload.ts': 'reload.js',
  'theme/theme.css': 'theme.css',
  'theme/try.css': 'try.css',
  'theme/since.css': 'since.css',
  'theme/suggest.css': 'suggest.css',
  'theme/plain.css': 'plain.css',
}

/** Returns the aliases of Font Awesome's free icons, from the list of 5 MB in its package. */
async function iconAliases(): Promise<Record<string, string>> {
  const list = createRequire(import.meta.url).resolve('@fortawesome/fontawesome-free/metadata/icon-families.json')
  const icons = JSON.parse(await readFile(list, 'utf8')) as Record<
    string,
    { aliases?: { names?: string[] }; familyStylesByLicense?: { free?: unknown[] } }
  >
  const named = Object.entries(icons).flatMap(([name, { aliases, familyStylesByLicense }]) =>
    (familyStylesByLicense?.free?.length ?? 0) > 0 ? (aliases?.names ?? []).map((alias) => [alias, name]) : [],
  )
  return Object.fromEntries(named)
}

/** Builds the scripts and the style sheet of sites, and the names of icons, into a folder. */
async function buildSites(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [source, name] of Object.entries(FILES)) {
    const { outputFiles } = await build({
      entryPoints: [join(site, source)],
      bundle: true,
      minify: true,
      write: false,
      // Browsers load modules only from servers.
      format: name === 'offline.js' ? 'iife' : 'esm',
      target: 'es2022',
      logLevel: 'error',
      loader: { '.woff2': 'empty' },
      external: ['*.woff2'],
    })
    await writeFile(join(folder, name), outputFiles[0]?.contents ?? '')
  }
  await writeFile(join(folder, 'icon-aliases.json'), JSON.stringify(await iconAliases()))
}

/** Layers of the theme of sites whose rules also apply to the texts that the app shows. */
const SHARED_LAYERS = ['blocks', 'api']

/** Provides the rules of the theme for the content of pages, limited to the elements that show them in the app. */
const themeOfTexts: Plugin = {
  name: 'theme-of-texts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^theme-of-texts\.css$/ }, ({ path }) => ({ path, namespace: 'theme' }))
    onLoad({ filter: /.*/, namespace: 'theme' }, async () => {
      const theme = await readFile(join(site, 'theme/theme.css'), 'utf8')
      const rules = SHARED_LAYERS.map((name) => layerOf(theme, name)).join('\n')
      const colors = colorTokens(defaultCustomization).replace(/^@layer tokens\{:root\{|\}\}$/g, '')
      const own = await readFile(join(desk, 'style/base.css'), 'utf8')
      const missing = colors.split(';').filter((one) => !own.includes(`  ${one.slice(0, one.indexOf(':'))}: `))
      return { contents: `@layer texts { .rendered { ${missing.join(';')}; ${rules} } }`, loader: 'css' }
    })
  },
}

/** Returns the rules of a layer of a style sheet. Throws if it has none. */
function layerOf(sheet: string, name: string): string {
  const start = sheet.indexOf(`\n@layer ${name} {`)
  const end = sheet.indexOf('\n}', start)
  if (start < 0 || end < 0) throw new Error(`The theme has no layer ${name}.`)
  return sheet.slice(sheet.indexOf('{', start) + 1, end)
}

/**
 * Modules that become one file, although some of the parts that are loaded on demand need only a few of them. Otherwise
 * each combination would have its own file, and a first screen would load dozens.
 */
const TOGETHER: readonly { modules: readonly string[]; parts: RegExp }[] = [
  {
    modules: [
      'app.tsx',
      'shell/dialog.tsx',
      'shell/fields.tsx',
      'shell/time.tsx',
      'space/space-frame.tsx',
      'space/space.ts',
    ],
    parts: /\/(?!early\.ts)[^/]+\.tsx?$/,
  },
  { modules: ['editor/writing.ts', 'editor/ribbon.tsx'], parts: /\/editor(?:\/(?!contents|search)[a-z-]+)?\.tsx?$/ },
  {
    modules: ['review/request-frame.tsx', 'review/threads.tsx', 'review/suggested.tsx'],
    parts: /\/screens\/(?:change-(?!requests)[a-z]+|suggest|site-suggestions)\.tsx$/,
  },
]

/** Returns the plugin that makes the parts in a build import what belongs together. */
async function together(options: BuildOptions): Promise<Plugin> {
  const { metafile } = await build({ ...options, write: false, metafile: true })
  const parts = new Map(
    Object.values(metafile.outputs).flatMap(({ entryPoint = '' }) => {
      const added = TOGETHER.filter((one) => one.parts.test(entryPoint)).flatMap((one) => one.modules)
      return added.length > 0 ? [[resolve(entryPoint), added]] : []
    }),
  )
  return {
    name: 'together',
    setup({ onLoad }) {
      onLoad({ filter: /src\/desk\/.*\.tsx?$/ }, async ({ path }) => {
        const added = parts.get(path)?.map((one) => `import ${JSON.stringify(join(desk, one))}`)
        return (
          added && {
            contents: [await readFile(path, 'utf8'), ...added].join('\n'),
            loader: path.endsWith('x') ? 'tsx' : 'ts',
          }
        )
      })
    },
  }
}

/**
 * Builds the app into a folder. The names of all files contain hashes of their content. Next to scripts and style sheets
 * are their compressed forms. `manifest.json` names the files that its page loads, and those of the first screens.
 */
export async function buildDesk(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const options: BuildOptions = {
    entryPoints: {
      main: join(desk, 'main.tsx'),
      early: join(desk, 'early.ts'),
      texts: 'theme-of-texts.css',
    },
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    publicPath: '/~desk/',
    loader: { '.woff2': 'file' },
    plugins: [themeOfTexts],
    logLevel: 'error',
  }
  const plugins = [themeOfTexts, await together(options)]
  const { metafile } = await build({ ...options, plugins, metafile: true })
  const files = Object.keys(metafile.outputs).map((path) => basename(path))
  await compress(folder, files)
  const named = (pattern: RegExp): string => {
    const found = files.find((name) => pattern.test(name))
    if (found === undefined) throw new Error(`The build of the app has no file ${pattern}.`)
    return found
  }
  const script = named(/^main-.*\.js$/)
  const imports = importsOf(script, metafile)
  const manifest = {
    script,
    imports,
    style: named(/^main-.*\.css$/),
    texts: named(/^texts-.*\.css$/),
    early: named(/^early-.*\.js$/),
    font: named(/^ibm-plex-sans-latin-400-normal-.*\.woff2$/),
    screens: FIRST_SCREENS.map(({ pattern, screen, data, isLarge = false }) => {
      const file = named(new RegExp(`^${screen}-\\w{8}\\.js$`))
      const own = [file, ...importsOf(file, metafile)]
      const added = own.filter((name) => name !== script && !imports.includes(name))
      const hasTexts = added.some((name) => inputsOf(name, metafile).some((one) => one.endsWith('space/blocks.tsx')))
      return { pattern, data, isLarge, hasTexts, files: added }
    }),
    files,
  }
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest))
}

/** Writes the compressed form of each script and style sheet next to it. */
async function compress(folder: string, files: readonly string[]): Promise<void> {
  for (const name of files.filter((one) => /\.(?:js|css)$/.test(one))) {
    const file = join(folder, name)
    await writeFile(`${file}.br`, await promisify(brotliCompress)(await readFile(file)))
  }
}

/** Returns the modules that a built file contains. */
const inputsOf = (file: string, { outputs }: Metafile): string[] =>
  Object.entries(outputs).flatMap(([path, { inputs }]) => (basename(path) === file ? Object.keys(inputs) : []))

/** Returns the files that a built file imports, and those that they import, without files that are loaded on demand. */
export function importsOf(file: string, { outputs }: Metafile, found = new Set<string>()): string[] {
  const output = Object.entries(outputs).find(([path]) => basename(path) === file)?.[1]
  for (const { path, kind } of output?.imports ?? []) {
    const name = basename(path)
    if (kind !== 'import-statement' || found.has(name)) continue
    found.add(name)
    importsOf(name, { inputs: {}, outputs }, found)
  }
  return [...found]
}

/**
 * Builds the browser files next to the compiled sources.
 * @param compiled the folder of the compiled sources: `dist`
 */
export async function buildBrowser(compiled: string): Promise<void> {
  await Promise.all([buildSites(join(compiled, 'site/assets')), buildDesk(join(compiled, 'desk/assets'))])
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildBrowser(process.argv[2] ?? 'dist')
