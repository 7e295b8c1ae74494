import { createServer, request as forward } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import request, { type Response } from 'supertest'
import * as assert from 'uvu/assert'
import { type Json, newSite, type SiteClient } from '../sites/http.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('site: hosts', () => startService())

const patch = (path: string, body: object, status = 200) => here.admin.call('patch', path, body).expect(status)
const organization = (): string => `/v1/orgs/${here.organization}`
const port = (): string => new URL(here.service.sites).port
/** A request of a reader to the server of the sites, under a host name. */
const read = (host: string, path: string) =>
  request(`http://127.0.0.1:${port()}`).get(path).set('Host', host).redirects(0)

/** A published site with a start page, a linked page in a group, and a redirect to it. */
async function handbook(title: string): Promise<SiteClient & { siteSpace: never; basename: string }> {
  const site = await newSite(here, { title, spaces: 'empty' })
  const { items } = (await here.admin.call('get', `${site.base}/site-spaces`).expect(200)).body as Json
  await here.admin
    .call('post', `/v1/spaces/${items[0].space.id}/content`, {
      changes: [
        { operation: 'insert_page', title: 'Install', ref: 'i', document: { markdown: '# Install\n\nRun it.\n' } },
        {
          operation: 'insert_page',
          title: 'Start',
          at: 0,
          document: { markdown: '# Start\n\nRead [Install](/pages/i).\n' },
        },
      ],
    })
    .expect(200)
  await here.admin
    .call('post', `${site.base}/redirects`, {
      source: '/setup',
      destination: { kind: 'url', url: 'https://example.org/setup' },
    })
    .expect(201)
  const { basename } = (await here.admin.call('post', `${site.base}/publish`).expect(200)).body as Json
  return { ...site, siteSpace: undefined as never, basename }
}

/** The addresses of all links and files of a page, as a browser at `url` resolves them. */
const linksOf = (html: string, url: string): URL[] =>
  [...html.matchAll(/ (?:href|src)="([^"]+)"/g)]
    .map((match) => new URL((match[1] as string).replaceAll('&amp;', '&'), url))
    .filter(({ protocol }) => protocol.startsWith('http'))

/** A PDF is at another address, and a bundle is made in the background. */
const statusesOf = (path: string): number[] =>
  path.includes('/~pdf/') ? [302] : path.endsWith('/~bundle') ? [200, 202] : [200]

/** Opens a page and everything that it links on the same host. Returns the paths. */
async function follow(host: string, path: string): Promise<string[]> {
  const page: Response = await read(host, path).expect(200)
  const own = linksOf(page.text, `http://${host}${path}`).filter((link) => link.host === host)
  for (const link of own) {
    const { status } = await read(host, link.pathname)
    assert.ok(statusesOf(link.pathname).includes(status), `${link.pathname}: ${status}`)
  }
  return [...new Set(own.map(({ pathname }) => pathname))]
}

test('a site is served below its organization and on both custom hostnames', async () => {
  const site = await handbook('Handbook')
  const under = async (): Promise<URL> => new URL((await patch(site.base, {})).body.urls.published)
  const check = async (url: URL): Promise<void> => {
    const paths = await follow(url.host, url.pathname)
    const base = url.pathname.replace(/\/$/, '')
    assert.ok(paths.includes(`${base}/install`), `${url}: ${paths}`)
    for (const path of paths) assert.ok(`${path}/`.startsWith(`${base}/`), `${url}: ${path}`)
    const text = (await read(url.host, `${base}/install`).expect(200)).text
    assert.match(text, `<link rel="canonical" href="${url.origin}${base}/install"`)
    await read(url.host, `${base}/nothing`).expect(404)
    assert.is((await read(url.host, `${base}/start`).expect(301)).headers.location, base || '/')
  }
  const byId = await under()
  assert.is(byId.href, `${here.service.sites}/${here.organization}/handbook`)
  await check(byId)
  await patch(organization(), { hostname: 'acme-docs' })
  await check(await under())
  await patch(organization(), { customHostname: 'docs.acme.example' })
  assert.is((await under()).href, `http://docs.acme.example:${port()}/handbook`)
  await check(await under())
  await patch(site.base, { hostname: 'handbook.acme.example' })
  assert.is((await under()).href, `http://handbook.acme.example:${port()}/`)
  await check(await under())
  // The earlier addresses still work, and every link stays on the host name of the request.
  for (const path of [`/${here.organization}/handbook`, '/acme-docs/handbook', '/acme%2Ddocs/h%61ndbook']) {
    const paths = await follow(`127.0.0.1:${port()}`, path)
    assert.ok(
      paths.some((one) => one.endsWith('/handbook/install')),
      `${path}: ${paths}`,
    )
  }
  assert.ok((await follow(`docs.acme.example:${port()}`, '/handbook')).includes('/handbook/install'))
  await patch(organization(), { customHostname: null })
})

test('each organization has a hostname below a wildcard origin', async () => {
  const { settings } = here.service.app
  const before = settings.sites
  settings.sites = { origin: `http://docs.test:${port()}`, perOrganization: true }
  const site = await handbook('Manual')
  const other = (await here.admin.call('post', '/v1/orgs', { title: 'Other' }).expect(201)).body.id
  await patch(organization(), { hostname: 'acme-docs' })
  await patch(`/v1/orgs/${other}`, { hostname: 'other-docs' })
  assert.is((await patch(site.base, {})).body.urls.published, `http://acme-docs.docs.test:${port()}/manual`)
  assert.ok((await follow(`acme-docs.docs.test:${port()}`, '/manual')).includes('/manual/install'))
  for (const host of ['other-docs.docs.test', 'nobody.docs.test', 'a.acme-docs.docs.test'])
    await read(host, '/manual').expect(404)
  // No site takes the host name of another organization, or that of the service.
  for (const hostname of ['other-docs.docs.test', 'new.other-docs.docs.test']) {
    await patch(site.base, { hostname }, 400)
    await patch(organization(), { customHostname: hostname }, 400)
  }
  await patch(organization(), { customHostname: 'docs.test' }, 400)
  // The hostname was set before the operator chose this origin.
  settings.sites = before
  await patch(site.base, { hostname: 'other-docs.docs.test' })
  settings.sites = { origin: `http://docs.test:${port()}`, perOrganization: true }
  await read('other-docs.docs.test', '/install').expect(404)
  await patch(site.base, { hostname: null })
  settings.sites = before
})

test('the root of an organization redirects to its default site', async () => {
  const site = await handbook('Home')
  const paths = [`/${here.organization}`, `/${here.organization}/`]
  const root = async (path: string): Promise<[number, string | undefined]> => {
    const { status, headers } = await read(`127.0.0.1:${port()}`, path)
    return [status, headers.location]
  }
  for (const path of paths) assert.equal(await root(path), [404, undefined])
  await patch(organization(), { defaultContent: { type: 'site', site: site.id } })
  const { published } = (await patch(site.base, {})).body.urls
  for (const path of paths) assert.equal(await root(path), [302, published])
  await patch(organization(), { customHostname: 'docs.acme.example' })
  const there = await read('docs.acme.example', '/').expect(302)
  assert.is(there.headers.location, `http://docs.acme.example:${port()}/home`)
  await patch(organization(), { customHostname: null })
  // The address of a site that only share links open is a secret.
  await patch(site.base, { visibility: 'share-link' })
  for (const path of paths) assert.equal(await root(path), [404, undefined])
  await patch(site.base, { visibility: 'public' })
  await here.admin.call('post', `${site.base}/unpublish`).expect(200)
  for (const path of paths) assert.equal(await root(path), [404, undefined])
})

test('all links of a site behind a proxy stay below its public path', async () => {
  const site = await handbook('Proxied')
  const { proxy } = (await patch(site.base, { proxy: 'acme.example/help/docs' })).body
  const target = new URL(proxy.target)
  const server = createServer((from, to) => {
    const rest = (from.url as string).replace(/^\/help\/docs/, '')
    const options = { host: '127.0.0.1', port: port(), path: target.pathname + rest, headers: { host: target.host } }
    forward(options, (answer) => {
      to.writeHead(answer.statusCode as number, answer.headers)
      answer.pipe(to)
    }).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const front = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const open = (path: string) => request(front).get(path).redirects(0)
  const seen = new Set<string>()
  for (const path of ['/help/docs', '/help/docs/install', '/help/docs/nothing']) {
    const { text, status } = await open(path)
    assert.is(status, path.endsWith('nothing') ? 404 : 200)
    for (const link of linksOf(text, front + path)) {
      if (link.origin === 'https://acme.example' || link.pathname === path) continue
      assert.is(link.origin, front)
      assert.match(`${link.pathname}/`, /^\/help\/docs\//, `${path}: ${link}`)
      const followed = (await open(link.pathname)).status
      assert.ok(statusesOf(link.pathname).includes(followed), `${link.pathname}: ${followed}`)
      seen.add(link.pathname)
    }
  }
  assert.ok(seen.has('/help/docs/install') && [...seen].some((path) => path.startsWith('/help/docs/~assets/')))
  assert.match((await open('/help/docs/install')).text, 'rel="canonical" href="https://acme.example/help/docs/install"')
  assert.is((await open('/help/docs/start').expect(301)).headers.location, '/help/docs')
  assert.is((await open('/help/docs/setup').expect(301)).headers.location, 'https://example.org/setup')
  await new Promise((done) => server.close(done))
})

test('a proxy can look up the hostnames that need a certificate', async () => {
  const site = await handbook('Certified')
  await patch(site.base, { hostname: 'certified.acme.example' })
  await patch(organization(), { customHostname: 'docs.acme.example' })
  const ask = async (domain: string): Promise<number> => {
    const { status, text } = await read('127.0.0.1', `/~host?domain=${encodeURIComponent(domain)}`)
    assert.is(text, '')
    return status
  }
  for (const known of ['certified.acme.example', 'CERTIFIED.acme.example', 'docs.acme.example', '127.0.0.1'])
    assert.is(await ask(known), 200, known)
  for (const unknown of ['', 'acme.example', 'www.docs.acme.example', '..', `${'a'.repeat(300)}.example`, 'acme-docs'])
    assert.is(await ask(unknown), 404, unknown)
  await read('127.0.0.1', '/~host').expect(404)
  await patch(organization(), { customHostname: null })
  assert.is(await ask('docs.acme.example'), 404)
})

/** Sends the first lines of a request byte for byte. Returns the status and the text of the response. */
const sendLines = (lines: readonly string[]): Promise<[status: number, text: string]> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port()), '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
    let text = ''
    socket.on('data', (part) => (text += part))
    socket.on('error', reject)
    socket.on('close', () => resolve([Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? 0), text]))
  })

test('a hostname leads to its site in every notation', async () => {
  const site = await handbook('Notations')
  const other = await handbook('Others')
  await patch(site.base, { hostname: 'notations.acme.example' })
  await patch(other.base, { hostname: 'others.acme.example' })
  const ask = async (target: string, host: string): Promise<string> => {
    const [status, text] = await sendLines([`GET ${target} HTTP/1.1`, `Host: ${host}`, 'Connection: close'])
    return `${status} ${/<title>([^<]*)/.exec(text)?.[1] ?? ''}`
  }
  const own = await ask('/install', 'notations.acme.example')
  assert.match(own, /^200 .*Notations/)
  for (const host of ['NOTATIONS.acme.Example', 'notations.acme.example.', `notations.acme.example:${port()}`])
    assert.is(await ask('/install', host), own, host)
  // The address of the request line counts, and not the header.
  assert.is(await ask('http://notations.acme.example/install', 'others.acme.example'), own)
  assert.is(await ask(`http://notations.acme.example:${port()}/install?x#y`, 'others.acme.example'), own)
  assert.is(await ask('/install', 'notations.acme.example..'), await ask('/install', 'nobody.example'))
  for (const target of ['http://[::1', 'http://a:99999/', 'ftp://notations.acme.example/install', 'install', '*'])
    assert.is(await ask(target, 'notations.acme.example'), '400 ', target)
})

test.run()
