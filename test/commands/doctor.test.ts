/** The checks of `bindery doctor`, each with its problem and its remedy. */
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createPlainServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { doctor } from '../../src/commands/doctor/doctor.js'
import type { Check } from '../../src/commands/doctor/check.js'
import { installationChecks } from '../../src/commands/doctor/installation.js'
import { machineChecks } from '../../src/commands/doctor/machine.js'
import { networkChecks } from '../../src/commands/doctor/network.js'
import { loadConfig } from '../../src/config.js'
import { databaseSettings } from '../support/service-database.js'
import { startService } from '../support/service.js'
import { startSmtp } from '../support/smtp.js'
import { suite } from '../support/suite.js'

const test = suite('doctor')
const all: readonly Check[] = [...machineChecks, ...installationChecks, ...networkChecks]

const configOf = async (dir: string, env: Record<string, string> = {}) =>
  loadConfig({
    BINDERY_DATA_DIR: join(dir, 'data'),
    BINDERY_REPOS_DIR: join(dir, 'repos'),
    BINDERY_PORT: '0',
    BINDERY_SITES_PORT: '0',
    ...(await databaseSettings(dir)),
    ...env,
  })

interface Found {
  level: string
  message: string
  remedy?: string
}

/** Runs the named check, and returns its finding and whether the command asks for action. */
async function ask(config: Parameters<typeof doctor>[0], name: string): Promise<Found & { problems: boolean }> {
  const check = all.find((one) => one.name === name)
  assert.ok(check, name)
  const { json, problems } = await doctor(config, () => {}, [check])
  const { checks } = json as { checks: Found[] }
  return { ...(checks[0] as Found), problems: problems === true }
}

const listening = async <T extends { listen(port: number, host: string, done: () => void): unknown }>(server: T) => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return server
}
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port

test('a machine with everything passes, and nothing is created before the first start', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'doctor-'))
  const config = await configOf(dir)
  for (const name of [
    'Node.js',
    'Git',
    'flock',
    'Chromium',
    'disk speed',
    'permissions',
    'ports',
    'public address and proxy',
  ]) {
    const { level, message } = await ask(config, name)
    assert.not.equal(level, 'problem', `${name}: ${message}`)
  }
  if (config.databaseUrl === null)
    for (const name of ['signing key', 'server', 'connected hosts', 'clock'])
      assert.is((await ask(config, name)).level, 'note', name)
  await stat(config.dataDir).then(
    () => assert.unreachable('the data folder was created'),
    () => {},
  )
  await rm(dir, { recursive: true })
})

test('the checks ask the running server, and open a stopped installation', async () => {
  const here = await startService()
  const config = await configOf(here.dir, { BINDERY_SIGNING_KEY: '' })
  const running = await ask(config, 'server')
  assert.is(running.level, 'ok', running.message)
  assert.match(running.message, /runs as process/)
  assert.match((await ask(config, 'connected hosts')).message, /^0 connections/)
  assert.match((await ask(config, 'signing key')).message, /private/)
  await here.service.close()
  const stopped = await ask(config, 'server')
  assert.equal([stopped.level, stopped.problems], ['note', false])
  assert.match((await ask(config, 'connected hosts')).message, /^0 connections/)
  await chmod(join(here.dir, 'data', 'signing-key'), 0o644)
  const open = await ask(config, 'signing key')
  assert.equal([open.level, open.problems], ['problem', true])
  assert.match(open.remedy ?? '', /^chmod 600 .*signing-key$/)
  if (config.databaseUrl !== null)
    assert.match((await ask(config, 'clock')).message, /agrees with that of the database/)
  await here.restart()
  await here.close()
})

test('folders that other users can open, and used ports, are problems with a remedy', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'doctor-'))
  await mkdir(join(dir, 'data'))
  await chmod(join(dir, 'data'), 0o755)
  const { level, remedy } = await ask(await configOf(dir), 'permissions')
  assert.equal([level, remedy], ['problem', `chmod 700 ${join(dir, 'data')}`])
  const other = await listening(createPlainServer((socket) => socket.destroy()))
  const port = await ask(await configOf(dir, { BINDERY_PORT: String(portOf(other)) }), 'ports')
  assert.is(port.level, 'problem')
  assert.match(port.message, /is used by another process. Stop it, or choose another port with BINDERY_PORT/)
  other.close()
  await rm(dir, { recursive: true })
})

/** Passes requests on to a service as a proxy does that appends to X-Forwarded-For. */
async function startProxy(to: string): Promise<Server> {
  const pass: RequestListener = (request, response) => {
    const client = request.socket.remoteAddress ?? ''
    const forwarded = [request.headers['x-forwarded-for'] ?? [], client].flat().join(', ')
    fetch(to + request.url, { headers: { 'x-forwarded-for': forwarded } }).then(async (answer) => {
      response.writeHead(answer.status, { 'x-client-address': answer.headers.get('x-client-address') ?? '' })
      response.end(await answer.text())
    })
  }
  return listening(createServer(pass))
}

test('the public address shows a proxy that is missing, and trust in too many or no proxies', async () => {
  const finding = async (trusted: string, publicUrl: (url: string) => Promise<string> | string) => {
    const here = await startService({ env: { BINDERY_TRUST_PROXY: trusted } })
    const config = await configOf(here.dir, {
      BINDERY_PUBLIC_URL: await publicUrl(here.url),
      BINDERY_TRUST_PROXY: trusted,
    })
    const found = await ask(config, 'public address and proxy')
    await here.close()
    return found
  }
  const proxies: Server[] = []
  const behindProxy = async (url: string): Promise<string> => {
    const proxy = await startProxy(url)
    proxies.push(proxy)
    return `http://127.0.0.1:${portOf(proxy)}`
  }
  const right = await finding('1', behindProxy)
  assert.equal([right.level, /sees this machine as \S*127\.0\.0\.1$/.test(right.message)], ['ok', true], right.message)
  const spoofable = await finding('2', behindProxy)
  assert.match(spoofable.message, /clients can choose the address/)
  assert.match(spoofable.remedy ?? '', /BINDERY_TRUST_PROXY/)
  const untrusted = await finding('0', () => 'https://docs.example.org')
  assert.match(untrusted.message, /BINDERY_TRUST_PROXY is 0/)
  const gone = await listening(createPlainServer())
  const free = portOf(gone)
  gone.close()
  assert.match((await finding('0', () => `http://127.0.0.1:${free}`)).message, /cannot be reached/)
  const foreign = await listening(createServer((_, response) => response.end('Hello')))
  assert.match((await finding('0', () => `http://127.0.0.1:${portOf(foreign)}`)).message, /not the response of Bindery/)
  for (const one of [...proxies, foreign]) one.close()
})

test('the mail server is asked without sending a message', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'doctor-'))
  const smtp = await startSmtp()
  const settings = (url: string) => configOf(dir, { BINDERY_SMTP_URL: url, BINDERY_MAIL_FROM: 'docs@example.org' })
  assert.is((await ask(await settings(smtp.url), 'mail')).level, 'ok')
  assert.is(smtp.received.length, 0)
  await smtp.close()
  const { level, remedy } = await ask(await settings(smtp.url), 'mail')
  assert.equal([level, remedy], ['problem', 'Correct BINDERY_SMTP_URL.'])
  await rm(dir, { recursive: true })
})

test('a check that does not end, and one that throws, are problems', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'doctor-'))
  await writeFile(join(dir, 'file'), '')
  const hanging: Check = { name: 'hanging part', limitMs: 20, run: () => new Promise(() => {}) }
  const failing: Check = { name: 'failing part', run: () => Promise.reject(new Error('it broke')) }
  const { text, problems } = await doctor(await configOf(dir), () => {}, [hanging, failing])
  assert.is(problems, true)
  assert.match(text, /PROBLEM {2}hanging part: no result after 0\.02 seconds\n +To do: Find out/)
  assert.match(text, /PROBLEM {2}failing part: it broke/)
  assert.match(text, /2 of 2 checks found a problem/)
  await rm(dir, { recursive: true })
})

test.run()
