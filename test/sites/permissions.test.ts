import * as assert from 'uvu/assert'
import { grants, teams } from '../../src/model/index.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type MadeSite, makeSite } from './support.js'

let site: MadeSite
let path: string
const [test, here] = await suiteWith('sites: permissions', startService)
test.before(async () => {
  site = await makeSite(here)
  path = `${site.base}/permissions`
})

test('a guest with a role on a site can do what the role allows', async () => {
  const guest = await here.caller(null)
  const see = async () => (await guest.call('get', `${site.base}/customization`)).status
  const change = async () => (await guest.call('put', `${site.base}/customization`, {})).status
  assert.equal([await see(), await change()], [404, 404])
  await here.admin.call('post', path, { role: 'read', users: [guest.user] }).expect(204)
  assert.equal([await see(), await change()], [200, 403])
  const { items } = (await here.admin.call('get', `${path}/users`).expect(200)).body
  assert.equal(
    items.map((one: { permission: string; user: { id: string } }) => [one.permission, one.user.id]),
    [['read', guest.user]],
  )
  await here.admin.call('patch', `${path}/users/${guest.user}`, { role: 'admin' }).expect(204)
  assert.equal([await see(), await change()], [200, 200])
  const everybody = (await here.admin.call('get', `${path}/aggregate?role=admin`).expect(200)).body.items
  assert.ok(everybody.some((one: { user: { id: string } }) => one.user.id === guest.user))
  for (let i = 0; i < 2; i++) await here.admin.call('delete', `${path}/users/${guest.user}`).expect(204)
  assert.equal([await see(), await change()], [404, 404])
})

test('a grant with an unknown user or team changes nothing', async () => {
  await here.service.app.store.insert(teams, {
    id: 'writers',
    organization: here.organization,
    title: 'Writers',
    createdAt: new Date().toISOString(),
  })
  await here.admin.call('post', path, { role: 'review', teams: ['writers', 'nobody'] }).expect(400)
  assert.is((await here.admin.call('get', `${path}/teams`).expect(200)).body.count, 0)
  await here.admin.call('post', path, { role: 'review', teams: ['writers'] }).expect(204)
  await here.admin.call('patch', `${path}/teams/writers`, { role: 'edit' }).expect(204)
  const { items } = (await here.admin.call('get', `${path}/teams`).expect(200)).body
  assert.equal([items[0].permission, items[0].team.title], ['edit', 'Writers'])
  await here.admin.call('delete', `${path}/teams/writers`).expect(204)
})

test('only admins of the site can change roles on it', async () => {
  for (const role of ['read', 'create'] as const) {
    const who = await here.caller(role)
    await who.call('get', `${path}/users`).expect(403)
    await who.call('get', `${path}/aggregate`).expect(403)
    await who.call('post', path, { role: 'read', users: [who.user] }).expect(403)
  }
  await (await here.caller()).call('get', `${path}/users`).expect(404)
})

test('a role on one site gives no access to another', async () => {
  const other = await makeSite(here)
  const guest = await here.caller(null)
  await here.admin.call('post', path, { role: 'admin', users: [guest.user] }).expect(204)
  await guest.call('get', `${other.base}/customization`).expect(404)
  await here.admin.call('patch', `${other.base}/permissions/users/${guest.user}`, { role: 'read' }).expect(404)
  assert.equal(await here.service.app.store.find(grants, 'target', `site:${other.id}`), [])
})

test('a user who may not see a space cannot move it on a site', async () => {
  const other = await makeSite(here)
  await here.admin.call('patch', `/v1/spaces/${other.space}`, { defaultLevel: null }).expect(200)
  const editor = await here.caller('create')
  await editor.call('get', `${other.base}/site-spaces/${other.siteSpace}`).expect(404)
  const item = { type: 'site-space', id: other.siteSpace }
  await editor.call('patch', `${other.base}/structure/sort`, { item, position: {} }).expect(404)
  await here.admin.call('patch', `${other.base}/structure/sort`, { item, position: {} }).expect(409)
})

test.run()
