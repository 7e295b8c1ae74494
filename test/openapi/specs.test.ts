import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { entry, put, spaceWith } from './fixture.js'
import { processed, serveFiles, spec, specText } from './servers.js'

const [test, here] = await suiteWith('openapi/specs', startService)
const web = await serveFiles()
test.after(() => web.close())

const base = (): string => `/v1/orgs/${here.organization}/openapi`
const create = async (slug: string, source: object) =>
  (await here.admin.call('post', base(), { slug, source }).expect(201)).body

test('a specification from a URL is fetched and its document returned', async () => {
  web.files.set('/pets.json', specText())
  const made = await create('pets', { url: `${web.url}/pets.json` })
  assert.is(made.object, 'openapi-spec')
  assert.is(made.processingState, 'pending')
  assert.is(made.visibility, 'private')
  assert.is(made.sourceURL, `${web.url}/pets.json`)
  assert.equal(made.permissions, { view: true, edit: true })
  const done = await processed(here.admin, `${base()}/pets`)
  assert.is(done.lastProcessErrorCode, undefined)
  assert.equal([done.lastProcessedErrors, done.lastProcessedErrorCount], [[], 0])
  const { body: latest } = await here.admin.call('get', `${base()}/pets/versions/latest`).expect(200)
  assert.is(latest.id, done.lastVersion)
  assert.is(latest.changes, undefined)
  const { body: content } = await here.admin.call('get', `${base()}/pets/versions/latest/content`).expect(200)
  assert.equal(content.filesystem['openapi.json'].specification, spec())
  assert.is(content.url, latest.url)
  assert.equal(content.urls, { source: `${web.url}/pets.json`, public: null })
  const byUrl = await fetch(latest.url)
  assert.is(byUrl.status, 200)
  assert.equal(await byUrl.json(), spec())
  assert.is((await fetch(latest.url.replace(/signature=./, 'signature=!'))).status, 404)
  const { body: byId } = await here.admin.call('get', `${base()}/pets/versions/${latest.id}/content`).expect(200)
  assert.equal(byId, content)
  assert.is((await here.admin.call('get', `${base()}/pets/versions`).expect(200)).body.count, 1)
  await here.admin.call('get', `${base()}/pets/versions/none`).expect(404)
})

test('invalid slugs, sources and members of a specification are rejected', async () => {
  for (const slug of ['Pets', 'a--b', '-a', 'a_b', '', 'a'.repeat(101)])
    await here.admin.call('post', base(), { slug, source: { text: '{}' } }).expect(400)
  for (const source of [
    {},
    { url: 'ftp://x.test/a' },
    { url: 'no' },
    { text: '' },
    { url: 'http://x.test', text: 'x' },
  ])
    await here.admin.call('post', base(), { slug: 'x', source }).expect(400)
  await here.admin.call('put', `${base()}/No_Slug`, { source: { text: '{}' } }).expect(400)
  await here.admin.call('post', base(), { slug: 'pets', source: { text: '{}' } }).expect(409)
  await here.admin.call('patch', `${base()}/pets`, { visibility: 'secret' }).expect(400)
  await here.admin.call('patch', `${base()}/none`, { visibility: 'public' }).expect(404)
  await here.admin.call('get', `${base()}/none`).expect(404)
  await here.admin.call('get', `${base()}/none/versions/latest`).expect(404)
})

test('readers can see specifications, and only content creators can change them', async () => {
  const [guest, reader, creator, stranger] = [
    await here.caller(null),
    await here.caller('read'),
    await here.caller('create'),
    await here.caller(),
  ]
  const { body } = await reader.call('get', `${base()}/pets`).expect(200)
  assert.equal(body.permissions, { view: true, edit: false })
  await reader.call('get', `${base()}/pets/versions/latest/content`).expect(200)
  await reader.call('put', `${base()}/pets`, { source: { text: specText() } }).expect(403)
  await guest.call('post', base(), { slug: 'mine', source: { text: specText() } }).expect(403)
  await guest.call('put', `${base()}/pets`, { source: { text: specText() } }).expect(403)
  await guest.call('patch', `${base()}/pets`, { visibility: 'public' }).expect(403)
  await guest.call('delete', `${base()}/pets`).expect(403)
  await creator.call('post', base(), { slug: 'mine', source: { text: specText() } }).expect(201)
  await stranger.call('get', `${base()}/pets`).expect(404)
})

test('a guest can read public specifications and those that a readable space shows', async () => {
  const guest = await here.caller(null)
  await put(here, 'private-by-entry', {})
  await put(here, 'private-by-block', {})
  await put(here, 'shown-to-others', {})
  const block =
    '# Home\n\n{% openapi-operation spec="private-by-block" path="/x" method="get" %}\n{% endopenapi-operation %}\n'
  const { space } = await spaceWith(here, entry('private-by-entry'), { 'README.md': block })
  await spaceWith(here, entry('shown-to-others'))
  const slugs = async () =>
    (await guest.call('get', base()).expect(200)).body.items.map(({ slug }: { slug: string }) => slug)
  const parts = ['', '/versions', '/versions/latest', '/versions/latest/content']
  const expectAll = async (slug: string, status: number) => {
    for (const part of parts) await guest.call('get', `${base()}/${slug}${part}`).expect(status)
  }
  assert.equal(await slugs(), [])
  for (const slug of ['pets', 'private-by-entry', 'private-by-block', 'shown-to-others']) await expectAll(slug, 404)
  await here.admin.call('post', `/v1/spaces/${space}/permissions`, { role: 'read', users: [guest.user] }).expect(204)
  assert.equal(await slugs(), ['private-by-entry', 'private-by-block'])
  for (const slug of ['private-by-entry', 'private-by-block']) await expectAll(slug, 200)
  await expectAll('shown-to-others', 404)
  await here.admin.call('patch', `${base()}/shown-to-others`, { visibility: 'public' }).expect(200)
  await expectAll('shown-to-others', 200)
  assert.equal(await slugs(), ['private-by-entry', 'private-by-block', 'shown-to-others'])
})

test('PUT creates or replaces a specification, and only changed content creates a version', async () => {
  const path = `${base()}/put`
  const { headers } = await here.admin.call('put', path, { source: { text: specText() } }).expect(201)
  assert.ok(headers.location?.endsWith(path))
  const first = await processed(here.admin, path)
  await here.admin.call('put', path, { source: { text: JSON.stringify(spec(), null, 4) } }).expect(200)
  assert.is((await processed(here.admin, path)).lastVersion, first.lastVersion)
  await here.admin
    .call('put', path, { source: { text: specText({ info: { title: 'Pets', version: '2' } }) } })
    .expect(200)
  assert.is.not((await processed(here.admin, path)).lastVersion, first.lastVersion)
  const { body } = await here.admin.call('get', `${path}/versions`).expect(200)
  assert.is(body.count, 2)
  assert.is(body.items[1].id, first.lastVersion)
})

test('a failure states its reason and location, and the newest version stays', async () => {
  const path = `${base()}/broken`
  await here.admin.call('put', path, { source: { text: specText() } }).expect(201)
  const { lastVersion } = await processed(here.admin, path)
  await here.admin
    .call('put', path, { source: { text: 'openapi: 3.1.0\ninfo:\n  title: x\n version: 1\n' } })
    .expect(200)
  const bad = await processed(here.admin, path)
  assert.is(bad.lastProcessErrorCode, 'PARSE_ERROR')
  assert.match(bad.lastProcessError?.message ?? '', /^Line 4, column \d+: /)
  assert.is((bad.lastProcessError as unknown as { line: number }).line, 4)
  assert.is(bad.lastVersion, lastVersion)
  await here.admin.call('put', path, { source: { url: `${web.url}/none.json` } }).expect(200)
  const gone = await processed(here.admin, path)
  assert.is(gone.lastProcessErrorCode, 'FETCH_ERROR')
  assert.match(gone.lastProcessError?.message ?? '', /status 404/)
  await here.admin.call('put', path, { source: { text: specText() } }).expect(200)
  assert.is((await processed(here.admin, path)).lastProcessErrorCode, undefined)
})

test('a public specification is served without a token, and a private one is not', async () => {
  const path = `${base()}/pets`
  assert.is((await here.admin.call('get', path).expect(200)).body.urls.published, undefined)
  const { body } = await here.admin.call('patch', path, { visibility: 'public' }).expect(200)
  const published = body.urls.published as string
  assert.not.match(published, /\/v1\//)
  const open = await fetch(published, { headers: { origin: 'https://elsewhere.test' } })
  assert.is(open.status, 200)
  assert.is(open.headers.get('access-control-allow-origin'), '*')
  assert.is(open.headers.get('x-content-type-options'), 'nosniff')
  assert.match(open.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(await open.json(), spec())
  const again = await fetch(published, { headers: { 'if-none-match': open.headers.get('etag') ?? '' } })
  assert.is(again.status, 304)
  assert.is((await fetch(`${here.url}${path}`)).status, 401)
  await here.admin.call('patch', path, { visibility: 'private' }).expect(200)
  assert.is((await fetch(published)).status, 404)
  assert.is((await fetch(published.replace('/pets/', '/none/'))).status, 404)
})

test('deleting a specification removes its versions and URLs, and a repeat is 204', async () => {
  const { body } = await here.admin.call('get', `${base()}/put/versions/latest`).expect(200)
  await here.admin.call('delete', `${base()}/put`).expect(204)
  await here.admin.call('delete', `${base()}/put`).expect(204)
  await here.admin.call('get', `${base()}/put`).expect(404)
  assert.is((await fetch(body.url)).status, 404)
})

test.run()
