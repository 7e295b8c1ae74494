import * as assert from 'uvu/assert'
import {
  grants,
  shareLinks,
  siteAdaptiveSchemas,
  siteCustomizations,
  sitePublishingAuths,
  siteRedirects,
} from '../../src/model/index.js'
import { eventsOf } from '../support/events.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type MadeSite, makeSite } from './support.js'

const [test, here] = await suiteWith('sites: documents', startService)

const jsonSchema = { type: 'object', properties: { isBeta: { type: 'boolean' } }, additionalProperties: false }

/** The number of documents that belong to a site. */
async function documentsOf({ id }: MadeSite): Promise<number> {
  const { store } = here.service.app
  const single = await Promise.all([store.get(siteAdaptiveSchemas, id), store.get(sitePublishingAuths, id)])
  const several = await Promise.all([
    store.find(shareLinks, 'site', id),
    store.find(siteRedirects, 'site', id),
    store.find(siteCustomizations, 'site', id),
  ])
  return [...single.filter(Boolean), ...several.flat(), ...(await store.find(grants, 'target', `site:${id}`))].length
}

async function filled(): Promise<MadeSite> {
  const site = await makeSite(here)
  const { admin } = here
  await admin.call('post', `${site.base}/share-links`, { name: 'x' }).expect(201)
  await admin
    .call('post', `${site.base}/redirects`, { source: '/x', destination: { kind: 'space', space: site.space } })
    .expect(201)
  await admin.call('put', `${site.base}/customization`, { title: 'Site' }).expect(200)
  await admin
    .call('put', `${site.base}/site-spaces/${site.siteSpace}/customization`, { styling: { font: 'Lato' } })
    .expect(200)
  await admin.call('put', `${site.base}/adaptive-schema`, { jsonSchema }).expect(200)
  await admin.call('post', `${site.base}/permissions`, { role: 'read', users: [admin.user] }).expect(204)
  return site
}

test('deleting a site deletes its documents and leaves those of others', async () => {
  const [site, other] = [await filled(), await filled()]
  assert.equal([await documentsOf(site), await documentsOf(other)], [7, 7])
  await here.admin.call('delete', site.base).expect(204)
  assert.equal([await documentsOf(site), await documentsOf(other)], [0, 7])
  for (const path of [
    'share-links',
    'redirects',
    'customization',
    'adaptive-schema',
    'publishing/auth',
    'permissions/users',
  ])
    await here.admin.call('get', `${site.base}/${path}`).expect(404)
})

test('a write during the deletion of a site is applied or rejected and never causes 5xx', async () => {
  for (let i = 0; i < 4; i++) {
    const site = await makeSite(here)
    const redirect = (source: string) =>
      here.admin.call('post', `${site.base}/redirects`, { source, destination: { kind: 'url', url: '/' } })
    const responses = await Promise.all([
      redirect('/a'),
      here.admin.call('put', `${site.base}/customization`, {}),
      here.admin.call('delete', site.base),
      here.admin.call('post', `${site.base}/share-links`, { name: 'x' }),
      here.admin.call('post', `${site.base}/publishing/auth/regenerate`),
      here.admin.call('put', `${site.base}/adaptive-schema`, { jsonSchema }),
      redirect('/b'),
    ])
    for (const { status } of responses) assert.ok([200, 201, 204, 404].includes(status), String(status))
    assert.is(await documentsOf(site), 0)
  }
})

test('a site space has the customization of its site, except for its overrides', async () => {
  const site = await filled()
  await here.admin.call('post', `${site.base}/publish`).expect(200)
  const path = `${site.base}/site-spaces/${site.siteSpace}/customization`
  assert.equal((await here.admin.call('get', path).expect(200)).body, { styling: { font: 'Lato' } })
  const published = async () => (await here.admin.call('get', `${site.base}/published`).expect(200)).body.customizations
  const { site: whole, siteSpaces } = await published()
  assert.equal(siteSpaces[site.siteSpace], { ...whole, styling: { ...whole.styling, font: 'Lato' } })
  assert.equal([whole.title, whole.styling.font], ['Site', 'Inter'])
  await here.admin.call('put', path, { header: { logo: { light: 'javascript:1', dark: '/x' } } }).expect(400)
  await (await here.caller('create')).call('put', path, {}).expect(403)
  for (let i = 0; i < 2; i++) await here.admin.call('delete', path).expect(204)
  assert.equal((await published()).siteSpaces, {})
  const other = await makeSite(here)
  await here.admin.call('get', `${other.base}/site-spaces/${site.siteSpace}/customization`).expect(404)
  await here.admin.call('delete', `${other.base}/site-spaces/${site.siteSpace}/customization`).expect(404)
})

test('the customization of a site space is deleted with it', async () => {
  const site = await filled()
  assert.is(await documentsOf(site), 7)
  await here.admin.call('delete', `${site.base}/site-spaces/${site.siteSpace}`).expect(204)
  assert.is(await documentsOf(site), 6)
})

test('the events of the organization contain every site change without secrets', async () => {
  const site = await makeSite(here)
  const link = (await here.admin.call('post', `${site.base}/share-links`, { name: 'x' }).expect(201)).body
  const { privateKey } = (await here.admin.call('post', `${site.base}/publishing/auth/regenerate`).expect(200)).body
  await here.admin.call('put', `${site.base}/customization`, {}).expect(200)
  const all = await eventsOf(here.service.app.store, here.organization)
  const mine = all.filter(({ type, subject }) => subject.site === site.id && type === 'site.updated')
  assert.equal(mine.flatMap(({ data }) => data.changed as string[]).sort(), [
    'customization',
    'publishing-auth',
    'share-links',
  ])
  for (const secret of [privateKey, link.urls.published.split('/').at(-1)])
    assert.not.ok(JSON.stringify(all).includes(secret))
})

test.run()
