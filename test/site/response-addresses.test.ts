import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { type Json, newSite } from '../sites/http.js'
import { addressesIn, type Opened, openAddress } from '../support/probe-responses.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { crawl } from './crawler.js'

const [test, here] = await suiteWith('site: addresses in responses', () => startService())

const post = async (path: string, body?: object): Promise<Json> => {
  const response = await here.admin.call('post', path, body)
  assert.ok(response.status < 300, `${path}: ${response.status} ${response.text}`)
  return response.body
}
const get = async (path: string): Promise<Json> => (await here.admin.call('get', path).expect(200)).body

const origins = () => ({ api: here.url, sites: here.service.sites })
const open = (address: string): Promise<Opened> => openAddress(address, origins(), here.admin.token)

/** A picture of one pixel; the number makes its bytes different. */
const picture = (number: number): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${number}" height="1"><rect width="1" height="1"/></svg>`)

const PICTURES = ['inline', 'cover', 'cover-dark', 'logo', 'logo-dark', 'icon', 'icon-dark', 'card']
const place = (name: string): string => `.gitbook/assets/${name}.svg`

const FILES = {
  'README.md': `# Start\n\nText.\n\n${PICTURES.map((name) => `![${name}](${place(name)})`).join('\n\n')}\n`,
  'covered.md': `---\ncover: ${place('cover')}\ncoverDark: ${place('cover-dark')}\nicon: gear\n---\n# Covered\n\nText.\n\n{% file src="data.csv" %}\n`,
  'data.csv': 'a,b\n',
  ...Object.fromEntries(PICTURES.map((name, index) => [place(name), picture(index + 1)])),
}

/** Publishes a site whose logos, icons and pictures are files of its space. Returns its path in the API. */
async function illustrated(): Promise<{ base: string; own: string; published: string }> {
  const desk = await openDesk(here, FILES)
  const site = await newSite(here, { title: 'Illustrated', spaces: [desk.space] })
  const { published } = (await post(`${site.base}/publish`)).urls
  const first = (await open(published)).bytes.toString()
  const files = new Map(
    [...first.matchAll(/src="([^"]*\/~files\/[^"]*\/([\w-]+)\.svg)"/g)].map(([, src = '', name = '']) => [name, src]),
  )
  const path = (name: string): string => new URL(files.get(name) ?? '', published).href.slice(published.length)
  const pair = (name: string) => ({ light: path(name), dark: path(`${name}-dark`) })
  await here.admin
    .call('put', `${site.base}/customization`, {
      header: { logo: pair('logo') },
      footer: { logo: pair('logo') },
      favicon: { icon: pair('icon') },
      socialPreview: { url: path('card') },
    })
    .expect(200)
  const icon = { light: published + path('icon'), dark: published + path('icon-dark') }
  await here.admin.call('patch', site.base, { icon: { icon } }).expect(200)
  await here.admin.call('patch', `/v1/orgs/${here.organization}`, { logo: published + path('logo') }).expect(200)
  return { base: site.base, own: desk.url, published }
}

/** Publishes sites that only some readers may open. Returns the start address, and the address that requires a key. */
async function gated(): Promise<{ paths: string[]; closed: string }> {
  const [shared, signedIn] = [await newSite(here, { title: 'Shared' }), await newSite(here, { title: 'Signed in' })]
  for (const [site, visibility] of [
    [shared, 'share-link'],
    [signedIn, 'visitor-auth'],
  ] as const) {
    await site.siteSpace('Text')
    await here.admin.call('patch', site.base, { visibility }).expect(200)
    await post(`${site.base}/publish`)
  }
  await post(`${shared.base}/share-links`, { name: 'Reviewers' })
  const fallbackURL = 'https://sign-in.example.org/'
  await here.admin.call('patch', `${signedIn.base}/publishing/auth`, { fallbackURL }).expect(200)
  const { published } = (await get(shared.base)).urls
  return { paths: [`${shared.base}/share-links`, signedIn.base], closed: published }
}

/** A service with a resource of most kinds. Returns the lists and resources to start at. */
async function fill(): Promise<{ paths: string[]; closed: string }> {
  const organization = `/v1/orgs/${here.organization}`
  const site = await newSite(here, { title: 'Docs', spaces: 'sample' })
  await site.section('Guides')
  const api = await site.section('API')
  await site.siteSpace('Version 1', api.id)
  await site.group('More', [api.id])
  await post(`${site.base}/publish`)
  const [{ space }] = (await get(`${site.base}/site-spaces`)).items
  const own = `/v1/spaces/${space.id}`
  const { number } = await post(`${own}/change-requests`, { subject: 'A change' })
  await post(`${own}/comments`, { body: { markdown: 'A remark' } })
  await here.admin.call('patch', organization, { inviteLinks: true }).expect(200)
  await post(`${organization}/link-invites`, { role: 'read' })
  await post(`${organization}/webhooks`, { url: 'https://example.org/hook', events: ['space.created'] })
  const { paths, closed } = await gated()
  const all = [
    ...['', '/spaces', '/sites', '/members', '/events', '/link-invites', '/webhooks', '/templates'].map(
      (path) => organization + path,
    ),
    ...['', '/sections', '/site-spaces', '/section-groups', '/structure', '/share-links', '/customization'].map(
      (path) => site.base + path,
    ),
    `${site.base}/published`,
    ...['', '/content', '/content/pages', '/content/files', '/change-requests', '/comments', '/revisions'].map(
      (path) => own + path,
    ),
    `${own}/change-requests/${number}`,
    ...paths,
    '/v1/user',
    '/v1/orgs',
    '/v1',
  ]
  return { paths: all, closed }
}

test('every address in the responses of a service exists', async () => {
  const { paths, closed } = await fill()
  const waiting = paths.map((path) => here.url + path)
  const seen = new Set(waiting)
  const kinds = { api: 0, sites: 0 }
  // Without its key, a site looks like a missing one. The preview and the share link open it.
  const isClosed = (url: string): boolean => url === closed || (url.startsWith(`${closed}/`) && !url.includes('/~'))
  for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
    const { status, type, bytes } = await open(url)
    assert.is(status, isClosed(url) ? 404 : 200, `${url}: ${status} ${bytes.toString().slice(0, 300)}`)
    kinds[url.startsWith(here.url) ? 'api' : 'sites']++
    const body: unknown = type.startsWith('application/json') ? JSON.parse(bytes.toString()) : null
    for (const found of addressesIn(body, origins()).filter((one) => !seen.has(one))) {
      seen.add(found)
      waiting.push(found)
    }
  }
  assert.ok(kinds.api > 40 && kinds.sites >= 8, JSON.stringify(kinds))
  assert.ok([...seen].some((url) => url.includes('/~share/')) && [...seen].some((url) => url.includes('/~auth/')))
})

/** Whether an address returned a picture. Vector pictures of the API are saved, because they can run scripts. */
const isPicture = ({ status, bytes }: Opened, name: string): boolean =>
  status === 200 && bytes.equals(picture(PICTURES.indexOf(name) + 1))

test('addresses of icons, logos, covers and files in responses return the right files', async () => {
  const { base, own, published } = await illustrated()
  const { icon } = await get(base)
  const { urls } = await get(`/v1/orgs/${here.organization}`)
  const { header, footer, favicon, socialPreview } = await get(`${base}/customization`)
  const named: [string, string][] = [
    [icon.icon.light, 'icon'],
    [icon.icon.dark, 'icon-dark'],
    [urls.logo, 'logo'],
    ...[header, footer].flatMap(({ logo }): [string, string][] => [
      [published + logo.light, 'logo'],
      [published + logo.dark, 'logo-dark'],
    ]),
    [published + favicon.icon.light, 'icon'],
    [published + favicon.icon.dark, 'icon-dark'],
    [published + socialPreview.url, 'card'],
  ]
  const { pages } = await get(`${own}/content/pages`)
  const { cover } = (pages as Json[]).find(({ path }) => path === 'covered')
  for (const [reference, name] of [
    [cover.ref, 'cover'],
    [cover.refDark, 'cover-dark'],
  ]) {
    assert.is(reference.kind, 'file')
    named.push([(await get(`${own}/content/files/${reference.file}`)).downloadURL, name])
  }
  for (const [address, name] of named) assert.ok(isPicture(await open(address), name), `${name}: ${address}`)
  const { items } = await get(`${own}/content/files?limit=100`)
  assert.is(items.length, PICTURES.length + 1)
  for (const { downloadURL, size } of items) assert.is((await open(downloadURL)).bytes.length, size, downloadURL)
})

test('pages of sites load only pictures that exist, published and in the preview', async () => {
  const { base } = await illustrated()
  const { published, preview } = (await get(base)).urls
  for (const address of [published, preview]) {
    const { reads, references } = await crawl(address)
    const bad = [...reads.values()].filter(({ status }) => status >= 400)
    assert.equal(
      bad.map(({ path, status }) => [path, status]),
      [],
    )
    const shown = references.filter(({ kind, to }) => kind === 'picture' || /\/~files\/.*\.svg$/.test(to.pathname))
    const names = new Set(shown.map(({ to }) => /([\w-]+)\.svg$/.exec(to.pathname)?.[1]))
    assert.equal([...names].filter(Boolean).sort(), [...PICTURES].sort())
    for (const { to } of shown) assert.is(reads.get(to.pathname + to.search)?.type, 'image/svg+xml', to.href)
    const [, card = ''] = /property="og:image" content="([^"]+)"/.exec((await open(address)).bytes.toString()) ?? []
    assert.ok(isPicture(await open(card), 'card'), card)
  }
})

test.run()
