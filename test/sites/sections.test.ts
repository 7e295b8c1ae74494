import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Json, makeSpace, newSite } from './http.js'

const [test, here] = await suiteWith('sites: sections', startService)

const get = async (path: string): Promise<Json> => (await here.admin.call('get', path).expect(200)).body

test('the first section takes the site spaces of the root, which keep their addresses', async () => {
  const [one, two] = [await makeSpace(here, 'One'), await makeSpace(here, 'Two')]
  const site = await newSite(here, { title: 'Grows', spaces: [one.id, two.id] })
  await here.admin.call('post', `${site.base}/publish`).expect(200)
  assert.is(await site.outline(), 'One* Two')
  const home = (await get(`${site.base}/site-spaces?default=true`)).items[0]
  const made = await here.admin
    .call('post', `${site.base}/sections`, { spaceId: (await makeSpace(here, 'Three')).id, icon: 'gear' })
    .expect(201)
  assert.equal((await get(made.headers.location as string)).id, made.body.id)
  assert.equal([made.body.title, made.body.path, made.body.icon, made.body.default], ['Three', 'three', 'gear', false])
  assert.is(await site.outline(), 'One*[One* Two] Three[Three*]')
  const after = (await get(`${site.base}/site-spaces?default=true`)).items
  assert.equal(
    after.map((entry: Json) => [entry.id, entry.urls.published]),
    [[home.id, home.urls.published]],
  )
  const added = await site.siteSpace('Four')
  assert.is(added.section, (await get(`${site.base}/sections`)).items[0].id)
  assert.is(await site.outline(), 'One*[One* Two Four] Three[Three*]')
})

test('each section has its own title and path', async () => {
  const site = await newSite(here)
  const untitled = await makeSpace(here, 'A')
  const short = (
    await here.admin
      .call('post', `${site.base}/sections`, { spaceId: untitled.id, title: null, icon: null })
      .expect(201)
  ).body
  assert.equal([short.title, short.path, short.icon, short.default], ['Untitled', 'untitled', undefined, true])
  const second = await site.section('Untitled')
  assert.is(second.path, 'untitled-1')
  const at = `${site.base}/sections/${second.id}`
  const patch = async (body: object, status = 200): Promise<Json> =>
    (await here.admin.call('patch', at, body).expect(status)).body
  assert.is((await patch({ title: 'Guides' })).path, 'untitled-1')
  const full = await patch({
    path: 'guides',
    condition: 'visitor.claims.unsigned.beta == true',
    icon: 'book',
    description: 'For all',
  })
  assert.equal(
    [full.path, full.condition, full.icon, full.description],
    ['guides', 'visitor.claims.unsigned.beta == true', 'book', 'For all'],
  )
  assert.equal(await patch({}), full)
  const bare = await patch({ condition: null, icon: null, description: null })
  assert.equal([bare.condition, bare.icon, bare.description, bare.title], [undefined, undefined, undefined, 'Guides'])
  await patch({ path: 'untitled' }, 409)
  await patch({ path: 'guides' })
  const refused: [object, string][] = [
    [{ path: 'a/b' }, '/path'],
    [{ path: '..' }, '/path'],
    [{ path: 'x'.repeat(101) }, '/path'],
    [{ title: 'x' }, '/title'],
    [{ icon: 'x'.repeat(51) }, '/icon'],
    [{ description: 'x'.repeat(257) }, '/description'],
    [{ condition: '' }, '/condition'],
    [{ condition: 'x'.repeat(1025) }, '/condition'],
    [{ condition: 'visitor.claims.' }, '/condition'],
    [{ defaultSiteSpace: short.siteSpaces[0].id }, '/defaultSiteSpace'],
  ]
  for (const [body, path] of refused) assert.is((await patch(body, 400)).error.details[0].path, path)
  const { error } = await patch({ condition: 'visitor.claims.a ==\n  ]' }, 400)
  assert.match(error.details[0].message, /line 2/)
})

test('a site always has one default section, which can be changed', async () => {
  const site = await newSite(here)
  const [a, b, c] = [await site.section('Aa'), await site.section('Bb'), await site.section('Cc')]
  const variant = await site.siteSpace('B2', b.id)
  await here.admin.call('patch', `${site.base}/sections/${b.id}`, { defaultSiteSpace: variant.id }).expect(200)
  await here.admin.call('patch', site.base, { defaultSiteSection: c.id }).expect(200)
  assert.is(await site.outline(), 'Aa[Aa*] Bb[Bb B2*] Cc*[Cc*]')
  await here.admin.call('patch', site.base, { defaultSiteSpace: b.siteSpaces[0].id }).expect(200)
  assert.is(await site.outline(), 'Aa[Aa*] Bb*[Bb* B2] Cc[Cc*]')
  await here.admin.call('patch', site.base, { defaultSiteSection: a.id, defaultSiteSpace: variant.id }).expect(400)
  await here.admin.call('patch', site.base, { defaultSiteSection: b.id, defaultSiteSpace: variant.id }).expect(200)
  assert.is(await site.outline(), 'Aa[Aa*] Bb*[Bb B2*] Cc[Cc*]')
  const list = async (query: string): Promise<string[]> =>
    (await get(`${site.base}/site-spaces${query}`)).items.map((one: Json) => one.title)
  assert.equal(await list('?default=true'), ['B2'])
  assert.equal(await list('?default=false'), ['Aa', 'Bb', 'Cc'])
  assert.equal(await list(''), ['Aa', 'Bb', 'B2', 'Cc'])
  await here.admin.call('delete', `${site.base}/site-spaces/${variant.id}`).expect(204)
  assert.is(await site.outline(), 'Aa[Aa*] Bb*[Bb*] Cc[Cc*]')
  await here.admin.call('delete', `${site.base}/sections/${b.id}`).expect(204)
  assert.is(await site.outline(), 'Aa[Aa*] Cc*[Cc*]')
  await here.admin.call('delete', `${site.base}/sections/${c.id}`).expect(204)
  await here.admin.call('delete', `${site.base}/sections/${c.id}`).expect(204)
  assert.is(await site.outline(), 'Aa*[Aa*]')
  await here.admin.call('delete', `${site.base}/sections/${a.id}`).expect(204)
  assert.is(await site.outline(), '')
  await here.admin.call('get', `/v1/spaces/${variant.space.id}`).expect(200)
  assert.is((await site.siteSpace('Root')).section, undefined)
  assert.is(await site.outline(), 'Root*')
})

test('a deleted group leaves its sections in its place', async () => {
  const site = await newSite(here)
  const [a, b, c, d] = [
    await site.section('Aa'),
    await site.section('Bb'),
    await site.section('Cc'),
    await site.section('Dd'),
  ]
  const group = await site.group('G', [c.id, b.id])
  assert.is(await site.outline(), 'Aa*[Aa*] G(Cc[Cc*] Bb[Bb*]) Dd[Dd*]')
  assert.equal(
    group.sections.map((one: Json) => [one.title, one.sectionGroup]),
    [
      ['Cc', group.id],
      ['Bb', group.id],
    ],
  )
  const at = `${site.base}/section-groups/${group.id}`
  const put = (sectionId: string, status = 200) =>
    here.admin.call('post', `${at}/sections`, { sectionId }).expect(status)
  await put(a.id)
  await put(a.id)
  assert.is(await site.outline(), 'G(Cc[Cc*] Bb[Bb*] Aa*[Aa*]) Dd[Dd*]')
  assert.equal(
    (await get(`${site.base}/sections`)).items.map((one: Json) => one.title),
    ['Cc', 'Bb', 'Aa', 'Dd'],
  )
  await put('nothing', 400)
  for (const id of [b.id, b.id, d.id, 'nothing']) await here.admin.call('delete', `${at}/sections/${id}`).expect(204)
  assert.is(await site.outline(), 'G(Cc[Cc*] Aa*[Aa*]) Bb[Bb*] Dd[Dd*]')
  const other = await site.group('H', [a.id])
  assert.is(await site.outline(), 'G(Cc[Cc*]) Bb[Bb*] Dd[Dd*] H(Aa*[Aa*])')
  assert.equal(
    (await get(`${site.base}/section-groups`)).items.map((one: Json) => one.title),
    ['G', 'H'],
  )
  assert.equal((await here.admin.call('patch', at, { title: 'Group', icon: 'gear' }).expect(200)).body.icon, 'gear')
  assert.equal((await here.admin.call('patch', at, { icon: null }).expect(200)).body.icon, undefined)
  for (let i = 0; i < 2; i++) await here.admin.call('delete', at).expect(204)
  await here.admin.call('get', at).expect(404)
  assert.is(await site.outline(), 'Cc[Cc*] Bb[Bb*] Dd[Dd*] H(Aa*[Aa*])')
  await here.admin.call('delete', `${site.base}/sections/${a.id}`).expect(204)
  assert.is(await site.outline(), 'Cc*[Cc*] Bb[Bb*] Dd[Dd*] H()')
  await here.admin.call('post', `${site.base}/section-groups`, { title: 'I', sections: [b.id, b.id] }).expect(400)
  const { error } = (
    await here.admin.call('post', `${site.base}/section-groups`, { title: 'I', sections: [b.id, a.id] }).expect(400)
  ).body
  assert.is(error.details[0].path, '/sections/1')
  await here.admin.call('delete', `${site.base}/section-groups/${other.id}/sections/${c.id}`).expect(204)
  await here.admin.call('delete', `${at}/sections/${c.id}`).expect(404)
})

test('a group without sections does not hide the site spaces at the root', async () => {
  const site = await newSite(here, { title: 'Flat', spaces: 'empty' })
  await site.group('Later')
  assert.is(await site.outline(), 'Flat*')
  await site.section('First')
  assert.is(await site.outline(), 'Later() Flat*[Flat*] First[First*]')
})

test('a site space has a unique path and a condition, and can show another space', async () => {
  const site = await newSite(here)
  const [a, b] = [await site.section('Aa'), await site.section('Bb')]
  const english = await site.siteSpace('English', a.id)
  const again = await site.siteSpace('English', a.id)
  const elsewhere = await site.siteSpace('English', b.id)
  assert.equal([english.path, again.path, elsewhere.path], ['english', 'english-1', 'english'])
  const at = `${site.base}/site-spaces/${again.id}`
  const patch = async (body: object, status = 200): Promise<Json> =>
    (await here.admin.call('patch', at, body).expect(status)).body
  await patch({ path: 'english' }, 409)
  assert.is((await patch({ path: 'deutsch', condition: 'visitor.claims.german' })).path, 'deutsch')
  assert.is((await patch({ condition: null })).condition, undefined)
  await patch({ condition: 'visitor.claims.german =' }, 400)
  await patch({ condition: '' }, 400)
  await patch({ path: 'deutsch/' }, 400)
  const german = await makeSpace(here, 'Deutsch')
  const shown = await patch({ spaceId: german.id })
  assert.equal([shown.title, shown.path, shown.space.id], ['Deutsch', 'deutsch', german.id])
  await patch({ spaceId: german.id })
  await patch({ spaceId: english.space.id }, 409)
  await patch({ spaceId: 'nothing' }, 400)
  await here.admin.call('post', `${site.base}/site-spaces`, { spaceId: german.id, sectionId: b.id }).expect(409)
  await here.admin.call('post', `${site.base}/sections`, { spaceId: german.id }).expect(409)
  const fresh = await makeSpace(here, 'Fresh')
  const { error } = (
    await here.admin.call('post', `${site.base}/site-spaces`, { spaceId: fresh.id, sectionId: 'nothing' }).expect(400)
  ).body
  assert.is(error.details[0].path, '/sectionId')
  const made = await here.admin.call('post', `${site.base}/site-spaces`, { spaceId: fresh.id }).expect(201)
  assert.equal(await get(made.headers.location as string), made.body)
  assert.is(made.body.section, a.id)
})

test.run()
