/** PDFs are sent from the disk, so their size does not affect memory. */
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('pdf: large', () =>
  startService({ env: { BINDERY_RESPONSES_LIMIT_BYTES: '1024' } }),
)

test(
  'a PDF larger than the memory limit of responses is sent',
  async () => {
    const { body: space } = await here.admin
      .call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Large' })
      .expect(201)
    const markdown = Array.from(
      { length: 1_500 },
      (_, n) => `数据库迁移 paragraph number ${n} with **bold** text.`,
    ).join('\n\n')
    await here.admin
      .call('post', `/v1/spaces/${space.id}/content`, {
        changes: [{ operation: 'insert_page', title: '中文', document: { markdown } }],
      })
      .expect(200)
    const { body } = await here.admin.call('get', `/v1/spaces/${space.id}/pdf`).expect(200)
    let response = await fetch(body.url)
    for (; response.status === 202; response = await fetch(body.url)) await sleep(200)
    const bytes = Buffer.from(await response.arrayBuffer())
    assert.is(response.status, 200, bytes.toString().slice(0, 300))
    assert.ok(bytes.length > 100_000, `${bytes.length}`)
  },
  { timeoutMs: 180_000 },
)

test.run()
