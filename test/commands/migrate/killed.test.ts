// @own-process: it starts and kills processes
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { migrations } from '../../../src/domain/upkeep/migrations.js'
import { journals } from '../../../src/model/index.js'
import { digestOf, openEmbeddedSource } from '../../../src/store/index.js'
import { moduleArguments } from '../../support/own-process.js'
import { startPostgres } from '../../support/postgres.js'
import { isSoak } from '../../support/soak.js'
import { suite } from '../../support/suite.js'
import { keptFiles, makeInstallation, refsAndChecks } from './installation.js'

const test = suite('migrate, killed')
const postgres = await startPostgres()
const source = await makeInstallation()
test.after(async () => {
  await postgres.close()
  await rm(source.dir, { recursive: true, force: true })
})

/**
 * Runs the command, and kills it `delayMs` after it has printed `lines` lines. Returns its output, and whether it
 * ended before the kill.
 */
async function run(
  to: string,
  env: Record<string, string>,
  kill: { lines: number; delayMs: number },
): Promise<{ ended: number | null; said: string }> {
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(
    process.execPath,
    [...moduleArguments('../../../src/main.js', import.meta.url), 'migrate', '--to', to],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...env },
    },
  )
  let said = ''
  let timer: NodeJS.Timeout | undefined
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.split('\n').length > kill.lines) timer ??= setTimeout(() => child.kill('SIGKILL'), kill.delayMs)
    })
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(timer)
  return { ended: code, said }
}

/**
 * Kills the command at its first line, its second (a soak) or third, and so on, until it ends without a kill.
 */
async function untilDone(to: string, env: Record<string, string>): Promise<string> {
  let killed = 0
  for (let lines = 1; ; lines += isSoak ? 1 : 2) {
    const { ended, said } = await run(to, env, { lines, delayMs: (lines * 37) % 90 })
    if (ended === 0) {
      assert.ok(killed >= (isSoak ? 4 : 2), `${killed} kills`)
      return said
    }
    assert.is(ended, null, said)
    killed++
  }
}

const digest = async (data: string) => {
  const store = await openEmbeddedSource({ dir: join(data, 'store'), migrations, journals })
  try {
    return await digestOf(store)
  } finally {
    await store.close()
  }
}

test(
  'a migration that is killed at any point continues on the next run, in both directions',
  async () => {
    const url = await postgres.database()
    const there = await untilDone(url, { BINDERY_DATA_DIR: source.data, BINDERY_REPOS_DIR: source.repos })
    assert.match(there, /Continuing an interrupted migration|has already ended/)
    const target = join(source.dir, 'back')
    await untilDone(target, {
      BINDERY_DATABASE_URL: url,
      BINDERY_DATA_DIR: join(source.dir, 'none'),
      BINDERY_SIGNING_KEY_FILE: join(source.data, 'signing-key'),
    })
    const [data, repos] = [join(target, 'data'), join(target, 'repos')]
    assert.equal(await digest(data), await digest(source.data))
    assert.equal(await refsAndChecks({ ...source, repos }), await refsAndChecks(source))
    assert.equal(await keptFiles(data), await keptFiles(source.data))
  },
  { timeoutMs: 1_200_000 },
)

test.run()
