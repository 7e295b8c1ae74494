import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { normalizePath, SitePathError } from '../../src/content/site-path.js'
import { tickingClock } from '../support/hand-clock.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { unicodeText } from '../support/unicode-text.js'
import { faults, type MadeSite, makeSite } from './support.js'

let site: MadeSite
const [test, here] = await suiteWith('sites: redirects', () => startService({ overrides: { clock: tickingClock() } }))
test.before(async () => {
  site = await makeSite(here)
})

const toURL = (url: string) => ({ kind: 'url', url })
const post = (source: string, destination: object = toURL('https://example.org/')) =>
  here.admin.call('post', `${site.base}/redirects`, { source, destination })

test('a redirect is created, found at its Location, listed, changed and deleted', async () => {
  const made = await post('/old//start/', { kind: 'page', page: site.page, space: site.space }).expect(201)
  const location = `${site.base}/redirects/${made.body.id}`
  assert.is(made.headers.location, location)
  assert.is(made.body.source, '/old/start')
  assert.equal((await here.admin.call('get', location).expect(200)).body, made.body)
  assert.ok(made.body.urls.location.endsWith(location))
  const listed = (await here.admin.call('get', `${site.base}/redirects`).expect(200)).body
  assert.equal(listed, { items: [made.body], count: 1 })
  const changed = (await here.admin.call('patch', location, { source: '/older' }).expect(200)).body
  assert.equal([changed.source, changed.destination], ['/older', made.body.destination])
  for (let i = 0; i < 2; i++) await here.admin.call('delete', location).expect(204)
  await here.admin.call('get', location).expect(404)
})

test('sources for the same path conflict only within their site', async () => {
  await post('/ü/x y').expect(201)
  for (const same of ['/%C3%BC/x%20y', '/u\u0308/x%20y/', '//ü///x y']) await post(same).expect(409)
  await post('/Ü/x y').expect(201)
  const other = await makeSite(here)
  await here.admin.call('post', `${other.base}/redirects`, { source: '/ü/x y', destination: toURL('/') }).expect(201)
})

test('exactly one of two identical concurrent redirects is created', async () => {
  const statuses = (await Promise.all(Array.from({ length: 6 }, () => post('/race')))).map(({ status }) => status)
  assert.equal(statuses.sort(), [201, 409, 409, 409, 409, 409])
})

const badSources = [
  'x',
  '',
  '/',
  '//',
  'https://example.org/x',
  '/a?b',
  '/a#b',
  '/a/../b',
  '/%2e%2E/b',
  '/a\\b',
  '/%5c',
  '/%2F',
  '/%',
  '/%ff',
  '/%00',
  '/a\nb',
  `/${'x'.repeat(512)}`,
]
for (const source of badSources)
  test(`the redirect source ${JSON.stringify(source).slice(0, 40)} is rejected`, async () => {
    const { error } = (await post(source).expect(400)).body
    assert.is(error.details[0].path, '/source')
  })

const badURLs = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  'ftp://example.org/',
  '//example.org/',
  '/\\example.org/',
  '/\t/example.org/',
  'https:example.org',
  'https:///example.org',
  'https://user:password@example.org/',
  'https://docs.example.org@evil.example/',
  'https://exa mple.org/',
  'https://[/',
  'relative/path',
  ' https://example.org/',
  'x'.repeat(2049),
]
for (const url of badURLs)
  test(`the redirect destination ${JSON.stringify(url).slice(0, 40)} is rejected`, async () => {
    const { error } = (await post('/hostile', toURL(url)).expect(400)).body
    assert.is(error.details[0].path, '/destination/url')
  })

test('a redirect destination must be a visible part of the site', async () => {
  const other = (
    await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Not on it' }).expect(201)
  ).body.id
  const cases: [destination: object, path: string][] = [
    [{ kind: 'space', space: other }, '/destination/space'],
    [{ kind: 'space', space: 'nowhere' }, '/destination/space'],
    [{ kind: 'page', page: 'nowhere', space: site.space }, '/destination/page'],
    [{ kind: 'site-section', siteSection: 'nowhere' }, '/destination/siteSection'],
    [{ kind: 'site-space', siteSpace: 'nowhere' }, '/destination/siteSpace'],
    [{ kind: 'page', page: site.page }, '/destination/space'],
    [{ kind: 'url' }, '/destination/url'],
    [{ kind: 'user', user: here.admin.user }, '/destination/kind'],
    [{ kind: 'url', url: '/x', more: 1 }, '/destination/more'],
  ]
  for (const [destination, path] of cases)
    assert.ok(faults((await post('/lost', destination).expect(400)).body)[path], JSON.stringify(destination))
  await post('/to-space', { kind: 'space', space: site.space }).expect(201)
  await post('/to-site-space', { kind: 'site-space', siteSpace: site.siteSpace }).expect(201)
  await post('/to-anchor', { kind: 'anchor', anchor: 'install', page: site.page, space: site.space }).expect(201)
})

test('a redirect reports whether its destination exists', async () => {
  const other = await makeSite(here)
  const variant = (
    await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Variant' }).expect(201)
  ).body.id
  const entry = (await here.admin.call('post', `${other.base}/site-spaces`, { spaceId: variant }).expect(201)).body.id
  const made = async (source: string, destination: object) =>
    void (await here.admin.call('post', `${other.base}/redirects`, { source, destination }).expect(201))
  await made('/page', { kind: 'page', page: other.page, space: other.space })
  await made('/space', { kind: 'space', space: variant })
  await made('/site-space', { kind: 'site-space', siteSpace: entry })
  await made('/url', toURL('https://example.org/'))
  const statuses = async (): Promise<string[]> =>
    (await here.admin.call('get', `${other.base}/redirects`).expect(200)).body.items.map(
      ({ status }: { status: string }) => status,
    )
  assert.equal(await statuses(), ['ok', 'ok', 'ok', 'ok'])
  await here.admin.call('delete', `/v1/spaces/${variant}`).expect(204)
  assert.equal(await statuses(), ['ok', 'broken', 'broken', 'ok'])
  await here.admin.call('post', `/v1/spaces/${variant}/restore`).expect(200)
  assert.equal(await statuses(), ['ok', 'ok', 'ok', 'ok'])
  await here.admin.call('delete', `${other.base}/site-spaces/${entry}`).expect(204)
  await here.admin
    .call('post', `/v1/spaces/${other.space}/content`, { changes: [{ operation: 'delete_page', page: other.page }] })
    .expect(200)
  assert.equal(await statuses(), ['broken', 'broken', 'broken', 'ok'])
})

test('redirects never form a cycle', async () => {
  await post('/self', toURL('/self/?x#y')).expect(409)
  await post('/self', toURL('/a/../self')).expect(409)
  await post('/one', toURL('/two')).expect(201)
  const two = (await post('/two', toURL('/three#part')).expect(201)).body
  await post('/three', toURL('/on%65')).expect(409)
  const three = (await post('/three', toURL('https://example.org/one')).expect(201)).body
  await here.admin.call('patch', `${site.base}/redirects/${three.id}`, { destination: toURL('/one') }).expect(409)
  await here.admin.call('patch', `${site.base}/redirects/${two.id}`, { source: '/three' }).expect(409)
  await here.admin.call('patch', `${site.base}/redirects/${two.id}`, { destination: toURL('/one') }).expect(409)
  await here.admin
    .call('patch', `${site.base}/redirects/${two.id}`, { source: '/two/', destination: toURL('/free') })
    .expect(200)
})

test('one of two concurrent redirects that close a cycle is rejected', async () => {
  const [there, back] = await Promise.all([post('/ping', toURL('/pong')), post('/pong', toURL('/ping'))])
  assert.equal([there.status, back.status].sort(), [201, 409])
})

test('the redirect list is paged while redirects are added and deleted', async () => {
  const other = await makeSite(here)
  const path = `${other.base}/redirects`
  const make = async (source: string) =>
    (await here.admin.call('post', path, { source, destination: toURL('/') }).expect(201)).body.id
  const read = async (query: string) => (await here.admin.call('get', `${path}?${query}`).expect(200)).body
  const ids: string[] = []
  for (const source of ['/1', '/2', '/3', '/4']) ids.push(await make(source))
  const first = await read('limit=2')
  assert.is(first.count, 4)
  await here.admin.call('delete', `${path}/${ids[1]}`).expect(204)
  ids.push(await make('/5'))
  const rest = await read(`limit=1000&page=${first.next.page}`)
  assert.equal(
    [...first.items, ...rest.items].map(({ id }) => id),
    ids,
  )
  assert.is(rest.next, undefined)
  assert.equal(await read('limit=0'), { items: [], count: 4 })
  for (const query of ['limit=1001', 'limit=-1', 'page=x']) await here.admin.call('get', `${path}?${query}`).expect(400)
})

test('every reader of a site sees its redirects, and only admins change them', async () => {
  const path = `${site.base}/redirects`
  const { id } = (await post('/roles').expect(201)).body
  for (const role of ['read', 'create'] as const) {
    const who = await here.caller(role)
    await who.call('get', path).expect(200)
    await who.call('get', `${path}/${id}`).expect(200)
    await who.call('post', path, { source: '/by-role', destination: toURL('/') }).expect(403)
    await who.call('patch', `${path}/${id}`, { source: '/by-role' }).expect(403)
    await who.call('delete', `${path}/${id}`).expect(403)
  }
  const stranger = await here.caller()
  await stranger.call('get', path).expect(404)
  const other = await makeSite(here)
  await here.admin.call('get', `${other.base}/redirects/${id}`).expect(404)
  await here.admin.call('delete', `${other.base}/redirects/${id}`).expect(204)
  await here.admin.call('get', `${path}/${id}`).expect(200)
})

test('normalizing a path twice changes nothing, and throws only its own error', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webPath(),
        unicodeText().map((text) => `/${text}`),
        fc.string(),
      ),
      (path) => {
        try {
          const normal = normalizePath(path)
          if (normal !== '') assert.is(normalizePath(normal), normal)
          assert.match(normal, /^(\/[^/?#\\\s]+)*$/)
        } catch (error) {
          assert.instance(error, SitePathError)
        }
      },
    ),
  )
})

test.run()
