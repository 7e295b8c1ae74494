// Tests generated pages of a specification as visitors get them: in the table of contents, by ID and in search, but not
// below hidden pages.
import * as assert from 'uvu/assert'
import { entry, operation, put, spaceWith } from '../openapi/fixture.js'
import { specText } from '../openapi/servers.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Json, newSite } from './http.js'

const [test, here] = await suiteWith('sites: computed pages for visitors', () =>
  startService({ env: { BINDERY_CHROMIUM: '/bin/false' } }),
)
const get = async (path: string): Promise<Json> => (await here.admin.call('get', path).expect(200)).body

test('visitors get generated pages, except those below a hidden page', async () => {
  await put(here, 'shop', specText({ paths: { '/pets': { get: operation('Get a walrus', ['pets']) } } }))
  await put(here, 'staff', specText({ paths: { '/staff': { get: operation('Get a narwhal', ['crew']) } } }))
  const below = entry('staff', { title: 'Staff reference' }).replaceAll(/^(?=.)/gm, '  ')
  const desk = await spaceWith(here, `\n## API\n\n${entry('shop')}\n## More\n\n* [Secret](secret.md)\n${below}`, {
    'secret.md': '---\nif: visitor.claims.a == true\n---\n\n# Secret\n',
  })
  const site = await newSite(here, { title: 'API' })
  const siteSpace = (await here.admin.call('post', `${site.base}/site-spaces`, { spaceId: desk.space }).expect(201))
    .body
  await here.admin.call('post', `${site.base}/publish`).expect(200)
  const base = `${site.base}/published/site-spaces/${siteSpace.id}/pages`
  const all = JSON.stringify(await get(`${desk.url}/content/pages`))
  const [shown, hidden] = ['pets', 'crew'].map(
    (title) => new RegExp(`"id":"([^"]+)","title":"${title}"`).exec(all)?.[1],
  ) as [string, string]
  assert.ok(shown && hidden, all)
  const listed = JSON.stringify(await get(`${base}?unsignedClaims=%7B%7D`))
  assert.match(listed, '"pets"')
  assert.not.match(listed, /crew|staff/i)
  assert.is((await get(`${base}/${shown}`)).title, 'pets')
  await here.admin.call('get', `${base}/${hidden}`).expect(404)
  // an entry that its pages replace is not a page
  const entries = [
    ...JSON.stringify(await get(`${desk.url}/content/pages?computed=false`)).matchAll(/"id":"([^"]+)"/g),
  ].map((match) => match[1])
  for (const id of entries) assert.ok([200, 404].includes((await here.admin.call('get', `${base}/${id}`)).status), id)
  const search = async (words: string): Promise<string[]> => {
    await here.admin.call('get', `${desk.url}/search?query=${words}`).expect(200)
    const { items } = await get(`${site.base}/published/search?query=${words}`)
    return items.flatMap((one: Json) => one.pages.map(({ title }: Json) => title))
  }
  assert.equal(await search('walrus'), ['pets'])
  assert.equal(await search('narwhal'), [])
})

test('an entry without a usable specification is not a page for visitors, until it has one', async () => {
  const desk = await spaceWith(here, entry('later'))
  const site = await newSite(here, { title: 'Later' })
  const { id } = (await here.admin.call('post', `${site.base}/site-spaces`, { spaceId: desk.space }).expect(201)).body
  await here.admin.call('post', `${site.base}/publish`).expect(200)
  const pages = `${site.base}/published/site-spaces/${id}/pages`
  const listed = await get(pages)
  assert.equal(
    listed.pages.map(({ title }: Json) => title),
    ['Home'],
  )
  await put(here, 'later', specText({ paths: { '/pets': { get: operation('Get a walrus', ['pets']) } } }))
  assert.match(JSON.stringify(await get(pages)), '"pets"')
})

test.run()
