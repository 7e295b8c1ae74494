import * as assert from 'uvu/assert'
import { Webhook } from 'standardwebhooks'
import { applyRetention } from '../../src/domain/events/retention.js'
import { webhooks } from '../../src/model/index.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Receiver, startReceiver } from './receiver.js'

let base: string
let receivers: Receiver[] = []
const [test, here] = await suiteWith('webhooks', startService)
test.before(async () => {
  base = `/v1/orgs/${here.organization}/webhooks`
})
test.afterEach(async () => {
  for (const one of receivers) one.close()
  receivers = []
  for (const { id } of (await here.admin.call('get', `${base}?limit=1000`).expect(200)).body.items)
    await here.admin.call('delete', `${base}/${id}`).expect(204)
})

const receive = async (): Promise<Receiver> => {
  const receiver = await startReceiver()
  receivers.push(receiver)
  return receiver
}
const hook = async (input: object) => (await here.admin.call('post', base, input).expect(201)).body
const rename = (title: string) => here.admin.call('patch', `/v1/orgs/${here.organization}`, { title }).expect(200)
const newSpace = async (): Promise<string> =>
  (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' }).expect(201)).body.id
const page = { changes: [{ operation: 'insert_page', title: 'Page', document: { markdown: 'Text.' } }] }
const deliveries = async (id: string, query = '') =>
  (await here.admin.call('get', `${base}/${id}/deliveries${query}`).expect(200)).body

/** Asks until the condition is true. */
async function eventually<T>(ask: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const result = await ask()
    if (result !== null) return result
    await new Promise((done) => setTimeout(done, 5))
  }
}

test('an event is delivered once, signed, and with the same content as in the API', async () => {
  const receiver = await receive()
  const webhook = await hook({ url: receiver.url, description: 'Chat' })
  assert.match(webhook.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  await rename('Delivered')
  const [got] = await receiver.until(1)
  const verified = new Webhook(webhook.secret).verify(got!.body, got!.headers as Record<string, string>) as {
    id: string
    type: string
  }
  assert.is(verified.type, 'organization.updated')
  assert.throws(() =>
    new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`).verify(
      got!.body,
      got!.headers as Record<string, string>,
    ),
  )
  assert.is(got!.headers['webhook-id'], verified.id)
  assert.is(got!.headers['content-type'], 'application/json')
  const { body: event } = await here.admin
    .call('get', `/v1/orgs/${here.organization}/events/${verified.id}`)
    .expect(200)
  assert.equal(got!.json, event)
  const delivery = await eventually(async () => (await deliveries(webhook.id, '?status=succeeded')).items[0] ?? null)
  assert.equal(
    [delivery.event, delivery.sequence, delivery.attempts, delivery.responseStatus],
    [event.id, event.sequence, 1, 200],
  )
  assert.is(receiver.got.length, 1)
})

test('the secret is only shown at creation and rotation, and the old one signs for a day', async () => {
  const receiver = await receive()
  const { id, secret, ...made } = await hook({ url: receiver.url })
  assert.equal((await here.admin.call('get', `${base}/${id}`).expect(200)).body, { id, ...made })
  assert.is((await here.admin.call('patch', `${base}/${id}`, { description: 'x' }).expect(200)).body.secret, undefined)
  const rotated = (await here.admin.call('post', `${base}/${id}/rotate-secret`).expect(200)).body
  assert.is.not(rotated.secret, secret)
  await rename('Rotated')
  const [got] = await receiver.until(1)
  for (const one of [secret, rotated.secret]) new Webhook(one).verify(got!.body, got!.headers as Record<string, string>)
  const stored = JSON.stringify(await here.service.app.store.all(webhooks))
  for (const one of [secret, rotated.secret, 'whsec_'])
    assert.not.ok(stored.includes(one), 'who reads a backup learns no secret')
})

test('a webhook filters by type and space, and gets only later events', async () => {
  const [mine, other] = [await newSpace(), await newSpace()]
  const [byType, bySpace] = [await receive(), await receive()]
  await hook({ url: byType.url, events: ['change_request.created'] })
  const { id } = await hook({ url: bySpace.url, spaces: [mine] })
  await rename('Filtered')
  await here.admin.call('post', `/v1/spaces/${other}/change-requests`, {}).expect(201)
  await here.admin.call('post', `/v1/spaces/${mine}/content`, page).expect(200)
  assert.equal(
    (await byType.until(1)).map(({ json }) => [json.type, json.subject.space]),
    [['change_request.created', other]],
  )
  assert.equal(
    (await bySpace.until(1)).map(({ json }) => [json.type, json.subject.space]),
    [['content.updated', mine]],
  )
  await here.admin.call('patch', `${base}/${id}`, { spaces: null, events: ['organization.updated'] }).expect(200)
  await rename('Not filtered')
  assert.is((await bySpace.until(2))[1]?.json.type, 'organization.updated')
  assert.is(byType.got.length, 1)
})

test('a ping returns its outcome, even if the webhook is disabled', async () => {
  const receiver = await receive()
  const { id, secret } = await hook({ url: receiver.url, enabled: false })
  const { body: good } = await here.admin.call('post', `${base}/${id}/test`).expect(200)
  assert.equal([good.status, good.type, good.responseStatus], ['succeeded', 'webhook.ping', 200])
  const [got] = receiver.got
  new Webhook(secret).verify(got!.body, got!.headers as Record<string, string>)
  receiver.respond = (res) => res.writeHead(302, { location: receiver.url }).end()
  const { body: moved } = await here.admin.call('post', `${base}/${id}/test`).expect(200)
  assert.equal([moved.status, moved.responseStatus], ['failed', 302])
  assert.match(moved.error, /redirect/)
  receiver.close()
  const { body: closed } = await here.admin.call('post', `${base}/${id}/test`).expect(200)
  assert.match(closed.error, /127\.0\.0\.1 cannot be reached/)
  assert.is((await deliveries(id)).count, 3)
  await here.admin.call('post', `${base}/${id}/deliveries/${good.id}/replay`).expect(409)
})

test('a slow endpoint does not delay others and gets few deliveries at a time', async () => {
  const [slow, quick] = [await receive(), await receive()]
  const held: (() => void)[] = []
  slow.respond = (res) => void held.push(() => res.writeHead(200).end())
  await hook({ url: slow.url })
  await hook({ url: quick.url })
  for (let i = 0; i < 8; i++) await rename(`Busy ${i}`)
  await quick.until(8)
  await slow.until(4)
  assert.is(slow.got.length, 4)
  const free = setInterval(() => {
    for (const respond of held.splice(0)) respond()
  }, 5)
  await slow.until(8)
  clearInterval(free)
  assert.equal(slow.sequences().sort(), quick.sequences().sort())
})

test('one delivery can be replayed, and so can all events from a given one on', async () => {
  const receiver = await receive()
  const { id } = await hook({ url: receiver.url })
  await rename('First')
  await rename('Second')
  await receiver.until(2)
  const done = await eventually(async () =>
    (await deliveries(id, '?status=succeeded')).count === 2 ? (await deliveries(id, '?order=asc')).items : null,
  )
  const replay = await here.admin.call('post', `${base}/${id}/deliveries/${done[0].id}/replay`).expect(201)
  assert.equal([replay.body.replayOf, replay.body.event], [done[0].id, done[0].event])
  await here.admin.call('get', replay.headers.location as string).expect(200)
  await receiver.until(3)
  assert.equal(receiver.got[2]?.body, receiver.got[0]?.body)
  assert.is(receiver.got[2]?.headers['webhook-id'], receiver.got[0]?.headers['webhook-id'])
  await here.admin.call('post', `${base}/${id}/replay`, { from: done[0].sequence }).expect(200)
  await receiver.until(5)
  assert.equal(receiver.sequences().slice(3).sort(), [done[0].sequence, done[1].sequence])
  const { body } = await here.admin.call('post', `${base}/${id}/replay`, { from: 1_000_000 }).expect(400)
  assert.is(body.error.details[0].path, '/from')
})

test('finished deliveries are kept up to a maximum number, and waiting ones always', async () => {
  const [receiver, closed] = [await receive(), await receive()]
  const { id } = await hook({ url: receiver.url })
  const waiting = await hook({ url: closed.url })
  closed.close()
  for (let i = 0; i < 5; i++) await rename(`Kept ${i}`)
  await eventually(async () => ((await deliveries(id, '?status=succeeded')).count === 5 ? true : null))
  await eventually(async () => ((await deliveries(waiting.id)).count === 5 ? true : null))
  const newest = (await deliveries(id)).items.slice(0, 2)
  await applyRetention(here.service.app, { deliveries: 2, failedRequests: 1 })
  assert.equal((await deliveries(id)).items, newest)
  assert.is((await deliveries(waiting.id)).count, 5)
})

test('only admins of the organization can manage its webhooks', async () => {
  const { id } = await hook({ url: 'http://127.0.0.1:1/' })
  const member = await here.caller('create')
  const stranger = await here.caller()
  for (const [method, path, body] of [
    ['get', ''],
    ['post', '', { url: 'http://127.0.0.1:1/' }],
    ['get', `/${id}`],
    ['patch', `/${id}`, {}],
    ['post', `/${id}/test`],
    ['post', `/${id}/rotate-secret`],
    ['post', `/${id}/replay`, { from: 1 }],
    ['get', `/${id}/deliveries`],
    ['delete', `/${id}`],
  ] as const) {
    await member.call(method, `${base}${path}`, body).expect(403)
    await stranger.call(method, `${base}${path}`, body).expect(404)
  }
  const other = (await here.admin.call('post', '/v1/orgs', { title: 'Other' }).expect(201)).body.id
  await here.admin.call('get', `/v1/orgs/${other}/webhooks/${id}`).expect(404)
  const foreign = (await here.admin.call('post', `/v1/orgs/${other}/spaces`, {}).expect(201)).body.id
  for (const [input, path] of [
    [{ url: 'http://127.0.0.1:1/', spaces: [foreign] }, '/spaces/0'],
    [{ url: 'ftp://docs.example/' }, '/url'],
    [{ url: 'http://127.0.0.1:1/', events: ['bogus'] }, '/events/0'],
    [{ url: 'http://127.0.0.1:1/', events: [] }, '/events'],
    [{ url: 'http://me:secret@127.0.0.1:1/' }, '/url'],
  ] as const) {
    const { body } = await here.admin.call('post', base, input).expect(400)
    assert.is(body.error.details[0].path, path)
    assert.not.match(JSON.stringify(body), /secret/)
  }
})

test('an organization has at most 50 webhooks', async () => {
  const responses = await Promise.all(
    Array.from({ length: 55 }, () => here.admin.call('post', base, { url: 'http://127.0.0.1:1/' })),
  )
  assert.equal(responses.map(({ status }) => status).sort(), [...Array(50).fill(201), ...Array(5).fill(409)])
})

test.run()
