import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('api: times in requests', startService)

// RFC 3339 allows leap seconds, and a time zone may lead to a year after 9999. Neither can be stored.
const unkept = [
  '2030-12-31T23:59:60Z',
  '2030-06-30T23:59:60+00:00',
  '9999-12-31T23:59:59-23:59',
  '2030-02-30T00:00:00Z',
  '2030-01-01',
  'tomorrow',
]

for (const time of unkept) {
  test(`${time} is rejected in every time parameter`, async () => {
    const org = `/v1/orgs/${here.organization}`
    const query = encodeURIComponent(time)
    const refused = [
      await here.admin.call('post', `${org}/link-invites`, { expiresAt: time }),
      await here.admin.call('post', '/v1/user/tokens', { label: 'x', expiresAt: time }),
      await here.admin.call('get', `${org}/events?since=${query}`),
      await here.admin.call('get', `${org}/audit-log?from=${query}`),
      await here.admin.call('get', `${org}/audit-log?to=${query}`),
    ]
    for (const { status, body } of refused) assert.is(status, 400, JSON.stringify(body))
    await here.admin.call('get', '/v1/user/tokens').expect(200)
  })
}

for (const time of ['9999-12-31T23:59:59.999Z', '2999-01-01T00:00:00+05:30', '2999-01-01t00:00:00z'])
  test(`${time} is accepted`, async () => {
    const { body } = await here.admin.call('post', '/v1/user/tokens', { label: 'x', expiresAt: time }).expect(201)
    assert.is(body.expiresAt, new Date(time).toISOString())
  })

test.run()
