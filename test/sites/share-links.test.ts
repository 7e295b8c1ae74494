import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { forgetKeys, storedText } from '../support/stored-documents.js'
import { suiteWith } from '../support/suite.js'
import { type MadeSite, makeSite } from './support.js'

let site: MadeSite
const [test, here] = await suiteWith('sites: share links', startService)
test.before(async () => {
  site = await makeSite(here)
  await here.admin.call('post', `${site.base}/publish`).expect(200)
})

const create = async (name = 'Partners', base = site.base) =>
  (await here.admin.call('post', `${base}/share-links`, { name }).expect(201)).body
const keyOf = (link: { urls: { published: string } }): string => link.urls.published.split('/').at(-1) as string
/** Whether the published site is found with a key, and its addresses carry it. */
const opens = async (key: string, base = site.base): Promise<boolean> => {
  const { status, body } = await here.admin.call('get', `${base}/published?shareKey=${encodeURIComponent(key)}`)
  return status === 200 && body.site.urls.published.includes(key)
}

test('a share link is created, found at its Location, listed, renamed and deleted', async () => {
  const made = await here.admin.call('post', `${site.base}/share-links`, { name: 'Partners' }).expect(201)
  const location = `${site.base}/share-links/${made.body.id}`
  assert.is(made.headers.location, location)
  assert.is(made.body.active, true)
  assert.match(keyOf(made.body), /^[0-9A-Za-z]{43}$/)
  assert.equal((await here.admin.call('get', location).expect(200)).body, made.body)
  assert.equal((await here.admin.call('get', `${site.base}/share-links`).expect(200)).body, {
    items: [made.body],
    count: 1,
  })
  const renamed = (await here.admin.call('patch', location, { name: 'Press' }).expect(200)).body
  assert.equal(renamed, { ...made.body, name: 'Press' })
  assert.ok(await opens(keyOf(made.body)))
  for (let i = 0; i < 2; i++) await here.admin.call('delete', location).expect(204)
  assert.not.ok(await opens(keyOf(made.body)))
})

test('a share key opens only its own site while the link is active', async () => {
  const link = await create()
  const path = `${site.base}/share-links/${link.id}`
  const other = await makeSite(here)
  await here.admin.call('post', `${other.base}/publish`).expect(200)
  assert.not.ok(await opens(keyOf(link), other.base))
  assert.not.ok(await opens(link.id))
  assert.not.ok(await opens(`${keyOf(link)}x`))
  await here.admin.call('patch', path, { active: false }).expect(200)
  assert.not.ok(await opens(keyOf(link)))
  const again = (await here.admin.call('patch', path, { active: true }).expect(200)).body
  assert.equal(again, link)
  assert.ok(await opens(keyOf(link)))
  await here.admin.call('patch', site.base, { visibility: 'public' }).expect(200)
  assert.not.ok(await opens(keyOf(link)))
  await here.admin.call('patch', site.base, { visibility: 'share-link' }).expect(200)
  assert.ok(await opens(keyOf(link)))
})

test('a share link has the address at which the site is published', async () => {
  const link = await create()
  const { urls } = (await here.admin.call('get', `${site.base}/published?shareKey=${keyOf(link)}`).expect(200)).body
    .site
  assert.is(urls.published, link.urls.published)
  const space = (await here.admin.call('get', `/v1/spaces/${site.space}?shareKey=${keyOf(link)}`).expect(200)).body
  assert.ok(space.urls.published.includes(keyOf(link)), JSON.stringify(space.urls))
  assert.not.ok(JSON.stringify((await here.admin.call('get', site.base).expect(200)).body).includes(keyOf(link)))
  const unpublished = await makeSite(here)
  assert.match((await create('Early', unpublished.base)).urls.published, /\/~share\/[0-9A-Za-z]{43}$/)
})

test('share link names have at most 50 characters of any kind', async () => {
  await create('😀'.repeat(50))
  for (const body of [{ name: 'x'.repeat(51) }, {}, { name: 1 }, { name: 'x', active: true }])
    await here.admin.call('post', `${site.base}/share-links`, body).expect(400)
})

test('only admins of the site see share link secrets', async () => {
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

test('a share link is deleted even if a PATCH runs at the same time', async () => {
  for (let i = 0; i < 5; i++) {
    const { id } = await create()
    const path = `${site.base}/share-links/${id}`
    const [patched, deleted] = await Promise.all([
      here.admin.call('patch', path, { active: false }),
      here.admin.call('delete', path),
    ])
    assert.ok([200, 404].includes(patched.status), String(patched.status))
    assert.is(deleted.status, 204)
    await here.admin.call('get', path).expect(404)
  }
})

test('after a change of the signing key, share links work but cannot be shown', async () => {
  const link = await create('Old')
  await here.service.close()
  await rm(join(here.dir, 'data', 'signing-key'))
  await forgetKeys(here.dir)
  await here.restart()
  assert.ok(await opens(keyOf(link)))
  assert.equal((await here.admin.call('get', `${site.base}/share-links/${link.id}`).expect(200)).body.urls, {})
  assert.is((await here.admin.call('get', `${site.base}/publishing/auth`).expect(200)).body.privateKey, undefined)
  assert.ok((await here.admin.call('post', `${site.base}/publishing/auth/regenerate`).expect(200)).body.privateKey)
})

test('documents and events contain no share secret, even after a restart', async () => {
  const link = await create('Kept')
  const key = keyOf(link)
  const { privateKey } = (await here.admin.call('get', `${site.base}/publishing/auth`).expect(200)).body
  await here.restart()
  assert.is(keyOf((await here.admin.call('get', `${site.base}/share-links/${link.id}`).expect(200)).body), key)
  assert.ok(await opens(key))
  const bytes = await storedText(here.dir)
  assert.ok(bytes.includes(link.id))
  for (const secret of [key, privateKey]) assert.not.ok(bytes.includes(secret))
})

test.run()
