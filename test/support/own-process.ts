import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * There is more to run than there are cores, so that threads which collect garbage beside a process only take turns with it; and what one test leaves is
 * garbage to the next, so that looking through it seldom is better than early.
 */
export const COLLECTOR = ['--single-threaded-gc', '--min-semi-space-size=16', '--max-semi-space-size=64']

/**
 * Arguments with which node runs a module in a process of its own: compiled where the caller is (the test run), through tsx from
 * the sources (scripts/).
 * @param path relative to `from`, as an import would name it: `./writer.js`
 * @param from `import.meta.url` of the caller
 */
export function moduleArguments(path: string, from: string): string[] {
  const isSource = extname(from) === '.ts'
  const file = fileURLToPath(new URL(isSource ? path.replace(/\.js$/, '.ts') : path, from))
  return isSource ? ['--import', import.meta.resolve('tsx'), file] : [...COLLECTOR, file]
}
