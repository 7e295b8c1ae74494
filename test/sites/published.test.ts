import * as assert from 'uvu/assert'
import { RESTORE_MS } from '../../src/domain/spaces/spaces.js'
import { purgeSpace } from '../../src/domain/upkeep/purge-space.js'
import { grants, sites } from '../../src/model/index.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Json, makeSpace, newSite, outlineOf, type SiteClient } from './http.js'

let now = Date.now()
const [test, here] = await suiteWith('sites: published', () =>
  startService({ overrides: { clock: { now: () => new Date(now) } } }),
)

const get = async (path: string): Promise<Json> => (await here.admin.call('get', path).expect(200)).body
const patch = async (path: string, body: object): Promise<Json> =>
  (await here.admin.call('patch', path, body).expect(200)).body
const post = async (path: string, body?: object, status = 200): Promise<Json> =>
  (await here.admin.call('post', path, body).expect(status)).body

test('a published site has a visitor address for every part, and other sites have none', async () => {
  const site = await newSite(here, { title: 'Addresses' })
  const [guides, api] = [await site.section('Guides'), await site.section('API')]
  await site.siteSpace('Version 1', api.id)
  const german = await site.siteSpace('Deutsch', guides.id)
  assert.is((await get(`/v1/spaces/${german.space.id}`)).urls.published, undefined)
  await here.admin.call('get', `${site.base}/published`).expect(404)
  const addresses = async (): Promise<(string | undefined)[]> => [
    (await get(site.base)).urls.published,
    ...(await get(`${site.base}/sections`)).items.map((one: Json) => one.urls.published),
    ...(await get(`${site.base}/site-spaces`)).items.map((one: Json) => one.urls.published),
  ]
  assert.equal(await addresses(), Array(7).fill(undefined))
  assert.is((await post(`${site.base}/publish`)).published, true)
  const expected = (base: string): string[] => [
    base,
    base,
    `${base}/api`,
    base,
    `${base}/guides/deutsch`,
    `${base}/api`,
    `${base}/api/version-1`,
  ]
  const inOrganization = `${here.service.sites}/${here.organization}/addresses`
  assert.equal(await addresses(), expected(inOrganization))
  await patch(`/v1/orgs/${here.organization}`, { hostname: 'acme-docs' })
  assert.equal(await addresses(), expected(`${here.service.sites}/acme-docs/addresses`))
  await patch(site.base, { hostname: 'docs.acme.example' })
  assert.equal(await addresses(), expected(`http://docs.acme.example:${new URL(here.service.sites).port}`))
  const { proxy } = await patch(site.base, { proxy: 'acme.example/docs' })
  assert.equal(proxy, {
    origin: 'https://acme.example/docs',
    target: `http://docs.acme.example:${new URL(here.service.sites).port}`,
  })
  assert.equal(await addresses(), expected('https://acme.example/docs'))
  assert.equal((await get(`/v1/spaces/${german.space.id}`)).urls.published, 'https://acme.example/docs/guides/deutsch')
  assert.equal((await get(`/v1/spaces/${german.space.id}`)).urls.public, 'https://acme.example/docs/guides/deutsch')
  await patch(site.base, { visibility: 'unlisted' })
  assert.is((await get(`/v1/spaces/${german.space.id}`)).urls.public, undefined)
  assert.is((await post(`${site.base}/unpublish`)).urls.published, undefined)
  assert.equal(await addresses(), Array(7).fill(undefined))
})

test('only the main revision has site addresses, and they are part of its ETag', async () => {
  const site = await newSite(here, { title: 'Revisions', spaces: 'empty' })
  const [{ space }] = (await get(`${site.base}/site-spaces`)).items
  const content = `/v1/spaces/${space.id}/content`
  const etag = (await here.admin.call('get', content).expect(200)).headers.etag as string
  const unchanged = async () => (await here.admin.call('get', content).set('If-None-Match', etag)).status
  assert.equal(Object.keys((await get(content)).urls), ['app'])
  assert.is(await unchanged(), 304)
  const { published } = (await post(`${site.base}/publish`)).urls
  assert.is(await unchanged(), 200)
  const { app, ...addresses } = (await get(content)).urls
  assert.equal(addresses, { published, public: published })
  const before = `/v1/spaces/${space.id}/revisions/${space.revision}`
  assert.equal((await get(before)).urls, { app: `${app}?at=${space.revision}`, ...addresses })
  await post(content, { changes: [{ operation: 'insert_page', title: 'New', document: { markdown: '# New\n' } }] })
  assert.equal((await get(before)).urls, { app: `${app}?at=${space.revision}` })
  await patch(site.base, { visibility: 'unlisted' })
  assert.equal([(await get(content)).urls.published, (await get(content)).urls.public], [published, undefined])
})

test('visitors are shown the structure without empty parts, and its customization', async () => {
  const flat = await newSite(here, { title: 'Flat', spaces: 'empty' })
  await post(`${flat.base}/publish`)
  const shown = await get(`${flat.base}/published`)
  assert.equal(
    [shown.object, shown.site.id, shown.structure.type, outlineOf(shown.structure), shown.scripts],
    ['published-content-site', flat.id, 'siteSpaces', 'Flat*', []],
  )
  const site = await newSite(here, { title: 'Deep' })
  await post(`${site.base}/publish`)
  assert.equal((await get(`${site.base}/published`)).structure, { type: 'siteSpaces', structure: [] })
  const [a, b, c] = [await site.section('Aa'), await site.section('Bb'), await site.section('Cc')]
  await site.group('G', [b.id])
  await site.group('H', [c.id])
  await here.admin.call('delete', `${site.base}/site-spaces/${b.siteSpaces[0].id}`).expect(204)
  const { structure, customizations } = await get(`${site.base}/published`)
  assert.equal([structure.type, outlineOf(structure)], ['sections', 'Aa*[Aa*] H(Cc[Cc*])'])
  assert.equal([Object.keys(customizations), customizations.siteSpaces], [['site', 'siteSpaces'], {}])
  assert.is(await site.outline(), 'Aa*[Aa*] G(Bb[]) H(Cc[Cc*])')
  await here.admin.call('delete', `${site.base}/site-spaces/${a.siteSpaces[0].id}`).expect(204)
  assert.is(await site.outline(), 'Aa[] G(Bb[]) H(Cc*[Cc*])')
})

test('every address contains the share key if its link is active', async () => {
  const site = await newSite(here, { title: 'Shared', visibility: 'share-link' })
  const section = await site.section('Aa')
  await site.siteSpace('A2', section.id)
  await post(`${site.base}/publish`)
  const link = await post(`${site.base}/share-links`, { name: 'Reviewers' }, 201)
  const base = `${(await get(site.base)).urls.published}`
  const key = link.urls.published.slice(link.urls.published.lastIndexOf('/') + 1)
  const keyed = `${base}/~share/${key}`
  assert.is(link.urls.published, keyed)
  const urls = async (query: string): Promise<string[]> => {
    const [entry] = (await get(`${site.base}/site-spaces?default=false&${query}`)).items
    const [one] = (await get(`${site.base}/sections?${query}`)).items
    return [
      entry.urls.published,
      one.urls.published,
      (await get(`/v1/spaces/${entry.space.id}?${query}`)).urls.published,
    ]
  }
  assert.equal(await urls(`shareKey=${key}`), [`${keyed}/aa/a2`, keyed, `${keyed}/aa/a2`])
  for (const query of ['', 'shareKey=nothing'])
    assert.equal(await urls(query), [`${base}/aa/a2`, base, `${base}/aa/a2`])
  assert.is((await get(`${site.base}/published?shareKey=${key}`)).site.urls.published, keyed)
  await here.admin.call('get', `${site.base}/published?shareKey=nothing`).expect(404)
  await patch(`${site.base}/share-links/${link.id}`, { active: false })
  await here.admin.call('get', `${site.base}/published?shareKey=${key}`).expect(404)
  assert.equal(await urls(`shareKey=${key}`), [`${base}/aa/a2`, base, `${base}/aa/a2`])
  await patch(site.base, { visibility: 'public' })
  await here.admin.call('get', `${site.base}/published?shareKey=${key}`).expect(200)
})

const outlines = async (site: SiteClient): Promise<string[]> => [
  await site.outline(),
  outlineOf((await get(`${site.base}/published`)).structure),
]

test('a deleted space is hidden, restored in its place, and removed by a purge', async () => {
  const site = await newSite(here, { title: 'Losses' })
  const [a, b] = [await site.section('Aa'), await site.section('Bb')]
  const a2 = await site.siteSpace('A2', a.id)
  await post(`${site.base}/publish`)
  const [home, second, other] = [a.siteSpaces[0], a2, b.siteSpaces[0]]
  await here.admin.call('delete', `/v1/spaces/${home.space.id}`).expect(204)
  assert.equal(await outlines(site), ['Aa*[A2*] Bb[Bb*]', 'Aa*[A2*] Bb[Bb*]'])
  assert.is((await get(site.base)).siteSpaces, 2)
  await here.admin.call('get', `${site.base}/site-spaces/${home.id}`).expect(404)
  assert.is((await get(`/v1/spaces/${second.space.id}`)).urls.published, (await get(site.base)).urls.published)
  await here.admin.call('delete', `/v1/spaces/${second.space.id}`).expect(204)
  assert.equal(await outlines(site), ['Aa[] Bb*[Bb*]', 'Bb*[Bb*]'])
  assert.equal(
    (await get(`${site.base}/site-spaces?default=true`)).items.map((one: Json) => one.id),
    [other.id],
  )
  await post(`/v1/spaces/${home.space.id}/restore`)
  assert.equal(await outlines(site), ['Aa*[Aa*] Bb[Bb*]', 'Aa*[Aa*] Bb[Bb*]'])
  now += RESTORE_MS
  await purgeSpace(here.service.app, second.space.id)
  assert.equal((await here.service.app.store.find(sites, 'space', second.space.id)).length, 0)
  await here.admin.call('delete', `/v1/spaces/${home.space.id}`).expect(204)
  now += RESTORE_MS
  await purgeSpace(here.service.app, home.space.id)
  assert.equal(await outlines(site), ['Aa[] Bb*[Bb*]', 'Bb*[Bb*]'])
  assert.is((await get(site.base)).siteSpaces, 1)
  await here.restart()
  assert.equal(await outlines(site), ['Aa[] Bb*[Bb*]', 'Bb*[Bb*]'])
})

test('a site never shows a space that is deleted while it is added', async () => {
  const site = await newSite(here, { title: 'Race' })
  for (let i = 0; i < 5; i++) {
    const space = await makeSpace(here, `Space ${i}`)
    const [added, deleted] = await Promise.all([
      here.admin.call('post', `${site.base}/site-spaces`, { spaceId: space.id }),
      here.admin.call('delete', `/v1/spaces/${space.id}`),
    ])
    assert.ok([201, 400, 404].includes(added.status), String(added.status))
    assert.is(deleted.status, 204)
    assert.is(await site.outline(), '')
  }
})

test('one of a concurrent transfer and addition to a site succeeds', async () => {
  const site = await newSite(here, { title: 'Stay or go' })
  const other = await post('/v1/orgs', { title: 'Elsewhere' }, 201)
  for (let i = 0; i < 5; i++) {
    const space = await makeSpace(here, `Space ${i}`)
    const [added, gone] = await Promise.all([
      here.admin.call('post', `${site.base}/site-spaces`, { spaceId: space.id }),
      here.admin.call('post', `/v1/spaces/${space.id}/transfer`, { organization: other.id }),
    ])
    const there = (await get(`/v1/spaces/${space.id}`)).organization
    if (gone.status === 200) assert.equal([added.status, there], [400, other.id])
    else assert.equal([added.status, gone.status, there], [201, 412, here.organization])
  }
})

test('responses to a site reader reveal nothing about a space that they may not see', async () => {
  const site = await newSite(here, { title: 'Partly' })
  const [open, closed] = [await site.section('Open'), await site.section('Closed')]
  const hidden = closed.siteSpaces[0]
  await post(`${site.base}/publish`)
  await patch(`/v1/spaces/${hidden.space.id}`, { defaultLevel: null })
  await patch(site.base, { defaultSiteSection: closed.id })
  const reader = await here.caller('read')
  const { body } = await reader.call('get', `${site.base}/structure`).expect(200)
  assert.is(outlineOf(body), 'Open[Open*] Closed*[]')
  assert.is(outlineOf((await reader.call('get', `${site.base}/published`).expect(200)).body.structure), 'Open[Open*]')
  assert.is((await reader.call('get', `${site.base}/site-spaces`).expect(200)).body.count, 1)
  assert.is((await reader.call('get', `${site.base}/site-spaces?default=true`).expect(200)).body.count, 0)
  await reader.call('get', `${site.base}/site-spaces/${hidden.id}`).expect(404)
  const guest = await here.caller(null)
  const { store } = here.service.app
  await store.insert(grants, {
    id: `site:${site.id}:user:${guest.user}`,
    target: `site:${site.id}`,
    principal: `user:${guest.user}`,
    role: 'admin',
  })
  assert.is(outlineOf((await guest.call('get', `${site.base}/structure`).expect(200)).body), 'Open[] Closed*[]')
  await guest.call('delete', `${site.base}/site-spaces/${hidden.id}`).expect(204)
  await guest.call('post', `${site.base}/sections/${open.id}/move`, {}).expect(200)
  assert.is(await site.outline(), 'Closed*[Closed*] Open[Open*]')
})

test.run()
