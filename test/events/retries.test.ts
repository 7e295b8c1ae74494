import * as assert from 'uvu/assert'
import { retryAfter, retryDelay } from '../../src/domain/webhooks/schedule.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { handClock } from '../support/hand-clock.js'
import { type Receiver, startReceiver } from './receiver.js'

const SECOND = 1000
const HOUR = 60 * 60 * SECOND
const DAY = 24 * HOUR
const clock = handClock()
let base: string
let receiver: Receiver
const [test, here] = await suiteWith('webhooks: retries', () => startService({ overrides: { clock } }))
test.before(async () => {
  base = `/v1/orgs/${here.organization}/webhooks`
})
test.beforeEach(async () => {
  receiver = await startReceiver()
})
test.afterEach(async () => {
  receiver.close()
  for (const { id } of (await here.admin.call('get', base).expect(200)).body.items)
    await here.admin.call('delete', `${base}/${id}`).expect(204)
})

const hook = async (input: object = {}) =>
  (await here.admin.call('post', base, { url: receiver.url, ...input }).expect(201)).body.id as string
const rename = (title: string) => here.admin.call('patch', `/v1/orgs/${here.organization}`, { title }).expect(200)
const read = async (id: string) => (await here.admin.call('get', `${base}/${id}`).expect(200)).body
const deliveries = async (id: string) =>
  (await here.admin.call('get', `${base}/${id}/deliveries?order=asc`).expect(200)).body.items
/** Returns the delivery once this many attempts are recorded. */
async function afterAttempts(id: string, attempts: number, index = 0) {
  for (;;) {
    const delivery = (await deliveries(id))[index]
    if (delivery?.attempts >= attempts) return delivery
    await new Promise((done) => setTimeout(done, 5))
  }
}
const goOn = (ms: number): void => {
  clock.forward(ms)
  here.service.app.wakes.webhooks(here.organization)
}
const fail = (status: number, headers: Record<string, string> = {}) => {
  receiver.respond = (res) => res.writeHead(status, headers).end()
}
const succeed = () => {
  receiver.respond = (res) => res.writeHead(200).end()
}

test('delays grow from 5 s to 12 h over about three days, with jitter', () => {
  const delays = Array.from({ length: 12 }, (_, i) => retryDelay(i + 1, 0, 0.5) as number)
  assert.equal(delays.slice(0, 4), [5_000, 20_000, 80_000, 320_000])
  assert.is(delays.at(-1), 12 * HOUR)
  const total = delays.reduce((sum, ms) => sum + ms, 0)
  assert.ok(total > 2.5 * DAY && total < 3.2 * DAY, `${total / DAY} days`)
  assert.is(retryDelay(13), null)
  assert.equal([retryDelay(1, 0, 0), retryDelay(1, 0, 1)], [4_000, 6_000])
  assert.equal([retryDelay(1, 60_000, 0.5), retryDelay(1, 100 * DAY, 0.5)], [60_000, 12 * HOUR])
  const now = new Date('2030-01-01T00:00:00Z')
  assert.equal(
    ['120', 'Tue, 01 Jan 2030 00:01:00 GMT', 'Mon, 31 Dec 2029 00:00:00 GMT', 'soon', undefined].map((header) =>
      retryAfter(header, now),
    ),
    [120_000, 60_000, 0, 0, 0],
  )
})

test('a failed delivery is retried on schedule with the same ID and a new timestamp', async () => {
  const id = await hook()
  fail(500)
  await rename('Once more')
  const first = await afterAttempts(id, 1)
  assert.equal(
    [first.status, first.responseStatus, first.error],
    ['pending', 500, 'The endpoint returned status 500 instead of 200 to 299.'],
  )
  const wait = Date.parse(first.nextAttemptAt) - Date.parse(first.lastAttemptAt)
  assert.ok(wait >= 4_000 && wait < 7_000, `${wait}`)
  goOn(1 * SECOND)
  await rename('Another')
  await afterAttempts(id, 1, 1)
  assert.is((await deliveries(id))[0].attempts, 1)
  goOn(6 * SECOND)
  await afterAttempts(id, 2)
  assert.ok((await read(id)).failingSince)
  succeed()
  goOn(30 * SECOND)
  const done = await afterAttempts(id, 3)
  assert.equal([done.status, done.nextAttemptAt, done.error], ['succeeded', undefined, undefined])
  await afterAttempts(id, 2, 1)
  const mine = receiver.got.filter(({ json }) => json.sequence === done.sequence)
  assert.is(new Set(mine.map(({ headers }) => headers['webhook-id'])).size, 1)
  assert.is(new Set(mine.map(({ headers }) => headers['webhook-timestamp'])).size, 3)
  while ((await read(id)).pending > 0) await new Promise((done) => setTimeout(done, 5))
  assert.is((await read(id)).failingSince, undefined)
})

test('an endpoint that works again gets its waiting deliveries at once', async () => {
  const id = await hook()
  fail(503, { 'retry-after': '3600' })
  for (const title of ['First', 'Second', 'Third']) await rename(title)
  await afterAttempts(id, 1, 2)
  assert.ok(Date.parse((await deliveries(id))[0].nextAttemptAt) - clock.now().getTime() > 3500 * SECOND)
  succeed()
  await rename('Fourth')
  await receiver.until(7)
  const all = await deliveries(id)
  assert.is(all.length, 4)
  for (const [index] of all.entries())
    assert.is((await afterAttempts(id, index < 3 ? 2 : 1, index)).status, 'succeeded')
})

test('a webhook is disabled after three days of failures, and continues once it is enabled', async () => {
  const id = await hook()
  fail(500)
  await rename('Failing')
  for (let attempts = 1; (await read(id)).enabled; attempts++) {
    await afterAttempts(id, attempts)
    goOn(15 * HOUR)
    assert.ok(attempts < 14, 'it was never disabled')
  }
  const off = await read(id)
  assert.match(off.disabledReason, /^No delivery succeeded since .* Last: The endpoint returned status 500/)
  const asked = receiver.got.length
  await rename('Meanwhile')
  goOn(20 * DAY)
  assert.is(receiver.got.length, asked)
  succeed()
  const on = (await here.admin.call('patch', `${base}/${id}`, { enabled: true }).expect(200)).body
  assert.equal([on.enabled, on.disabledReason, on.disabledAt, on.failingSince], [true, undefined, undefined, undefined])
  await receiver.until(asked + 2)
  assert.is((await afterAttempts(id, 1, 1)).status, 'succeeded')
})

test('an endpoint that responds with 410 gets no more deliveries', async () => {
  const id = await hook()
  fail(410)
  await rename('Gone')
  await afterAttempts(id, 1)
  assert.equal(
    [(await read(id)).enabled, (await read(id)).disabledReason],
    [false, 'The endpoint returned status 410 (Gone).'],
  )
})

test('an unavailable endpoint costs one stored position, not one delivery per event', async () => {
  const id = await hook()
  fail(500)
  await Promise.all(Array.from({ length: 130 }, (_, i) => rename(`Title ${i}`)))
  for (;;) {
    const all = (await here.admin.call('get', `${base}/${id}/deliveries?limit=1000`).expect(200)).body.items
    assert.ok(all.length <= 100, `${all.length} deliveries`)
    if (all.length === 100 && all.every((one: { attempts: number }) => one.attempts > 0)) break
    await new Promise((done) => setTimeout(done, 10))
  }
  assert.is((await read(id)).pending, 100)
  succeed()
  goOn(10 * SECOND)
  for (;;) {
    const { body } = await here.admin.call('get', `${base}/${id}/deliveries?status=succeeded&limit=0`).expect(200)
    if (body.count === 130) break
    await new Promise((done) => setTimeout(done, 10))
  }
  assert.is(new Set(receiver.sequences()).size, 130)
})

test.run()
