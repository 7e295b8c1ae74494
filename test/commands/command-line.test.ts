/** The command line: its help, and its response to unknown commands. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import * as assert from 'uvu/assert'
import { moduleArguments } from '../support/own-process.js'
import { suite } from '../support/suite.js'

const test = suite('command line')

const run = (...args: string[]): Promise<{ stdout: string; stderr: string; code?: number }> =>
  promisify(execFile)(process.execPath, [...moduleArguments('../../src/main.js', import.meta.url), ...args]).catch(
    (error) => error,
  )

test('the error for an unknown command suggests the intended one', async () => {
  const { stderr, code } = await run('tokn', 'ada@example.org')
  assert.is(code, 1)
  assert.match(stderr, /unknown command 'tokn'\s+\(Did you mean token\?\)/)
})

test('--version prints the version', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  assert.is((await run('--version')).stdout.trim(), version)
})

test.run()
