import request from 'supertest'
import * as assert from 'uvu/assert'
import { memberships } from '../../src/model/index.js'
import { Clone } from '../git-door/fixture.js'
import { secretOf } from '../people/fixture.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('quotas of organizations')

test('another space is rejected with the limit and the use, until one is deleted', async () => {
  const here = await startService({ env: { BINDERY_ORG_SPACES: '2' } })
  const create = () => here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Space' })
  const { body: first } = await create().expect(201)
  const { body: second } = await create().expect(201)
  const message = /has 2 of at most 2 spaces\. Delete a space, or ask an operator .*BINDERY_ORG_SPACES/
  for (const refused of [create(), here.admin.call('post', `/v1/spaces/${first.id}/duplicate`)])
    assert.match((await refused.expect(409)).body.error.message, message)
  await here.admin.call('delete', `/v1/spaces/${second.id}`)
  await create().expect(201)
  assert.match(
    (await here.admin.call('post', `/v1/spaces/${second.id}/restore`).expect(409)).body.error.message,
    message,
  )
  await here.close()
})

test('another member is rejected with the limit and the use', async () => {
  const here = await startService({ env: { BINDERY_ORG_MEMBERS: '1' } })
  const invite = { emails: ['ada@example.org'], role: 'edit' }
  const { body } = await here.admin.call('post', `/v1/orgs/${here.organization}/invites`, invite).expect(200)
  const accept = { token: secretOf(body.invites[0].urls.invite), displayName: 'Ada' }
  const { body: refused } = await request(here.url).post('/v1/invites/accept').send(accept).expect(409)
  assert.match(
    refused.error.message,
    /has 1 of at most 1 members\. Remove a member, or ask an operator .*BINDERY_ORG_MEMBERS/,
  )
  assert.is(await here.service.app.store.count(memberships, 'organization', here.organization), 1)
  await here.close()
})

test('edits, merges and pushes are rejected above the limit of bytes, and reads continue', async () => {
  const here = await startService({ env: { BINDERY_ORG_BYTES: '1' } })
  const { body: space } = await here.admin
    .call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' })
    .expect(201)
  const changes = [{ operation: 'insert_page', title: 'Page', document: { markdown: 'Words.' } }]
  const message = /The organization has \d+ of at most 1 bytes\. Delete a space .*BINDERY_ORG_BYTES/
  const { body: refused } = await here.admin.call('post', `/v1/spaces/${space.id}/content`, { changes }).expect(409)
  assert.match(refused.error.message, message)
  await here.admin.call('get', `/v1/spaces/${space.id}/content/pages`).expect(200)
  const clone = await Clone.of(here, space.id, here.admin)
  await clone.commit({ 'pushed.md': '# Pushed\n' })
  for (const target of ['HEAD:main', 'HEAD:refs/for/main']) {
    const seen = await clone.see('push', 'origin', target)
    assert.is.not(seen.code, 0)
    assert.match(seen.text, message)
  }
  await here.close()
})

test.run()
