/** The command line: its help, and its response to unknown commands and to ports in use. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as assert from 'uvu/assert'
import { moduleArguments } from '../support/own-process.js'
import { suite } from '../support/suite.js'

const test = suite('command line')

const runWith = (
  env: Record<string, string>,
  ...args: string[]
): Promise<{ stdout: string; stderr: string; code?: number }> =>
  promisify(execFile)(process.execPath, [...moduleArguments('../../src/main.js', import.meta.url), ...args], {
    env: { ...process.env, ...env },
  }).catch((error) => error)
const run = (...args: string[]) => runWith({}, ...args)

test('the error for an unknown command suggests the intended one', async () => {
  const { stderr, code } = await run('tokn', 'ada@example.org')
  assert.is(code, 1)
  assert.match(stderr, /unknown command 'tokn'\s+\(Did you mean token\?\)/)
})

test('--version prints the version', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  assert.is((await run('--version')).stdout.trim(), version)
})

test('a server whose port is in use ends with a message that names the setting', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-'))
  const other = createServer()
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
  const port = String((other.address() as AddressInfo).port)
  for (const [taken, free] of [
    ['BINDERY_PORT', 'BINDERY_SITES_PORT'],
    ['BINDERY_SITES_PORT', 'BINDERY_PORT'],
  ] as const) {
    const folders = { BINDERY_DATA_DIR: join(folder, 'data'), BINDERY_REPOS_DIR: join(folder, 'repos') }
    const { stderr, code } = await runWith({ ...folders, [taken]: port, [free]: '0' }, 'serve')
    assert.is(code, 1)
    assert.match(
      stderr,
      `127.0.0.1:${port} is used by another process. Stop it, or choose another port with ${taken}.\n`,
    )
    assert.not.match(stderr, /\n +at /)
  }
  other.close()
  await rm(folder, { recursive: true })
})

test.run()
