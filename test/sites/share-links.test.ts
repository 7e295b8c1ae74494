import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { validShareKey } from '../../src/domain/sites/share-key.js'
import { sites } from '../../src/model/index.js'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'
import { type MadeSite, makeSite } from './support.js'

const test = suite('sites: share links')
let here: TestService
let site: MadeSite
test.before(async () => {
  here = await startService()
  site = await makeSite(here)
  const { store } = here.service.app
  await store.replace(sites, { ...(await store.get(sites, site.id))!, visibility: 'share-link' })
})
test.after(() => here.close())

const create = async (name = 'Partners', base = site.base) => (await here.admin.call('post', `${base}/share-links`, { name }).expect(201)).body
const keyOf = (link: { urls: { published: string } }): string => link.urls.published.split('/').at(-1) as string
const opens = async (key: string, id = site.id) => {
  const { store } = here.service.app
  return (await validShareKey(store, (await store.get(sites, id))!, key)) === key
}

test('a link is created, found at its Location, listed with its secret, renamed and deleted', async () => {
  const made = await here.admin.call('post', `${site.base}/share-links`, { name: 'Partners' }).expect(201)
  const location = `${site.base}/share-links/${made.body.id}`
  assert.is(made.headers.location, location)
  assert.is(made.body.active, true)
  assert.match(keyOf(made.body), /^[0-9A-Za-z]{43}$/)
  assert.equal((await here.admin.call('get', location).expect(200)).body, made.body)
  assert.equal((await here.admin.call('get', `${site.base}/share-links`).expect(200)).body, { items: [made.body], count: 1 })
  const renamed = (await here.admin.call('patch', location, { name: 'Press' }).expect(200)).body
  assert.equal(renamed, { ...made.body, name: 'Press' })
  assert.ok(await opens(keyOf(made.body)))
  for (let i = 0; i < 2; i++) await here.admin.call('delete', location).expect(204)
  assert.not.ok(await opens(keyOf(made.body)))
})

test('a key opens its own site, while it is active and the site is shared by link', async () => {
  const link = await create()
  const path = `${site.base}/share-links/${link.id}`
  const other = await makeSite(here)
  assert.not.ok(await opens(keyOf(link), other.id))
  assert.not.ok(await opens(link.id))
  assert.not.ok(await opens(`${keyOf(link)}x`))
  await here.admin.call('patch', path, { active: false }).expect(200)
  assert.not.ok(await opens(keyOf(link)))
  const again = (await here.admin.call('patch', path, { active: true }).expect(200)).body
  assert.equal(again, link)
  assert.ok(await opens(keyOf(link)))
  const { store } = here.service.app
  const doc = await store.replace(sites, { ...(await store.get(sites, site.id))!, visibility: 'public' })
  assert.not.ok(await opens(keyOf(link)))
  await store.replace(sites, { ...doc, visibility: 'share-link' })
})

test('names are at most 50 characters, whatever these are', async () => {
  await create('😀'.repeat(50))
  for (const body of [{ name: 'x'.repeat(51) }, {}, { name: 1 }, { name: 'x', active: true }])
    await here.admin.call('post', `${site.base}/share-links`, body).expect(400)
})

test('secrets are for admins of the site', async () => {
  const { id } = await create()
  const path = `${site.base}/share-links`
  for (const role of ['read', 'create'] as const) {
    const who = await here.caller(role)
    for (const url of [path, `${path}/${id}`]) await who.call('get', url).expect(403)
    await who.call('post', path, { name: 'x' }).expect(403)
    await who.call('patch', `${path}/${id}`, { active: false }).expect(403)
    await who.call('delete', `${path}/${id}`).expect(403)
  }
  await (await here.caller()).call('get', path).expect(404)
  const other = await makeSite(here)
  await here.admin.call('get', `${other.base}/share-links/${id}`).expect(404)
  await here.admin.call('patch', `${other.base}/share-links/${id}`, { active: false }).expect(404)
})

test('PATCH against DELETE leaves no link behind', async () => {
  for (let i = 0; i < 5; i++) {
    const { id } = await create()
    const path = `${site.base}/share-links/${id}`
    const [patched, deleted] = await Promise.all([here.admin.call('patch', path, { active: false }), here.admin.call('delete', path)])
    assert.ok([200, 404].includes(patched.status), String(patched.status))
    assert.is(deleted.status, 204)
    await here.admin.call('get', path).expect(404)
  }
})

test('neither the files of documents nor the stream of events hold a secret, and it is the same after a restart', async () => {
  const link = await create('Kept')
  const key = keyOf(link)
  const { privateKey } = (await here.admin.call('get', `${site.base}/publishing/auth`).expect(200)).body
  await here.restart()
  assert.is(keyOf((await here.admin.call('get', `${site.base}/share-links/${link.id}`).expect(200)).body), key)
  assert.ok(await opens(key))
  const dir = join(here.dir, 'data', 'store')
  let bytes = ''
  for (const file of await readdir(dir, { recursive: true, withFileTypes: true }))
    if (file.isFile()) bytes += await readFile(join(file.parentPath, file.name), 'latin1')
  assert.ok(bytes.includes(link.id))
  for (const secret of [key, privateKey]) assert.not.ok(bytes.includes(secret))
})

test.run()
