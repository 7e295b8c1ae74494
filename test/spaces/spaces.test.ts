import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { grants, spaces } from '../../src/model/index.js'
import { onPostgres } from '../support/on-postgres.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { unpack } from '../git/fixture.js'

let now = Date.now()
const [test, here] = await suiteWith('api: spaces', () =>
  startService({ overrides: { clock: { now: () => new Date(now) } } }),
)

/** A member of the first organization, created before the second one. */
const creator = await here.caller('create')

const make = async (body: object = { title: 'Docs' }) =>
  (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, body).expect(201)).body

test('a user can duplicate a space only to a location where they may create one', async () => {
  const guest = await here.caller(null)
  const { store } = here.service.app
  const grant = (target: string) =>
    store.insert(grants, {
      id: `${target}:user:${guest.user}`,
      target,
      principal: `user:${guest.user}`,
      role: 'create',
    })
  const alone = await make()
  await grant(`space:${alone.id}`)
  await guest.call('post', `/v1/spaces/${alone.id}/duplicate`).expect(403)
  const { id: parent } = (
    await here.admin.call('post', `/v1/orgs/${here.organization}/collections`, { title: 'Shared' }).expect(201)
  ).body
  await grant(`collection:${parent}`)
  const space = await make({ title: 'Docs', parent })
  const copy = await guest.call('post', `/v1/spaces/${space.id}/duplicate`).expect(201)
  assert.is(copy.headers.location, `/v1/spaces/${copy.body.id}`)
  assert.is(copy.body.title, 'Copy of Docs')
  assert.equal(
    copy.body.permissions,
    (await guest.call('get', `/v1/spaces/${copy.body.id}`).expect(200)).body.permissions,
  )
  const ids = async (id: string) =>
    (await here.admin.call('get', `/v1/spaces/${id}/content/pages`).expect(200)).body.pages.map(
      (page: { id: string }) => page.id,
    )
  assert.equal(await ids(copy.body.id), await ids(space.id))
})

test('each role allows exactly its operations on a space', async () => {
  const space = await make()
  // get, open a change request, merge one, change settings, duplicate
  const expected = {
    read: [200, 403, 403, 403, 403],
    comment: [200, 403, 403, 403, 403],
    edit: [200, 201, 403, 403, 403],
    review: [200, 201, 200, 403, 403],
    create: [200, 201, 200, 403, 201],
    admin: [200, 201, 200, 200, 201],
  }
  for (const [role, statuses] of Object.entries(expected)) {
    const who = await here.caller(role as keyof typeof expected)
    const base = `/v1/spaces/${space.id}`
    const { number } = (await here.admin.call('post', `${base}/change-requests`).expect(201)).body
    const got = [
      await who.call('get', base),
      await who.call('post', `${base}/change-requests`),
      await who.call('post', `${base}/change-requests/${number}/merge`),
      await who.call('patch', base, { language: 'de' }),
      await who.call('post', `${base}/duplicate`),
    ]
    assert.equal(
      got.map((response) => response.status),
      statuses,
      role,
    )
  }
  for (const who of [await here.caller(), await here.caller(null)]) {
    await who.call('get', `/v1/spaces/${space.id}`).expect(404)
    await who.call('delete', `/v1/spaces/${space.id}`).expect(204)
    await who.call('post', `/v1/spaces/${space.id}/restore`).expect(404)
    await who.call('get', `/v1/spaces/${space.id}/content`).expect(404)
  }
  await (await here.caller()).call('get', `/v1/orgs/${here.organization}`).expect(404)
  assert.is(
    (await (await here.caller(null)).call('get', `/v1/orgs/${here.organization}/spaces`).expect(200)).body.count,
    0,
  )
})

test('a cursor neither repeats nor skips spaces while they change', async () => {
  const org = (await here.admin.call('post', '/v1/orgs', { title: 'Paging' }).expect(201)).body.id
  const add = async () => (await here.admin.call('post', `/v1/orgs/${org}/spaces`).expect(201)).body.id
  const all: string[] = []
  for (let i = 0; i < 5; i++) {
    now += 1000
    all.push(await add())
  }
  const list = (query: string) => here.admin.call('get', `/v1/orgs/${org}/spaces?${query}`).expect(200)
  const first = (await list('limit=2')).body
  assert.is(first.count, 5)
  await here.admin.call('delete', `/v1/spaces/${all[1]}`).expect(204)
  await here.admin.call('delete', `/v1/spaces/${all[2]}`).expect(204)
  now += 1000
  all.push(await add())
  const second = (await list(`limit=2&page=${first.next.page}`)).body
  assert.equal(
    second.items.map((space: { id: string }) => space.id),
    [all[3], all[4]],
  )
  const third = (await list(`limit=2&page=${second.next.page}`)).body
  assert.equal(third, { items: third.items, count: 4 })
  assert.is(third.items[0].id, all[5])
  assert.equal((await list('limit=0')).body, { items: [], count: 4 })
})

test('a download needs no token, and an invalid or expired one is 404', async () => {
  const space = await make()
  const file = { name: 'a.html', base64: Buffer.from('<b>0123456789</b>').toString('base64') }
  await here.admin
    .call('post', `/v1/spaces/${space.id}/content`, { changes: [{ operation: 'insert_files', files: [file] }] })
    .expect(200)
  const [{ downloadURL }] = (await here.admin.call('get', `/v1/spaces/${space.id}/content/files`).expect(200)).body
    .items
  const get = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers })
  const response = await get(downloadURL)
  assert.is(response.status, 200)
  assert.is(response.headers.get('content-type'), 'application/octet-stream')
  assert.match(response.headers.get('content-disposition') ?? '', /^attachment/)
  const part = await get(downloadURL, { Range: 'bytes=3-5' })
  assert.equal([part.status, await part.text()], [206, '012'])
  assert.is((await get(downloadURL, { Range: 'bytes=99-' })).status, 416)
  assert.is((await get(downloadURL.replace('a.html', 'a.txt'))).status, 404)
  assert.is((await get(downloadURL.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A')))).status, 404)
  await here.admin.call('delete', `/v1/spaces/${space.id}`).expect(204)
  assert.is((await get(downloadURL)).status, 404)
  await here.admin.call('post', `/v1/spaces/${space.id}/restore`).expect(200)
  assert.is((await get(downloadURL)).status, 200)
  now += 3 * 86_400_000
  assert.is((await get(downloadURL)).status, 404)
  now -= 3 * 86_400_000
  const lost = new URL(downloadURL).pathname.split('/')[4] as string
  const repository = join(here.dir, 'repos', `${space.id}.git`)
  unpack({ path: repository })
  await rm(join(repository, 'objects', lost.slice(0, 2), lost.slice(2)))
  await here.restart()
  const again = await get(downloadURL.replace(/^http:..[^/]+/, here.url))
  // A node reads it from the database again.
  if (onPostgres) assert.is(await again.text(), '<b>0123456789</b>')
  else assert.is(again.status, 404)
})

test('a deleted space can be restored within seven days, and not later', async () => {
  const [early, late] = [await make(), await make()]
  for (const { id } of [early, late]) {
    await here.admin.call('delete', `/v1/spaces/${id}`).expect(204)
    await here.admin.call('delete', `/v1/spaces/${id}`).expect(204)
    await here.admin.call('get', `/v1/spaces/${id}`).expect(404)
  }
  now += 7 * 86_400_000 - 1000
  assert.is((await here.admin.call('post', `/v1/spaces/${early.id}/restore`).expect(200)).body.deletedAt, undefined)
  await here.admin.call('post', `/v1/spaces/${early.id}/restore`).expect(409)
  now += 1000
  await here.admin.call('post', `/v1/spaces/${late.id}/restore`).expect(404)
  assert.ok(await here.service.app.store.get(spaces, late.id))
})

test('an admin deletes a deleted space permanently, before its seven days are over', async () => {
  const { id } = await make()
  const purge = (who = here.admin) => who.call('post', `/v1/spaces/${id}/purge`)
  await purge().expect(409)
  await here.admin.call('get', `/v1/spaces/${id}`).expect(200)
  await here.admin.call('delete', `/v1/spaces/${id}`).expect(204)
  await purge(creator).expect(403)
  await purge().expect(204)
  await purge().expect(404)
  await here.admin.call('post', `/v1/spaces/${id}/restore`).expect(404)
  assert.is(await here.service.app.store.get(spaces, id), null)
  assert.not.ok(await here.service.app.git.exists(id))
})

test.run()
