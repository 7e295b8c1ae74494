import { Writable } from 'node:stream'
import { Client } from 'pg'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { createLog } from '../../src/kernel/log.js'
import { startPostgres } from '../support/postgres.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('a server on PostgreSQL')
const postgres = await startPostgres()
test.after(() => postgres.close())

const SECRET = 'a-password-that-nobody-may-see'
const lines: string[] = []
const log = createLog({
  level: 'debug',
  destination: new Writable({
    write(line, _, done) {
      lines.push(String(line))
      done()
    },
  }),
})
const env = { BINDERY_DATABASE_URL: (await postgres.database()).replace('//bindery@', `//bindery:${SECRET}@`) }
const here = await startService({ env, overrides: { log } })
test.after(() => here.close())

const space = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Guide 😀' }).expect(201))
  .body.id as string
const comment = (text: string) => here.admin.call('post', `/v1/spaces/${space}/comments`, { body: { markdown: text } })

test('acknowledged writes exist after a restart in the same order', async () => {
  for (const text of ['one', 'two', 'three']) await comment(text).expect(200)
  const told = async (): Promise<string[]> =>
    (await here.admin.call('get', `/v1/spaces/${space}/comments`).expect(200)).body.items.map(
      ({ id, body }: { id: string; body: object }) => id + JSON.stringify(body),
    )
  const before = await told()
  await here.restart()
  assert.equal(await told(), before)
  assert.is(before.length, 3)
})

test('during a database outage, requests get a retry time and nothing is acknowledged', async () => {
  await postgres.crash()
  const refused = await comment('lost').expect(503)
  assert.match(String(refused.headers['retry-after']), /^\d+$/)
  assert.is(refused.body.error.code, 503)
  await here.admin.call('get', `/v1/spaces/${space}`).expect(503)
  await request(here.url).get('/healthz').expect(200)
  const ready = await request(here.url).get('/readyz').expect(503)
  assert.equal(ready.body.missing, ['database'])
  await postgres.start()
  for (let tries = 0; tries < 200; tries++) {
    if ((await request(here.url).get('/readyz')).status === 200) break
    await new Promise((done) => setTimeout(done, 50))
  }
  await comment('four').expect(200)
  const { body } = await here.admin.call('get', `/v1/spaces/${space}/comments`).expect(200)
  assert.is(body.items.length, 4)
})

/** A page of the space can be read, and the service is ready. */
async function untilReady(): Promise<void> {
  while ((await request(here.url).get('/readyz')).status !== 200) await new Promise((done) => setTimeout(done, 50))
}

test('reads and writes return 503 while the database is frozen, and work when it continues', async () => {
  const page = `/v1/spaces/${space}/content/pages`
  await here.admin.call('get', page).expect(200)
  await postgres.freeze(true)
  try {
    const responses = await Promise.all([
      here.admin.call('get', page),
      here.admin.call('get', `/v1/spaces/${space}`),
      comment('lost'),
    ])
    assert.equal(
      responses.map(({ status }) => status),
      [503, 503, 503],
    )
    const ready = await request(here.url).get('/readyz').expect(503)
    assert.equal(ready.body.missing, ['database'])
    // The next request does not wait as long as the first one. It sends nothing.
    await here.admin.call('get', page).expect(503)
  } finally {
    await postgres.freeze(false)
  }
  await untilReady()
  await here.admin.call('get', page).expect(200)
})

test('changes return 503 while the database is read-only, and the service is not ready', async () => {
  const client = new Client({ connectionString: env.BINDERY_DATABASE_URL })
  await client.connect()
  const readOnly = async (value: 'on' | 'off'): Promise<void> => {
    await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`)
    await client.query('SELECT pg_reload_conf()')
  }
  await client.query('SET default_transaction_read_only = off')
  await readOnly('on')
  try {
    while ((await request(here.url).get('/readyz')).status !== 503) await new Promise((done) => setTimeout(done, 50))
    const refused = await comment('lost').expect(503)
    assert.match(refused.body.error.message, /accepts no changes/)
    await here.admin.call('get', `/v1/spaces/${space}/comments`).expect(200)
  } finally {
    await readOnly('off')
    await client.end()
  }
  await untilReady()
  let status = 503
  while (status === 503) status = (await comment('five')).status
  assert.is(status, 200)
})

test('no log line contains the database password', () => {
  assert.ok(lines.length > 0)
  assert.not.ok(lines.join('').includes(SECRET))
})

test.run()
