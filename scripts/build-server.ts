// Bundles the server into few files, which load in a fraction of the time: node --import tsx scripts/build-server.ts <folder>
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'

const sources = fileURLToPath(new URL('../src/', import.meta.url))

/** Modules that the server starts as processes and threads. */
export const STARTED = ['threads/entry.ts', 'openapi/entry.ts', 'printing/print-process.ts', 'git/process/spawner.ts']
/** Modules with the tasks of threads. */
const TASKS = ['render/tasks.ts', 'search/tasks.ts', 'conversion/tasks.ts', 'auth/saml/tasks.ts']
/** Packages with native parts, or with files that they find next to their own. */
export const OUTSIDE = ['libsql', 'satteri', 'swagger-ui-dist', '@sparticuz/chromium', 'puppeteer-core', 'pg']

/** The options of bundles that Node runs. */
export const FOR_NODE: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: OUTSIDE,
  // Each copy of this table takes as long to load as a small program. A newer one has everything that older ones have.
  alias: { 'mime-db': fileURLToPath(import.meta.resolve('mime-db')) },
  sourcesContent: false,
  logLevel: 'error',
  // CommonJS in an ES module has no `require` for built-in modules of Node.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
}

/**
 * Lets each module below a folder find the files next to its own, although it is in a bundle.
 * @param urlOf returns the expression for `import.meta.url` of a compiled module; its path is relative to the folder
 */
export const keepUrls = (folder: string, urlOf: (file: string) => string): Plugin => ({
  name: 'keep-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
      const url = urlOf(relative(folder, path).replace(/\.tsx?$/, '.js'))
      const contents = (await readFile(path, 'utf8')).replaceAll('import.meta.url', () => url)
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts', resolveDir: dirname(path) }
    })
  },
})

/** The folder of the build in the URLs of modules. Which bundle has a module is only known afterwards. */
const ROOT = '@root/'

/** Bundles the server into a folder, without what it had. The entries have the same paths as their sources. */
export async function buildServer(folder: string): Promise<void> {
  const { outputFiles } = await build({
    ...FOR_NODE,
    entryPoints: ['main.ts', ...STARTED, ...TASKS].map((name) => join(sources, name)),
    outbase: sources,
    outdir: folder,
    splitting: true,
    chunkNames: 'shared/[name]-[hash]',
    sourcemap: 'linked',
    write: false,
    plugins: [keepUrls(sources, (file) => `new URL('${ROOT}${file}', import.meta.url).href`)],
  })
  const codes = new Map(outputFiles.map(({ path, text }) => [path, text]))
  await rm(folder, { recursive: true, force: true })
  for (const [path, text] of codes) {
    const place = relative(dirname(path), folder)
    const content = path.endsWith('.map')
      ? mapOfLines(text, codes.get(path.slice(0, -'.map'.length)) ?? '')
      : text.replaceAll(ROOT, place === '' ? './' : `${place}/`)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }
}

/**
 * Returns a source map with one position per line, for our own code. The first stack trace of a process decodes the map:
 * one with every name of every package would stop a server for a quarter of a second.
 */
function mapOfLines(text: string, code: string): string {
  const map = new SourceMap(JSON.parse(text))
  const files = new Map<string, number>()
  let [file, line] = [0, 0]
  const mappings = code.split('\n').map((content, index) => {
    const found = map.findEntry(index, content.search(/\S|$/))
    if (!('originalSource' in found) || found.generatedLine !== index || /\bnode_modules\//.test(found.originalSource))
      return ''
    const from = [file, line] as const
    file = files.get(found.originalSource) ?? files.size
    files.set(found.originalSource, file)
    line = found.originalLine
    return [0, file - from[0], line - from[1], 0].map(asVlq).join('')
  })
  return JSON.stringify({ version: 3, sources: [...files.keys()], names: [], mappings: mappings.join(';') })
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Returns a number as source maps write it: groups of five bits, the lowest first, with the sign as the lowest bit. */
function asVlq(value: number): string {
  let rest = value < 0 ? -value * 2 + 1 : value * 2
  let digits = ''
  for (; rest > 31; rest >>>= 5) digits += DIGITS[(rest & 31) | 32]
  return digits + DIGITS[rest]
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildServer(resolve(process.argv[2] ?? 'dist'))
