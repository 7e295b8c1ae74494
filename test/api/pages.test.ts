import request from 'supertest'
import * as assert from 'uvu/assert'
import { deskRoutes } from '../support/desk-routes.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('api: pages', () => startService({ env: { BINDERY_SAMPLE_SITE: 'true' } }))

/** The header of a browser that opens a page. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const open = (path: string, accept = BROWSER) => request(here.url).get(path).set('Accept', accept)

test("the app's addresses return the app to browsers and JSON to programs", async () => {
  for (const path of ['/', '/sign-in', '/invite', '/s/nothing/p/nothing', '/sites/x']) {
    const { headers } = await open(path).expect(200).expect('Content-Type', /html/)
    assert.match(String(headers.vary), /, Accept$/)
  }
  for (const accept of ['*/*', 'application/json', ''])
    await open('/', accept).expect(404).expect('Content-Type', 'application/json; charset=utf-8')
  const sample = (text: string) => /data-sample="([^"]*)"/.exec(text)?.[1]
  assert.is(sample((await open('/')).text), `${here.service.sites}/${here.organization}/bindery`)
  const [site] = (await here.admin.call('get', `/v1/orgs/${here.organization}/sites`).expect(200)).body.items
  await here.admin.call('delete', `/v1/orgs/${here.organization}/sites/${site.id}`).expect(204)
  assert.is(sample((await open('/')).text), undefined)
})

test('the server sends the app at the address of every route of the app', async () => {
  const routes = deskRoutes()
  assert.ok(routes.length > 40)
  for (const route of routes) await open(route.replaceAll(':', 'x')).expect(200).expect('Content-Type', /html/)
})

test('a browser gets an error page for each missing address, except below /v1', async () => {
  for (const path of ['/nothing', '/docs/nothing', '/signin', '/v10']) {
    const { text } = await open(path).expect(404).expect('Content-Type', 'text/html; charset=utf-8')
    assert.match(text, '<h1>Page not found</h1>')
    await open(path, '*/*')
      .expect(404)
      .expect('Content-Type', /json|text\/plain/)
  }
  for (const path of ['/v1/nothing', '/v1/spaces/nothing'])
    await open(path).expect('Content-Type', 'application/json; charset=utf-8')
  await request(here.url).post('/nothing').set('Accept', BROWSER).expect(404)
})

test('the pages load only files from this server, and have no inline script or style', async () => {
  const files = new Set<string>()
  for (const path of ['/', '/sign-in', '/invite', '/nothing']) {
    const { text, headers } = await open(path)
    assert.match(
      String(headers['content-security-policy']),
      /default-src 'none'; script-src 'self'; style-src 'self'( 'nonce-[\w-]{22}')?;/,
    )
    assert.not.match(text, /<style|\sstyle=|<script>|\son\w+=/)
    for (const [, file] of text.matchAll(/<(?:link|script)[^>]* (?:href|src)="([^"]+)"/g)) files.add(file as string)
  }
  const names = new Set([...files].map((file) => file.replace(/-[A-Z0-9]{8}(?=\.)/, '')))
  assert.equal([...names].sort(), [
    '/pages/ibm-plex-sans.woff2',
    '/pages/style.css',
    '/~desk/chunk.js',
    '/~desk/early.js',
    '/~desk/home.js',
    '/~desk/ibm-plex-sans-latin-400-normal.woff2',
    '/~desk/main.css',
    '/~desk/main.js',
    '/~desk/sign-in.js',
  ])
  for (const file of files) await request(here.url).get(file).expect(200)
  assert.not.match((await request(here.url).get('/pages/style.css').expect(200)).text, /https?:|@import/)
})

test.run()
