// @own-process: it starts and kills servers
import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { request as send } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { startServer } from '../races/server-process.js'
import { moduleArguments } from '../support/own-process.js'
import { databaseSettings } from '../support/service-database.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('token and user commands, with and without a running server')

/** Runs the command as an operator does. Returns its exit code and its output. */
async function run(dir: string, ...args: string[]): Promise<{ code: number; said: string }> {
  const { PATH, HOME, TMPDIR } = process.env
  const folders = { BINDERY_DATA_DIR: join(dir, 'data'), BINDERY_REPOS_DIR: join(dir, 'repos') }
  const env = { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...folders, ...(await databaseSettings(dir)) }
  const ended = await promisify(execFile)(
    process.execPath,
    [...moduleArguments('../../src/main.js', import.meta.url), ...args],
    { env },
  ).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stderr }) => ({ code, said: stderr }),
  )
  return { code: ended.code, said: ended.said.trim() }
}

const statusWith = async (url: string, token: string): Promise<number> =>
  (await request(url).get('/v1/user').set('Authorization', `Bearer ${token}`)).status
const socketOf = (dir: string): string => join(dir, 'data', 'control', 'socket')
const modeOf = (path: string): number => statSync(path).mode & 0o777

test('a running server executes the commands, even if a kill left an old socket', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'control-'))
  const server = await startServer(dir)
  assert.equal([modeOf(socketOf(dir)), modeOf(join(dir, 'data', 'control'))], [0o600, 0o700])
  const unknown = await run(dir, 'token', 'ada@example.org')
  assert.is(unknown.code, 1)
  assert.match(
    unknown.said,
    /No account has the address ada@example.org[\s\S]*`bindery user ada@example.org` creates an account/,
  )
  const made = await run(dir, 'user', 'ada@example.org', '--name', 'Ada')
  assert.match(made.said, /^Account \w+, Ada <ada@example.org>: the address was confirmed by the operator$/)
  const { said: token } = await run(dir, 'token', 'ada@example.org')
  assert.is(await statusWith(server.url, token), 200)
  await server.kill('tree')
  assert.ok(statSync(socketOf(dir)).isSocket(), 'the kill left the socket')
  const { code, said: offline } = await run(dir, 'token', 'ada@example.org')
  assert.is(code, 0, offline)
  const later = await startServer(dir)
  assert.equal([await statusWith(later.url, token), await statusWith(later.url, offline)], [200, 200])
  const { said: again } = await run(dir, 'token', 'ada@example.org')
  assert.is(await statusWith(later.url, again), 200)
  await later.kill('tree')
  await rm(dir, { recursive: true, force: true })
})

test('the command states the reason if the path of the data folder is too long for a socket', async () => {
  const above = await mkdtemp(join(tmpdir(), 'control-'))
  const dir = join(above, 'long'.repeat(30))
  const server = await startServer(dir)
  assert.match(server.output(), /Stop the server to run the commands token and user: the path .* has \d+ bytes/)
  const { code, said } = await run(dir, 'user', 'ada@example.org')
  assert.is(code, 1)
  assert.match(
    said,
    /in use by process \d+ .*\. Stop it first\. To run the command while the server is running: the path .* use a shorter BINDERY_DATA_DIR\./,
  )
  await server.kill('tree')
  await rm(above, { recursive: true, force: true })
})

const ask = (socketPath: string, body: string): Promise<string> =>
  new Promise((done, failed) => {
    send({ socketPath, method: 'POST', path: '/' }, (response) => void text(response).then(done, failed))
      .once('error', failed)
      .end(body)
  })

test('the socket rejects invalid requests and disappears with the service', async () => {
  const here = await startService()
  const socket = socketOf(here.dir)
  for (const body of [
    '',
    '{',
    'null',
    '{"kind":"token"}',
    '{"kind":"user","email":["a@b.example"]}',
    JSON.stringify({ kind: 'user', email: 'a'.repeat(20_000) }),
  ])
    assert.match(await ask(socket, body), /^\{"refused":"The server does not know this request/)
  assert.match(await ask(socket, '{"kind":"user","email":"ada"}'), /^\{"refused":"ada is not an email address/)
  await here.service.close()
  assert.throws(() => statSync(socket), /ENOENT/)
  await here.close()
})

test.run()
