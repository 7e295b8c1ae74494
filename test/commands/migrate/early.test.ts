// @own-process: it starts and kills processes
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import * as assert from 'uvu/assert'
import { moduleArguments } from '../../support/own-process.js'
import { startPostgres } from '../../support/postgres.js'
import { suite } from '../../support/suite.js'
import { makeInstallation } from './installation.js'

const test = suite('migrate, killed before its first write')
const postgres = await startPostgres()
const source = await makeInstallation()
test.after(async () => {
  await postgres.close()
  await rm(source.dir, { recursive: true, force: true })
})

/** Starts the command in a folder, with the default folders relative to it. */
function start(cwd: string, to: string, env: Record<string, string> = {}) {
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(
    process.execPath,
    [...moduleArguments('../../../src/main.js', import.meta.url), 'migrate', '--to', to],
    {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...env },
    },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, said }))
  return { child, ended }
}

/** Kills the command while it waits for the lock that it needs to create the first tables in the database. */
async function killAtTables(url: string, begin: () => ReturnType<typeof start>): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  // The lock of src/postgres/migrate.ts.
  await client.query('SELECT pg_advisory_lock($1)', [0x62_69_6e_64])
  const { child, ended } = begin()
  const waiting =
    "SELECT 1 FROM pg_stat_activity WHERE application_name = 'bindery migrate' AND wait_event_type = 'Lock'"
  while ((await client.query(waiting)).rowCount === 0) {
    assert.is(child.exitCode, null, 'it waits for the lock')
    await wait(20)
  }
  child.kill('SIGKILL')
  assert.is((await ended).code, null)
  await client.end()
}

test('a migration with default folders continues after a kill before its first write', async () => {
  const url = await postgres.database()
  await killAtTables(url, () => start(source.dir, url))
  const there = await start(source.dir, url).ended
  assert.is(there.code, 0, there.said)
  const cwd = join(source.dir, 'elsewhere')
  await mkdir(cwd)
  const env = { BINDERY_DATABASE_URL: url, BINDERY_SIGNING_KEY_FILE: join('..', 'data', 'signing-key') }
  await killAtTables(url, () => start(cwd, 'new-folder', env))
  const back = await start(cwd, 'new-folder', env).ended
  assert.is(back.code, 0, back.said)
  for (const space of source.spaces) assert.ok(existsSync(join(cwd, 'new-folder', 'repos', `${space}.git`)))
})

test.run()
