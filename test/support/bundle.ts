/**
 * Bundles many files into few: the modules that processes and threads start, and the test files with their shared
 * modules.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { FOR_NODE, keepUrls, STARTED } from '../../scripts/build-server.js'

/** The most frequently started modules and their exports. Each becomes one file that `cached-code.ts` runs. */
const CACHED = { 'src/main.ts': [], 'src/render/tasks.ts': ['tasks'] }
const RUN_CACHED = 'test/support/cached-code.ts'
/** The forms in which other code names a module that it starts as a process or thread. */
const STARTED_BY_NAME = /(?:moduleArguments|new URL)\('(\.{1,2}\/[^']+)\.js', import\.meta\.url\)/g
/** Packages of tests that look for files next to their own. */
const OUTSIDE = ['pdfjs-dist', 'esbuild']

/** The folder for the compiled files, and the sources: paths below the repository. */
export interface Bundling {
  repository: string
  dir: string
  /** All TypeScript files. */
  sources: readonly string[]
  /** The test files of this run, and the module that runs them. */
  run: readonly string[]
}

/**
 * Bundles into `dir`. Each file keeps its path below the repository. A file that is neither started nor in `run` is not
 * emitted: compiling all of them would take a third longer.
 */
export async function bundle({ repository, dir, sources, run }: Bundling): Promise<void> {
  const cached = Object.keys(CACHED)
  const inSources = STARTED.map((file) => `src/${file}`)
  const started = [...new Set([...inSources, RUN_CACHED, ...startedBy(repository, sources)])].filter(
    (file) => !cached.includes(file),
  )
  const options = optionsOf(repository, dir)
  const inPlace = (files: readonly string[]): string[] => files.map((file) => join(repository, file))
  await Promise.all([
    build({ ...options, ...COMMON_JS, entryPoints: inPlace(cached), minifyWhitespace: true, minifySyntax: true }),
    build({
      ...options,
      entryPoints: inPlace(started),
      minifyWhitespace: true,
      minifySyntax: true,
      splitting: true,
      chunkNames: 'shared/started-[hash]',
    }),
    // Modules that test files share become separate files, which a process with several test files loads once.
    build({ ...options, entryPoints: inPlace(run), splitting: true, chunkNames: 'shared/[hash]' }),
  ])
  const runCached = join(dir, scriptOf(RUN_CACHED))
  for (const [file, names] of Object.entries(CACHED)) {
    const bundled = join(dir, commonOf(file))
    writeFileSync(bundled, inAscii(readFileSync(bundled, 'utf8')))
    writeFileSync(join(dir, scriptOf(file)), starterOf(runCached, bundled, names))
  }
}

/** Code from the code cache must not import dynamically: the import of a built-in module was never settled there. */
const COMMON_JS: BuildOptions = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  banner: {},
  supported: { 'dynamic-import': false },
}
const scriptOf = (file: string): string => file.replace(/\.ts$/, '.js')
const commonOf = (file: string): string => file.replace(/\.ts$/, '.cjs')

/**
 * A script with only ASCII characters, which is read several times as fast. esbuild leaves other characters only in
 * regular expressions.
 */
const inAscii = (script: string): string =>
  script.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A module that runs a bundle and exports the bundle's exports under these names. */
const starterOf = (runCached: string, bundled: string, names: readonly string[]): string =>
  `import { runCached } from '${runCached}'\nexport const { ${names.join(', ')} } = runCached('${bundled}')\n`

/** The modules that sources start by name. */
const startedBy = (repository: string, sources: readonly string[]): string[] =>
  sources.flatMap((file) =>
    [...readFileSync(join(repository, file), 'utf8').matchAll(STARTED_BY_NAME)].map(
      ([, path]) => `${join(dirname(file), path as string)}.ts`,
    ),
  )

const optionsOf = (repository: string, dir: string): BuildOptions => ({
  ...FOR_NODE,
  external: [...(FOR_NODE.external ?? []), ...OUTSIDE],
  outbase: repository,
  outdir: dir,
  sourcemap: 'external',
  plugins: [keepUrls(repository, (file) => JSON.stringify(`file://${join(dir, file)}`))],
})
