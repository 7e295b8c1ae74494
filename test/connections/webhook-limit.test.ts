import request from 'supertest'
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('the limit of webhook deliveries', () =>
  startService({ env: { BINDERY_RATE_LIMIT_DELIVERIES: '3' } }),
)

test('too many deliveries to one webhook return 429 and do not affect others', async () => {
  const send = async (id: string): Promise<number> => (await request(here.url).post(`/v1/git/webhooks/${id}`)).status
  assert.equal(
    [await send('one'), await send('one'), await send('one'), await send('one'), await send('two')],
    [401, 401, 401, 429, 401],
  )
})

test.run()
