import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { lines } from 'uvu/diff'

const folder = new URL('../golden/', import.meta.url).pathname

/**
 * Compares a value with test/golden/<name>.json. Throws with a line-by-line difference. `UPDATE_GOLDEN=1` writes the
 * file instead, except if `CI` is set, where the change must already be committed.
 */
export function matchesGolden(
  name: string,
  value: unknown,
  options: { folder?: string; env?: NodeJS.ProcessEnv } = {},
): void {
  if (!/^[\w-]+(?:\/[\w-]+)*$/.test(name)) throw new Error(`"${name}" is no name of a golden file`)
  const env = options.env ?? process.env
  const file = join(options.folder ?? folder, `${name}.json`)
  const text = `${JSON.stringify(value, null, 2)}\n`
  if (env.UPDATE_GOLDEN === '1') {
    if (env.CI) throw new Error('golden files are not rewritten where CI is set')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return
  }
  if (!existsSync(file)) throw new Error(`no golden file ${name}.json: run with UPDATE_GOLDEN=1 and commit it`)
  const expected = readFileSync(file, 'utf8')
  if (text !== expected)
    throw new Error(`differs from golden file ${name}.json (UPDATE_GOLDEN=1 rewrites it):\n${lines(text, expected)}`)
}
