// @own-process: it starts and kills servers
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { startReceiver } from '../events/receiver.js'
import { startServer, TOKEN } from '../races/server-process.js'
import { emit } from '../../src/domain/events/events.js'
import { changeRequests, jobs, spaces } from '../../src/model/index.js'
import { openDatabase } from '../../src/postgres/index.js'
import { startPostgres } from '../support/postgres.js'
import { startService } from '../support/service.js'
import { startSmtp } from '../support/smtp.js'
import { suite } from '../support/suite.js'
import { LEASE_MS, until } from './nodes.js'

const test = suite('nodes on one database: kill -9')

test('another node takes over the work and the shared duties of a killed node', async () => {
  const [postgres, smtp, receiver] = await Promise.all([startPostgres(), startSmtp(), startReceiver()])
  const url = await postgres.database()
  const dir = await mkdtemp(join(tmpdir(), 'bindery-node-'))
  const sockets: Socket[] = []
  const hanging = createServer((socket) => void sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(hanging, 'listening')
  const env = {
    BINDERY_DATABASE_URL: url,
    BINDERY_ALLOW_PRIVATE_NETWORKS: 'true',
    BINDERY_MAIL_FROM: 'docs@example.org',
  }
  // The first node leads, and its mail server does not respond.
  const first = await startServer(dir, {
    ...env,
    BINDERY_SMTP_URL: `smtp://127.0.0.1:${(hanging.address() as AddressInfo).port}`,
  })
  const here = await startService({ env: { ...env, BINDERY_SMTP_URL: smtp.url }, overrides: { leaseMs: LEASE_MS } })
  const { app } = here.service
  const database = openDatabase({ url })
  const call = async (path: string, body: object): Promise<number> => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
    return (
      await fetch(`${first.url}/v1/orgs/${here.organization}/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
    ).status
  }
  await here.admin
    .call('post', `/v1/orgs/${here.organization}/webhooks`, { url: receiver.url, events: ['content.updated'] })
    .expect(201)
  assert.is(await call('invites', { emails: ['late@people.example'] }), 200)
  await until(() => sockets.length > 0)
  // As if it had been killed between writing the document of a change request and its branch.
  const space = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Guide' }).expect(201))
    .body.id as string
  const made = await here.admin.call('post', `/v1/spaces/${space}/change-requests`, { subject: 'One' }).expect(201)
  await app.store.transact(async (tx) => {
    const stored = await tx.get(spaces, space)
    if (stored) await tx.replace(spaces, { ...stored, changeRequests: 7 })
  })
  await first.kill('tree')

  await app.store.transact(
    async (tx) => void (await emit(app, tx, { type: 'content.updated', organization: here.organization, subject: {} })),
  )
  await receiver.until(1)
  await smtp.mailTo('late@people.example')
  await until(async () =>
    (await app.store.all(jobs)).filter(({ kind }) => kind === 'send-mail').every(({ state }) => state === 'done'),
  )
  assert.is(smtp.received.length, 1)
  await until(async () => (await app.store.get(spaces, space))?.changeRequests === 1)
  assert.is((await app.store.get(changeRequests, made.body.id))?.status, 'draft')
  await until(async () => (await database.query(`SELECT FROM leases WHERE starts_with(name, 'node:')`)).length === 1)
  assert.is(receiver.got.length, 1)

  await here.close()
  await database.close()
  for (const socket of sockets) socket.destroy()
  hanging.close()
  receiver.close()
  await Promise.all([smtp.close(), postgres.close(), rm(dir, { recursive: true, force: true })])
})

test.run()
