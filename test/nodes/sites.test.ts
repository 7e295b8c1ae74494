/** Tests published sites on several nodes: changes by one node apply on all nodes when its response is sent. */
import * as assert from 'uvu/assert'
import { publish, read } from '../site/support.js'
import { suite } from '../support/suite.js'
import { startNodes, until } from './nodes.js'

const test = suite('nodes on one database: sites')
const nodes = await startNodes(0)
const [one, two] = [await nodes.add(), await nodes.add()]
test.after(() => nodes.close())

test('a merge or unpublication on one node applies on the other when its response is sent', async () => {
  const { call } = one.admin
  const site = await publish(one, { Start: '# Start\n\nText of round 0.\n' })
  const { pathname } = new URL(site.address)
  const onOther = () => read(`${two.service.sites}${pathname}/start`)
  assert.match((await onOther()).text, 'Text of round 0.')
  const requests = `/v1/spaces/${site.space}/change-requests`
  const { pages } = (await call('get', `/v1/spaces/${site.space}/content/pages`).expect(200)).body
  const { id: page } = pages.find(({ title }: { title: string }) => title === 'Start')
  for (let round = 1; round <= 5; round++) {
    const { id } = (await call('post', requests, { subject: `Round ${round}` }).expect(201)).body
    const document = { markdown: `# Start\n\nText of round ${round}.\n` }
    const changes = [{ operation: 'update_page', page, document }]
    await call('post', `${requests}/${id}/content`, { changes }).expect(200)
    await call('post', `${requests}/${id}/merge`).expect(200)
    assert.match((await onOther()).text, `Text of round ${round}.`)
  }
  await call('post', `${site.base}/unpublish`).expect(200)
  assert.is((await onOther()).status, 404)
  await call('post', `${site.base}/publish`).expect(200)
  assert.match((await onOther()).text, 'Text of round 5.')
})

test('readers get a page with 503 during a database outage, and the site after it', async () => {
  const { address } = await publish(one, { Start: '# Start\n' })
  assert.is((await read(address)).status, 200)
  await nodes.postgres.crash()
  const { status, headers, text } = await read(address)
  assert.is(status, 503)
  assert.ok(headers.get('retry-after'))
  assert.is(headers.get('cache-control'), 'no-store')
  assert.match(text, '<h1>Not available at the moment</h1>')
  await nodes.postgres.start()
  await until(async () => (await read(address)).status === 200)
})

test.run()
