/**
 * Cached responses on one of several nodes: the bytes of a response fit its ETag, and cached responses count toward
 * the limits.
 */
import * as assert from 'uvu/assert'
import type { Store } from '../../../src/store/index.js'
import { startPostgres } from '../../support/postgres.js'
import { startService } from '../../support/service.js'
import { suite } from '../../support/suite.js'

const test = suite('cached responses on nodes')
const postgres = await startPostgres()
test.after(() => postgres.close())

test('bytes that are newer than their ETag because of another node are not cached', async () => {
  const env = { BINDERY_DATABASE_URL: await postgres.database() }
  const [here, there] = [await startService({ env }), await startService({ env })]
  try {
    const { admin, organization } = here
    const post = async (path: string, body: object) => (await admin.call('post', path, body)).body
    const space = (await post(`/v1/orgs/${organization}/spaces`, { title: 'Docs' })).id as string
    const site = (
      await post(`/v1/orgs/${organization}/sites`, {
        title: 'Site',
        type: 'ultimate',
        visibility: 'public',
        spaces: [space],
      })
    ).id as string
    const publish = (what: string) => post(`/v1/orgs/${organization}/sites/${site}/${what}`, {})
    await publish('unpublish')
    const read = async (url: string) => {
      const answer = await fetch(`${url}/v1/spaces/${space}/content`, {
        headers: { authorization: `Bearer ${admin.token}` },
      })
      assert.is(answer.status, 200)
      return ((await answer.json()) as { urls: Record<string, string> }).urls.published
    }
    // The site is published after the validator has read it and before the handler does.
    const { store } = there.service.app
    const { recorded } = store
    let searches = 0
    const amid: Store['recorded'] = (recording) => {
      const inner = recorded.call(store, recording)
      const { find } = inner
      const slow = async (...given: Parameters<typeof find>) => {
        if (/site/i.test(given[0].name) && given[2] === space && ++searches === 2) await publish('publish')
        return find.apply(inner, given)
      }
      return Object.assign(inner, { find: slow })
    }
    Object.assign(store, { recorded: amid })
    await read(there.url)
    assert.ok(searches >= 2, 'validator and handler look for sites')
    Object.assign(store, { recorded })
    await publish('unpublish')
    for (let n = 0; n < 3; n++) for (const node of [here, there]) assert.is(await read(node.url), undefined)
  } finally {
    await Promise.all([here.close(), there.close()])
  }
})

test('cached responses count toward the limits after nodes have exchanged their counts', async () => {
  const here = await startService({
    env: { BINDERY_DATABASE_URL: await postgres.database(), BINDERY_RATE_LIMIT_PER_MINUTE: '60' },
  })
  try {
    const space = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' })).body.id
    let taken = 0
    let refused = 0
    const started = performance.now()
    // At least three exchanges.
    while (performance.now() - started < 4_000 || taken + refused < 200) {
      const answer = await fetch(`${here.url}/v1/spaces/${space}/content/pages`, {
        headers: { authorization: `Bearer ${here.admin.token}` },
      })
      await answer.arrayBuffer()
      if (answer.status === 200) taken++
      else refused++
      if (performance.now() - started > 50_000) break
      await new Promise((done) => setTimeout(done, 10))
    }
    assert.ok(taken <= 60, `${taken} of at most 60 were taken`)
    assert.ok(refused > 0)
  } finally {
    await here.close()
  }
})

test.run()
