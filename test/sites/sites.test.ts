import * as assert from 'uvu/assert'
import { grants, sites } from '../../src/model/index.js'
import { eventsOf } from '../support/events.js'
import { tickingClock } from '../support/hand-clock.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Json, makeSpace, newSite, titlesOf } from './http.js'

let base: string
const [test, here] = await suiteWith('sites', () => startService({ overrides: { clock: tickingClock() } }))
test.before(async () => {
  base = `/v1/orgs/${here.organization}/sites`
})

test('a site can be created with its content', async () => {
  const [guides, api] = [await makeSpace(here, 'Guides & Tours'), await makeSpace(here, 'API')]
  const empty = await here.admin.call('post', base).expect(201)
  assert.equal(
    [empty.body.title, empty.body.siteSpaces, empty.body.visibility, empty.body.published],
    ['Untitled', 0, 'public', false],
  )
  assert.equal((await here.admin.call('get', `${empty.headers.location}`).expect(200)).body, empty.body)
  assert.is(empty.body.urls.published, undefined)

  const two = (
    await here.admin
      .call('post', base, { spaces: [guides.id, api.id], type: 'ultimate', visibility: 'unlisted' })
      .expect(201)
  ).body
  assert.equal(
    [two.title, two.basename, two.siteSpaces, two.type, two.visibility],
    ['Guides & Tours', 'guides-and-tours', 2, 'ultimate', 'unlisted'],
  )
  const list = (await here.admin.call('get', `${base}/${two.id}/site-spaces`).expect(200)).body
  assert.equal(
    list.items.map((one: Json) => [one.title, one.path, one.default, one.space.id]),
    [
      ['Guides & Tours', 'guides-and-tours', true, guides.id],
      ['API', 'api', false, api.id],
    ],
  )
  for (const spaces of ['empty', 'sample']) {
    const made = (await here.admin.call('post', base, { title: 'With a new space', spaces }).expect(201)).body
    assert.is(made.siteSpaces, 1)
    const [{ space }] = (await here.admin.call('get', `${base}/${made.id}/site-spaces`).expect(200)).body.items
    const { pages } = (await here.admin.call('get', `/v1/spaces/${space.id}/content/pages`).expect(200)).body
    assert.is(pages.length > 1, spaces === 'sample')
    assert.is(space.title, 'With a new space')
  }
})

test('creating a site with invalid members is rejected', async () => {
  const space = await makeSpace(here, 'Space')
  const other = (await here.admin.call('post', '/v1/orgs', { title: 'Other' }).expect(201)).body.id
  const foreign = (await here.admin.call('post', `/v1/orgs/${other}/spaces`, { title: 'Foreign' }).expect(201)).body.id
  const refused: [object, string][] = [
    [{ spaces: [space.id, 'nothing'] }, '/spaces/1'],
    [{ spaces: [foreign] }, '/spaces/0'],
    [{ spaces: [space.id, space.id] }, '/spaces'],
    [{ spaces: 'template' }, '/spaces'],
    [{ title: 'x' }, '/title'],
    [{ title: 'x'.repeat(129) }, '/title'],
    [{ type: 'none' }, '/type'],
    [{ visibility: 'private' }, '/visibility'],
    [{ basename: 'x' }, '/basename'],
  ]
  const before = (await here.admin.call('get', base).expect(200)).body.count
  for (const [body, path] of refused) {
    const { error } = (await here.admin.call('post', base, body).expect(400)).body
    assert.ok(
      error.details.some((one: { path: string }) => one.path.startsWith(path)),
      JSON.stringify({ body, error }),
    )
  }
  assert.is((await here.admin.call('get', base).expect(200)).body.count, before)
})

test('a reader of a space cannot publish it, and its existence is hidden from others', async () => {
  const space = await makeSpace(here, 'Guarded')
  await here.admin.call('patch', `/v1/spaces/${space.id}`, { defaultLevel: 'read' }).expect(200)
  const maker = await here.caller('create')
  await maker.call('post', base, { spaces: [space.id] }).expect(403)
  await here.admin.call('patch', `/v1/spaces/${space.id}`, { defaultLevel: null }).expect(200)
  await maker.call('post', base, { spaces: [space.id] }).expect(400)
  const site = await newSite(here, { spaces: 'empty' }, maker)
  await maker.call('post', `${site.base}/site-spaces`, { spaceId: space.id }).expect(400)
  await maker.call('post', `${site.base}/sections`, { spaceId: space.id }).expect(400)
  const [{ id }] = (await maker.call('get', `${site.base}/site-spaces`).expect(200)).body.items
  await maker.call('patch', `${site.base}/site-spaces/${id}`, { spaceId: space.id }).expect(400)
  await maker.call('get', `${base}?space=${space.id}`).expect(400)
})

test('the site list is filtered by space, title and publication', async () => {
  const organization = (await here.admin.call('post', '/v1/orgs', { title: 'Filters' }).expect(201)).body.id
  const own = `/v1/orgs/${organization}/sites`
  const space = (await here.admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Shown' }).expect(201)).body
    .id
  const make = async (body: object) => (await here.admin.call('post', own, body).expect(201)).body.id
  const first = await make({ title: 'Developer portal', spaces: [space] })
  await make({ title: 'Help (centre)' })
  await make({ title: 'Blog', spaces: [space] })
  await here.admin.call('post', `${own}/${first}/publish`).expect(200)
  const cases: [string, string[]][] = [
    ['', ['Developer portal', 'Help (centre)', 'Blog']],
    [`space=${space}`, ['Developer portal', 'Blog']],
    ['title=PORTAL', ['Developer portal']],
    ['title=(', ['Help (centre)']],
    ['published=true', ['Developer portal']],
    ['published=false', ['Help (centre)', 'Blog']],
    [`space=${space}&published=false&title=b`, ['Blog']],
    ['limit=2', ['Developer portal', 'Help (centre)']],
  ]
  for (const [query, expected] of cases)
    assert.equal(titlesOf((await here.admin.call('get', `${own}?${query}`).expect(200)).body), expected, query)
  await here.admin.call('get', `${own}?published=maybe`).expect(400)
  await here.admin.call('get', `${own}?space=nothing`).expect(400)
})

test('site settings can be changed separately, and null removes optional ones', async () => {
  const site = await newSite(here)
  const patch = async (body: object) => (await here.admin.call('patch', site.base, body).expect(200)).body
  assert.is(
    (await patch({ title: 'Renamed', visibility: 'unlisted', agentsContext: 'included' })).agentsContext,
    'included',
  )
  assert.equal((await patch({ adaptiveContent: { enabled: true } })).adaptiveContent, { enabled: true })
  assert.equal((await patch({ icon: { emoji: '📚' } })).icon, { emoji: '📚' })
  const pictures = { icon: { light: 'https://example.org/l.svg', dark: 'https://example.org/d.svg' } }
  assert.equal((await patch({ icon: pictures })).icon, pictures)
  assert.is((await patch({ icon: null })).icon, null)
  assert.equal((await patch({ proxy: 'example.org/docs/v1' })).proxy, {
    origin: 'https://example.org/docs/v1',
    target: `${here.service.sites}/${here.organization}/${(await patch({})).basename}`,
  })
  assert.is((await patch({ proxy: null })).proxy, undefined)
  assert.is((await patch({ hostname: 'docs.example.org' })).hostname, 'docs.example.org')
  assert.is((await patch({ hostname: null })).hostname, undefined)
  assert.is((await patch({ basename: 'Übersicht'.toLowerCase() })).basename, 'übersicht')
  assert.equal((await patch({})).title, 'Renamed')
  const refused: [object, string][] = [
    [{ proxy: 'example.org' }, '/proxy'],
    [{ proxy: 'https://example.org/docs' }, '/proxy'],
    [{ proxy: `example.org/${'x'.repeat(501)}` }, '/proxy'],
    [{ hostname: 'localhost' }, '/hostname'],
    [{ hostname: '10.0.0.10' }, '/hostname'],
    [{ hostname: 'Docs.example.org' }, '/hostname'],
    [{ hostname: 'docs.example.org.' }, '/hostname'],
    [{ basename: '..' }, '/basename'],
    [{ basename: 'a/b' }, '/basename'],
    [{ basename: 'Upper' }, '/basename'],
    [{ basename: '' }, '/basename'],
    [{ icon: { icon: { light: 'javascript:alert(1)', dark: 'https://example.org/d.svg' } } }, '/icon'],
    [{ defaultSiteSpace: 'nothing' }, '/defaultSiteSpace'],
    [{ defaultSiteSection: 'nothing' }, '/defaultSiteSection'],
    [{ published: true }, '/published'],
  ]
  for (const [body, path] of refused) {
    const { error } = (await here.admin.call('patch', site.base, body).expect(400)).body
    assert.ok(
      error.details.some((one: { path: string }) => one.path.startsWith(path)),
      JSON.stringify({ body, error }),
    )
  }
})

test('basenames are unique per organization and hostnames per service, even in races', async () => {
  const other = (await here.admin.call('post', '/v1/orgs', { title: 'Elsewhere' }).expect(201)).body.id
  const made = await Promise.all(Array.from({ length: 5 }, () => newSite(here, { title: 'Same title' })))
  const names = await Promise.all(
    made.map(async ({ base: at }) => (await here.admin.call('get', at).expect(200)).body.basename),
  )
  assert.equal(names.sort(), ['same-title', 'same-title-1', 'same-title-2', 'same-title-3', 'same-title-4'])
  const both = async (body: object) =>
    (await Promise.all(made.map(({ base: at }) => here.admin.call('patch', at, body))))
      .map(({ status }) => status)
      .sort()
  assert.equal(await both({ basename: 'wanted' }), [200, 409, 409, 409, 409])
  assert.equal(await both({ hostname: 'wanted.example.org' }), [200, 409, 409, 409, 409])
  const foreign = (await here.admin.call('post', `/v1/orgs/${other}/sites`, { title: 'Foreign' }).expect(201)).body
  const at = `/v1/orgs/${other}/sites/${foreign.id}`
  await here.admin.call('patch', at, { basename: 'wanted' }).expect(200)
  await here.admin.call('patch', at, { hostname: 'wanted.example.org' }).expect(409)
  await here.admin.call('get', `${base}/${foreign.id}`).expect(404)
})

test('each role allows exactly its operations on a site', async () => {
  // get, list, add a section, change settings, publish, delete
  const expected = {
    read: [200, 1, 403, 403, 403, 403],
    review: [200, 1, 403, 403, 403, 403],
    create: [200, 1, 201, 403, 403, 204],
    admin: [200, 1, 201, 200, 200, 204],
  }
  for (const [role, statuses] of Object.entries(expected)) {
    const site = await newSite(here, { title: `For ${role}` })
    const space = await makeSpace(here, 'Section')
    const who = await here.caller(role as keyof typeof expected)
    const got = [
      (await who.call('get', site.base)).status,
      (await who.call('get', `${base}?title=For ${role}`)).body.count,
      (await who.call('post', `${site.base}/sections`, { spaceId: space.id })).status,
      (await who.call('patch', site.base, { title: 'Changed' })).status,
      (await who.call('post', `${site.base}/publish`)).status,
      (await who.call('delete', site.base)).status,
    ]
    assert.equal(got, statuses, role)
  }
  const site = await newSite(here, { title: 'Hidden from guests' })
  const guest = await here.caller(null)
  assert.is((await guest.call('get', base).expect(200)).body.count, 0)
  await guest.call('get', site.base).expect(404)
  await guest.call('delete', site.base).expect(204)
  const grant = {
    id: `site:${site.id}:user:${guest.user}`,
    target: `site:${site.id}`,
    principal: `user:${guest.user}`,
    role: 'read' as const,
  }
  await here.service.app.store.insert(grants, grant)
  assert.equal(titlesOf((await guest.call('get', base).expect(200)).body), ['Hidden from guests'])
  await guest.call('get', site.base).expect(200)
  await here.admin.call('delete', site.base).expect(204)
  assert.equal(await here.service.app.store.find(grants, 'target', `site:${site.id}`), [])
})

test('deleting a site deletes its documents and its reference in the organization', async () => {
  const site = await newSite(here, { title: 'Doomed', spaces: 'empty' })
  const [{ space }] = (await here.admin.call('get', `${site.base}/site-spaces`).expect(200)).body.items
  const organization = `/v1/orgs/${here.organization}`
  const content = { type: 'site', site: site.id }
  await here.admin.call('patch', organization, { defaultContent: { type: 'site', site: 'nothing' } }).expect(400)
  assert.equal(
    (await here.admin.call('patch', organization, { defaultContent: content }).expect(200)).body.defaultContent,
    content,
  )
  const responses = await Promise.all([
    here.admin.call('delete', site.base),
    here.admin.call('delete', site.base),
    here.admin.call('patch', site.base, { title: 'Late' }),
  ])
  assert.equal(
    responses.slice(0, 2).map(({ status }) => status),
    [204, 204],
  )
  assert.ok([200, 404].includes(responses[2]?.status as number))
  await here.admin.call('get', site.base).expect(404)
  await here.admin.call('get', `${site.base}/sections`).expect(404)
  await here.admin.call('delete', site.base).expect(204)
  assert.is((await here.admin.call('get', organization).expect(200)).body.defaultContent, null)
  await here.admin.call('get', `/v1/spaces/${space.id}`).expect(200)
  assert.equal(await here.service.app.store.find(sites, 'space', space.id), [])
})

test('the event stream contains all changes of a site', async () => {
  const site = await newSite(here, { title: 'Told', spaces: 'empty' })
  for (let i = 0; i < 2; i++)
    await here.admin.call('patch', site.base, { title: 'Told again', visibility: 'public' }).expect(200)
  for (const what of ['publish', 'publish', 'unpublish', 'unpublish'])
    await here.admin.call('post', `${site.base}/${what}`).expect(200)
  const { space } = await site.siteSpace('New')
  await here.admin.call('delete', site.base).expect(204)
  const told = (await eventsOf(here.service.app.store, here.organization)).filter(
    ({ subject }) => subject.site === site.id,
  )
  assert.equal(
    told
      .sort((a, b) => a.sequence - b.sequence)
      .map(({ type, subject, actor, data }) => [type, subject.space, data.changed, actor === here.admin.user]),
    [
      ['site.created', undefined, undefined, true],
      ['site.updated', undefined, ['title'], true],
      ['site.published', undefined, ['published'], true],
      ['site.unpublished', undefined, ['published'], true],
      ['site.updated', space.id, ['structure'], true],
      ['site.deleted', undefined, undefined, true],
    ],
  )
})

test.run()
