import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { stop } from 'esbuild'
import { buildBrowser } from '../../scripts/build-browser.js'
import { bundle } from './bundle.js'

const COMPILED = ['src', 'test']

/**
 * Compiles the sources of one run to JavaScript. Otherwise each test process would spend seconds on translating and
 * loading them.
 */
export interface Compiled {
  /** The path of a file of the repository in the compiled tree. */
  path(file: string): string
  /** Replaces places in the compiled tree by those in the sources. */
  inSources(text: string): string
  remove(): void
}

/**
 * Compiles src/ and test/ of a repository into a folder for this process in `.test-run`: the started modules and the
 * test files `run`, each with its imports (`bundle.ts`). `import.meta.url` has the same meaning as in the sources. All
 * other files are linked, not copied, so that a golden file is written to its place in the sources.
 */
export async function compile(repository: string, run: readonly string[]): Promise<Compiled> {
  const runs = join(repository, '.test-run')
  removeLeftovers(runs)
  const dir = join(runs, String(process.pid))
  rmSync(dir, { recursive: true, force: true })
  const sources = COMPILED.flatMap((folder) =>
    typeScriptIn(join(repository, folder)).map((file) => relative(repository, file)),
  )
  // esbuild is a Go program. It would spend a fifth of its time on saving memory that nothing needs before the run.
  const { GOGC } = process.env
  process.env.GOGC = GOGC ?? '400'
  await bundle({ repository, dir, sources, run })
  await buildBrowser(join(dir, 'src'))
  // Its process uses hundreds of megabytes, which the run needs.
  await stop()
  if (GOGC === undefined) delete process.env.GOGC
  for (const folder of COMPILED) linkAll(join(repository, folder), join(dir, folder))
  for (const name of readdirSync(repository))
    if (!COMPILED.includes(name) && !name.startsWith('.')) symlinkSync(join(repository, name), join(dir, name))
  return {
    path: (file) => join(dir, relative(repository, file)).replace(/\.ts$/, '.js'),
    inSources: (text) => inSources(text, repository, dir),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** Runs that were killed could not remove their folders. Other files, such as the build information of tsc, stay. */
function removeLeftovers(runs: string): void {
  if (!existsSync(runs)) return
  for (const name of readdirSync(runs))
    if (/^\d+$/.test(name) && !isRunning(Number(name))) rmSync(join(runs, name), { recursive: true, force: true })
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const isTypeScript = (path: string): boolean => /\.tsx?$/.test(path)
const typeScriptIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(isTypeScript)
    .map((path) => join(folder, path))

/**
 * Links every file, including sources, next to the compiled ones, because a test may look for them. A folder without
 * TypeScript is linked as a whole.
 */
function linkAll(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory() && typeScriptIn(source).length > 0) {
      mkdirSync(target, { recursive: true })
      linkAll(source, target)
    } else symlinkSync(source, target)
  }
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** `file:///…/.test-run/7/src/a.js:3:14` → `src/a.ts:5:10`. */
function inSources(text: string, repository: string, dir: string): string {
  const maps = new Map<string, SourceMap>()
  return text.replaceAll(
    new RegExp(`(?:file://)?${escaped(dir)}/([^\\s:()]+\\.js):(\\d+):(\\d+)`, 'g'),
    (place, file: string, line: string, column: string) => {
      const compiled = join(dir, file)
      if (!existsSync(`${compiled}.map`)) return place
      const map = maps.get(compiled) ?? new SourceMap(JSON.parse(readFileSync(`${compiled}.map`, 'utf8')))
      maps.set(compiled, map)
      const entry = map.findEntry(Number(line) - 1, Number(column) - 1)
      if (!('originalLine' in entry)) return place
      return `${relative(repository, join(dirname(compiled), entry.originalSource))}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
    },
  )
}
