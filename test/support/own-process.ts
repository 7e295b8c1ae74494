import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * There are more processes than cores, so a garbage collection thread only takes turns with its process. Data of one
 * test are garbage for the next, so infrequent collections are better than early ones.
 */
export const COLLECTOR = ['--single-threaded-gc', '--min-semi-space-size=16', '--max-semi-space-size=64']

/**
 * Arguments with which node runs a module in a separate process: compiled for a compiled caller (the test run), or
 * through tsx from the sources (scripts/).
 * @param path relative to `from`, as an import would name it: `./writer.js`
 * @param from `import.meta.url` of the caller
 */
export function moduleArguments(path: string, from: string): string[] {
  const isSource = extname(from) === '.ts'
  const file = fileURLToPath(new URL(isSource ? path.replace(/\.js$/, '.ts') : path, from))
  return isSource ? ['--import', import.meta.resolve('tsx'), file] : [...COLLECTOR, file]
}
