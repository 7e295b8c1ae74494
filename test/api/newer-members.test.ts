/** Members of responses that newer clients ask for. */
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('members for newer clients', startService)

const makeSpace = async (title: string): Promise<string> =>
  (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title }).expect(201)).body.id

test('a change request has its space and its description', async () => {
  const space = await makeSpace('Described')
  const url = `/v1/spaces/${space}/change-requests`
  const made = (await here.admin.call('post', url, { subject: 'One', description: 'Why, in **markdown**.' }).expect(201)).body
  assert.equal([made.space, made.description, made.unmetRules], [space, 'Why, in **markdown**.', []])
  await here.admin.call('patch', `${url}/1`, { description: '' }).expect(200)
  assert.is((await here.admin.call('get', `${url}/1`).expect(200)).body.description, '')
  assert.is((await here.admin.call('post', url).expect(201)).body.description, '')
  await here.admin.call('patch', `${url}/1`, { description: 'x'.repeat(10_001) }).expect(400)
})

test('a comment names each user who replied once, the first one first', async () => {
  const space = await makeSpace('Discussed')
  const url = `/v1/spaces/${space}/comments`
  const [first, second] = [await here.caller('comment'), await here.caller('comment')]
  const { id, repliers } = (await here.admin.call('post', url, { body: { markdown: 'What?' } }).expect(200)).body
  assert.equal(repliers, [])
  for (const who of [second, first, second]) await who.call('post', `${url}/${id}/replies`, { body: { markdown: 'That.' } }).expect(200)
  const shown = (await here.admin.call('get', `${url}/${id}`).expect(200)).body
  assert.equal([shown.replies, shown.repliers.map((one: { id: string }) => one.id)], [3, [second.user, first.user]])
  assert.equal((await here.admin.call('get', url).expect(200)).body.items[0].repliers.length, 2)
})

test('members and commenters have the number of sites that they may see', async () => {
  const members = `/v1/orgs/${here.organization}/members`
  const [reader, guest] = [await here.caller('read'), await here.caller(null)]
  const counts = async () =>
    Promise.all([reader, guest].map(async ({ user }) => (await here.admin.call('get', `${members}/${user}`).expect(200)).body.sites as number))
  assert.equal(await counts(), [0, 0])
  await here.admin.call('post', `/v1/orgs/${here.organization}/sites`, { title: 'Docs' }).expect(201)
  assert.equal(await counts(), [1, 0])
  const space = await makeSpace('Commented')
  await here.admin.call('post', `/v1/spaces/${space}/comments`, { body: { markdown: 'x' } }).expect(200)
  assert.is((await here.admin.call('get', `/v1/spaces/${space}/commenters`).expect(200)).body.items[0].sites, 1)
})

test('a site has its applied type, its default level, and permissions', async () => {
  const made = (await here.admin.call('post', `/v1/orgs/${here.organization}/sites`, { title: 'Shown', type: 'premium' }).expect(201)).body
  assert.equal([made.type, made.appliedType, made.defaultLevel, made.permissions.admin], ['premium', 'premium', 'inherit', true])
  assert.is(made.urls.preview, made.urls.published)
  const reader = await here.caller('read')
  const seen = (await reader.call('get', `/v1/orgs/${here.organization}/sites/${made.id}`).expect(200)).body
  assert.equal([seen.permissions.view, seen.permissions.edit, seen.permissions.admin], [true, false, false])
})

test('git info says null of an installation where there is none', async () => {
  const space = await makeSpace('Unlinked')
  const info = (await here.admin.call('get', `/v1/spaces/${space}/git/info`).expect(200)).body
  assert.equal([info.installationId, info.installationProvider, info.installationStatus], [null, null, null])
})
test.run()
