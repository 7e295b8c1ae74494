// @own-process: it starts and kills servers
/** Kills in the middle of the jobs without their own kill tests: maintenance of a repository, and emails. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createSpace } from '../../src/domain/spaces/spaces.js'
import { startServer, TOKEN, until } from '../races/server-process.js'
import { git } from '../support/hermetic-git.js'
import { moduleArguments } from '../support/own-process.js'
import { startSmtp } from '../support/smtp.js'
import { suite } from '../support/suite.js'
import { insertOrganization, openApp } from '../support/sync-fixture.js'

const test = suite('kill -9 in the middle of jobs')
const LONG = { timeoutMs: 280_000 }
/** More loose objects and refs than maintenance ignores. */
const [OBJECTS, REFS] = [1_100, 220]

/** Creates a space whose repository has much to pack. Returns its ID and the folder of the repository. */
async function fullSpace(root: string): Promise<{ id: string; path: string }> {
  const { app, close } = await openApp(root, [])
  const { organization, actor } = await insertOrganization(app)
  const { doc } = await createSpace(app, actor, organization, {})
  await close()
  const path = join(root, 'repos', `${doc.id}.git`)
  const main = await git(path, ['rev-parse', 'refs/heads/main'])
  const files = Array.from({ length: OBJECTS }, (_, at) => `M 100644 inline p${at}.md\ndata <<E\nPage ${at}\nE\n`).join(
    '',
  )
  const commit = `commit refs/heads/main\ncommitter Ada <ada@example.com> 1700000000 +0000\ndata 4\nMany\nfrom ${main}\n${files}\n`
  await git(path, ['-c', 'fastimport.unpackLimit=100000', 'fast-import', '--quiet'], commit)
  const head = await git(path, ['rev-parse', 'refs/heads/main'])
  await git(
    path,
    ['update-ref', '--stdin'],
    Array.from({ length: REFS }, (_, at) => `create refs/heads/r${at} ${head}\n`).join(''),
  )
  return { id: doc.id, path }
}

const said = async (child: ChildProcess): Promise<string> =>
  String((await once(child.stdout as NodeJS.ReadableStream, 'data'))[0])

test(
  'killed maintenance loses nothing and completes at the next start',
  async () => {
    const root = await mkdtemp(join(tmpdir(), 'bindery-maintain-'))
    const { id, path } = await fullSpace(root)
    const refs = await git(path, ['for-each-ref'])
    const packs = (): string[] => readdirSync(join(path, 'objects/pack')).filter((name) => name.endsWith('.pack'))
    const run = (): ChildProcess =>
      spawn(process.execPath, [...moduleArguments('./maintaining-service.js', import.meta.url), root, id], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
    const steps = [() => true, () => existsSync(join(path, 'packed-refs')), () => packs().length > 0]
    for (const hasCome of steps) {
      const child = run()
      assert.match(await said(child), 'begun')
      await until(() => (hasCome() || child.exitCode !== null ? true : null))
      child.kill('SIGKILL')
      await (child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null)
      assert.is(await git(path, ['for-each-ref']), refs)
      await git(path, ['fsck', '--strict', '--no-dangling'])
    }
    const last = run()
    let all = ''
    last.stdout?.on('data', (text: Buffer) => (all += text.toString()))
    await once(last, 'close')
    assert.match(all, 'ended done')
    assert.is(await git(path, ['for-each-ref']), refs)
    await git(path, ['fsck', '--strict', '--no-dangling'])
    assert.ok(existsSync(join(path, 'bindery-maintained')))
    assert.is(packs().length, 1)
    const leftOver = (readdirSync(path, { recursive: true }) as string[]).filter((name) =>
      /\.(?:lock|keep|new)$|bindery-moving$/.test(name),
    )
    assert.equal(leftOver, [])
    await rm(root, { recursive: true, force: true })
  },
  LONG,
)

test(
  'an email that hangs during a kill is sent after the next start, and its link works',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'bindery-mail-'))
    const sockets: Socket[] = []
    const hanging = createServer((socket) => void sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1')
    await once(hanging, 'listening')
    const from = { BINDERY_MAIL_FROM: 'Docs <docs@example.org>' }
    let server = await startServer(dir, {
      ...from,
      BINDERY_SMTP_URL: `smtp://127.0.0.1:${(hanging.address() as AddressInfo).port}`,
    })
    const call = async (method: string, path: string, body?: object): Promise<any> => {
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
      return (
        await fetch(`${server.url}/v1${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
      ).json()
    }
    const invites = `/orgs/${server.organization}/invites`
    await call('POST', invites, { emails: ['late@people.example'] })
    await until(() => (sockets.length > 0 ? true : null))
    await server.kill('tree')
    const smtp = await startSmtp()
    server = await startServer(dir, { ...from, BINDERY_SMTP_URL: smtp.url })
    const { secret } = await smtp.mailTo('late@people.example')
    await until(async () => ((await call('GET', invites)).items[0]?.delivery === 'sent' ? true : null))
    assert.is(smtp.received.length, 1)
    const accepted = await fetch(`${server.url}/v1/invites/accept`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: secret }),
    })
    assert.is(accepted.status, 200)
    await server.kill('tree')
    for (const socket of sockets) socket.destroy()
    hanging.close()
    await smtp.close()
    await rm(dir, { recursive: true, force: true })
  },
  LONG,
)

test.run()
