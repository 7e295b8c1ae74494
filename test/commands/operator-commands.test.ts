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
import { loadConfig } from '../../src/config.js'
import { OperatorError } from '../../src/commands/maintenance.js'
import { operate } from '../../src/commands/operate.js'
import { type AuditDoc, auditLog } from '../../src/model/index.js'
import { operatorCommands } from '../../src/start/operator/commands.js'
import { optionName } from '../../src/start/operator/declaration.js'
import { startServer } from '../races/server-process.js'
import { createBareRepository } from '../support/bare-repository.js'
import { git } from '../support/hermetic-git.js'
import { moduleArguments } from '../support/own-process.js'
import { databaseSettings } from '../support/service-database.js'
import { openDocuments } from '../support/stored-documents.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('token and user commands, with and without a running server')

/** Runs the command as an operator does. Returns its exit code and its output. */
async function run(dir: string, ...args: string[]): Promise<{ code: number; said: string }> {
  const { PATH, HOME, TMPDIR } = process.env
  const env = { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...(await settingsOf(dir)) }
  const ended = await promisify(execFile)(
    process.execPath,
    [...moduleArguments('../../src/main.js', import.meta.url), ...args],
    { env },
  ).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stdout, stderr }) => ({ code, said: stdout === '' ? stderr : stdout }),
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
  assert.is(unknown.code, 2)
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
  assert.match(server.output(), /Stop the server to run commands of `bindery`: the path .* has \d+ bytes/)
  const { code, said } = await run(dir, 'user', 'ada@example.org')
  assert.is(code, 2)
  assert.match(
    said,
    /in use by process \d+ .*\. Stop it first\. To run the command while the server is running: the path .* use a shorter BINDERY_DATA_DIR\./,
  )
  await server.kill('tree')
  await rm(above, { recursive: true, force: true })
})

const settingsOf = async (dir: string): Promise<Record<string, string>> => ({
  BINDERY_DATA_DIR: join(dir, 'data'),
  BINDERY_REPOS_DIR: join(dir, 'repos'),
  BINDERY_REMOTE_PROTOCOLS: 'https,file',
  BINDERY_SAMPLE_SITE: 'false',
  BINDERY_PORT: '0',
  BINDERY_SITES_PORT: '0',
  ...(await databaseSettings(dir)),
})

/** Executes a command in this process. Returns its exit code and its value for programs. */
async function execute(dir: string, name: string, words: readonly string[]) {
  const command = operatorCommands.find((one) => one.name === name)
  assert.ok(command, name)
  const waiting = words.filter((_, at) => !words[at]?.startsWith('--') && !words[at - 1]?.startsWith('--'))
  const given = Object.entries(command.parameters).map(([parameter, declared]) => {
    const at = words.indexOf(optionName(parameter))
    if (declared.kind === 'argument') return [parameter, waiting.shift()]
    if (declared.kind === 'flag') return [parameter, at >= 0]
    return [parameter, at >= 0 ? words[at + 1] : 'fallback' in declared ? declared.fallback : undefined]
  })
  try {
    const terminal = { tell: () => {}, json: true }
    const execution = { command, given: Object.fromEntries(given), terminal }
    const { json, problems } = await operate(loadConfig(await settingsOf(dir)), execution)
    return { code: problems ? 1 : 0, json: JSON.parse(JSON.stringify(json)) }
  } catch (error) {
    assert.instance(error, OperatorError)
    return { code: 2, json: { error: { message: (error as Error).message } } }
  }
}

/** Executes every kind of task of an admin, and checks what later commands see of it. */
async function administer(dir: string): Promise<void> {
  const asJson = async (code: number, name: string, ...words: string[]) => {
    const ended = await execute(dir, name, words)
    assert.is(ended.code, code, `${name}: ${JSON.stringify(ended.json)}`)
    return ended.json
  }
  const source = await mkdtemp(join(tmpdir(), 'docs-'))
  const { path } = await createBareRepository(join(source, 'docs.git'), { files: { 'README.md': '# Docs\n' } })
  const email = 'ada@example.org'
  await asJson(0, 'user', email, '--name', 'Ada')
  const { id: organization } = await asJson(0, 'org create', 'Acme', '--admin', email)
  await asJson(0, 'user', 'bob@example.org')
  await asJson(0, 'org member', organization, 'bob@example.org', '--role', 'edit')
  // A user without an organization has no audit log.
  await asJson(0, 'user', 'bob@example.org')
  const members: { email: string; role: string }[] = await asJson(0, 'user list', '--organization', organization)
  assert.equal(
    members.map((one) => [one.email, one.role]),
    [
      [email, 'admin'],
      ['bob@example.org', 'edit'],
    ],
  )
  const last = await asJson(2, 'org member', organization, email, '--role', 'none')
  assert.match(last.error.message, /the last admin/)
  const { id: space } = await asJson(0, 'space create', organization, 'Docs')
  assert.is((await asJson(0, 'import', space, `file://${path}`)).state, 'success')
  assert.is((await asJson(0, 'export', space, `file://${path}`, '--branch', 'exported')).state, 'success')
  assert.match(await git(path, ['show', 'exported:README.md']), /# Docs/)
  const failed = await asJson(1, 'import', space, `file://${path}`, '--branch', 'missing')
  assert.match(failed.error, /missing/)
  await asJson(0, 'space delete', space)
  const [deleted] = await asJson(0, 'space list', '--organization', organization)
  assert.type(deleted.deletedAt, 'string')
  await asJson(0, 'space restore', space)
  const { id: token } = await asJson(0, 'token', 'bob@example.org', '--label', 'CI')
  assert.equal(
    (await asJson(0, 'token list', 'bob@example.org')).map((one: { label: string }) => one.label),
    ['CI'],
  )
  await asJson(0, 'token revoke', token)
  assert.equal(await asJson(0, 'token list', 'bob@example.org'), [])
  const refused = await asJson(2, 'token revoke', token)
  assert.match(refused.error.message, /There is no token/)
  const [, acme] = await asJson(0, 'org list')
  assert.equal([acme.title, acme.members, acme.spaces], ['Acme', 2, 1])
  assert.equal(await asJson(0, 'connection list'), [])
  assert.equal((await asJson(0, 'gc')).problems, [])
  assert.equal(await asJson(0, 'fsck', '--deep'), { complaints: [], notes: [] })
  await rm(source, { recursive: true, force: true })
}

/** The entries of the audit log of every organization, as "operation status", and the members of those of a token. */
async function auditOf(dir: string): Promise<{ lines: string[]; entries: AuditDoc[] }> {
  const store = await openDocuments(dir)
  const entries: AuditDoc[] = []
  for (const group of await store.groups(auditLog)) {
    const { records } = await store.read(auditLog, group, { direction: 'asc', limit: 1000 })
    entries.push(...records.map(({ record }) => record))
  }
  await store.close()
  return { lines: [...new Set(entries.map(({ operation, status }) => `${operation} ${status}`))].sort(), entries }
}

/** Every command that changes something is in the audit log, without values. */
async function assertAudited(dir: string): Promise<void> {
  const { lines, entries } = await auditOf(dir)
  for (const line of [
    'org-create 200',
    'org-member 200',
    'user 200',
    'token 200',
    'token-revoke 200',
    'space-create 200',
    'space-delete 200',
    'space-restore 200',
    'import 200',
    'export 200',
    'gc 200',
  ])
    assert.ok(lines.includes(line), `${line} is not among ${lines}`)
  assert.not.ok(lines.some((line) => /list|status|fsck/.test(line)))
  const token = entries.find(({ operation }) => operation === 'token')
  assert.equal([token?.user, token?.method, token?.members], ['operator', 'COMMAND', ['email', 'label']])
  assert.not.match(JSON.stringify(entries), /bob@example.org|"CI"/)
  const made = entries.find(({ operation }) => operation === 'space-create')
  assert.match(made?.created ?? '', /^\/v1\/spaces\/\w+$/)
}

test('a running server executes every task of an admin', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'control-'))
  const server = await startServer(dir)
  await administer(dir)
  const { code, said } = await run(dir, 'status', '--json')
  const { running, spaces, missing, url } = JSON.parse(said)
  assert.equal([code, running, spaces, missing, url], [0, true, 1, [], server.url])
  await server.kill('tree')
  await assertAudited(dir)
  await rm(dir, { recursive: true, force: true })
})

test('a running server writes copies of its data to the audit log at once', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'control-'))
  const server = await startServer(dir)
  await execute(dir, 'user', ['ada@example.org'])
  const { json: acme } = await execute(dir, 'org create', ['Acme', '--admin', 'ada@example.org'])
  const { json: space } = await execute(dir, 'space create', [acme.id, 'Docs'])
  assert.is((await run(dir, 'bundle', space.id, join(dir, 'docs.bundle'))).code, 0)
  assert.is((await run(dir, 'backup', join(dir, 'backup'))).code, 0)
  assert.is((await run(dir, 'bundle', space.id, join(dir, 'docs.bundle'))).code, 2)
  await server.kill('tree')
  const { entries } = await auditOf(dir)
  const copies = entries.filter(({ operation }) => operation === 'bundle' || operation === 'backup')
  const all = new Set(entries.map(({ organization }) => organization))
  assert.equal(
    copies
      .filter(({ operation }) => operation === 'bundle')
      .map((one) => [one.organization, one.resources, one.members]),
    [[acme.id, { space: space.id }, ['space', 'file']]],
  )
  assert.is(copies.filter(({ operation }) => operation === 'backup').length, all.size)
  assert.not.match(JSON.stringify(copies), dir)
  await rm(dir, { recursive: true, force: true })
})

test('the commands execute every task of an admin without a server', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'control-'))
  await administer(dir)
  await assertAudited(dir)
  const status = await run(dir, 'status', '--json')
  assert.equal([status.code, status.said], [1, '{"running":false}'])
  const refused = await run(dir, 'token', 'revoke', 'none', '--json')
  assert.is(refused.code, 2)
  assert.match(JSON.parse(refused.said).error.message, /There is no token none/)
  await rm(dir, { recursive: true, force: true })
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
    '{"command":"token list"}',
    '{"command":"serve","given":{}}',
    '{"command":"token list","given":{"email":["a@b.example"]}}',
    '{"command":"token list","given":{"email":"a@b.example","constructor":"x"}}',
    JSON.stringify({ command: 'token list', given: { email: 'a'.repeat(20_000) } }),
  ])
    assert.match(await ask(socket, body), /^\{"refused":"The server does not know this request/)
  const wrong = { command: 'user', given: { email: 'ada', free: false } }
  assert.match(await ask(socket, JSON.stringify(wrong)), /^\{"refused":"ada is not an email address/)
  await here.service.close()
  assert.throws(() => statSync(socket), /ENOENT/)
  await here.close()
})

test.run()
