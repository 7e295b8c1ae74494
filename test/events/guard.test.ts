import * as assert from 'uvu/assert'
import { webhooks } from '../../src/model/index.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'
import { type Receiver, startReceiver } from './receiver.js'

const test = suite('webhooks: private networks')
const receivers: Receiver[] = []
test.after(() => {
  for (const one of receivers) one.close()
})

test('a URL to a private network is rejected when it is set and when it is used', async () => {
  const receiver = await startReceiver()
  receivers.push(receiver)
  const { port } = new URL(receiver.url)
  const here = await startService({ env: { BINDERY_ALLOW_PRIVATE_NETWORKS: 'false' } })
  const base = `/v1/orgs/${here.organization}/webhooks`
  for (const host of [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '2130706433',
    '[::ffff:127.0.0.1]',
    '169.254.169.254',
    '10.0.0.1',
  ]) {
    const { body } = await here.admin.call('post', base, { url: `http://${host}:${port}/` }).expect(400)
    assert.is(body.error.details[0].path, '/url')
    assert.match(body.error.message, /private network/)
  }
  const { id } = (await here.admin.call('post', base, { url: 'https://192.0.43.8/hook', enabled: false }).expect(201))
    .body
  await here.admin.call('patch', `${base}/${id}`, { url: receiver.url }).expect(400)
  // To the delivery, this looks like a name that now stands for another address.
  const { store } = here.service.app
  await store.transact(async (tx) => {
    const stored = await tx.get(webhooks, id)
    if (stored) await tx.replace(webhooks, { ...stored, url: receiver.url })
  })
  const { body: ping } = await here.admin.call('post', `${base}/${id}/test`).expect(200)
  assert.is(ping.status, 'failed')
  assert.match(ping.error, /127\.0\.0\.1 is in a private network/)
  await here.admin.call('patch', `${base}/${id}`, { enabled: true }).expect(200)
  await here.admin.call('patch', `/v1/orgs/${here.organization}`, { title: 'Not delivered' }).expect(200)
  for (;;) {
    const { items } = (await here.admin.call('get', `${base}/${id}/deliveries?status=pending`).expect(200)).body
    if (items[0]?.attempts === 1) {
      assert.match(items[0].error, /private network/)
      break
    }
    await new Promise((done) => setTimeout(done, 5))
  }
  assert.is(receiver.got.length, 0)
  await here.close()
})

test('an endpoint that never responds does not delay a shutdown, and gets the delivery later', async () => {
  const receiver = await startReceiver()
  receivers.push(receiver)
  receiver.respond = () => {}
  const here = await startService()
  await here.admin.call('post', `/v1/orgs/${here.organization}/webhooks`, { url: receiver.url }).expect(201)
  await here.admin.call('patch', `/v1/orgs/${here.organization}`, { title: 'Slow' }).expect(200)
  await receiver.until(1)
  receiver.respond = (res) => res.writeHead(200).end()
  await here.restart()
  const [first, second] = await receiver.until(2)
  assert.is(first?.headers['webhook-id'], second?.headers['webhook-id'])
  await here.close()
})

test.run()
