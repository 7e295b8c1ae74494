// Tests the files of a repository that pages of a site show.
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publish, read } from './support.js'

const [test, here] = await suiteWith('site: files', startService)

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
const HTML = Buffer.from('<script>alert(1)</script>')

/** Adds a file to a space, and a page that shows it. Returns the address of the file on the page. */
async function fileOf(
  site: Awaited<ReturnType<typeof publish>>,
  name: string,
  bytes: Buffer,
  cookie = '',
): Promise<string> {
  const { call } = here.admin
  const page = name.replace(/\W/g, '')
  const changes = [
    { operation: 'insert_files', files: [{ name, ref: 'file', base64: bytes.toString('base64') }] },
    {
      operation: 'insert_page',
      title: page,
      document: { markdown: `# ${page}\n\n[it](/files/file)\n` },
    },
  ]
  await call('post', `/v1/spaces/${site.space}/content`, { changes }).expect(200)
  const { text } = await read(`${site.address}/${page}`, { cookie })
  const href = /href="([^"]*\/~files\/[^"]*)"/.exec(text)?.[1]
  assert.ok(href, text)
  return new URL(href, site.address).href
}

/** The page for a missing address repeats the requested path, and suggests pages with similar paths. */
const withoutPath = (html: string): string =>
  html
    .replace(/404 [^<]*</, '404 <')
    .replace(/ value="[^"]*"/, '')
    .replace(/<h2>Pages with.*?<\/ul>/s, '')

test('a picture has its type, its object ID as ETag, ranges, and a policy without scripts', async () => {
  const site = await publish(here, { Start: '# Start\n' })
  const address = await fileOf(site, 'dot.png', PNG)
  const whole = await fetch(address)
  assert.is(whole.status, 200)
  assert.equal(Buffer.from(await whole.arrayBuffer()), PNG)
  assert.is(whole.headers.get('content-type'), 'image/png')
  assert.match(whole.headers.get('content-disposition')!, /^inline/)
  assert.match(whole.headers.get('content-security-policy')!, "default-src 'none'")
  assert.is(whole.headers.get('x-content-type-options'), 'nosniff')
  assert.is(whole.headers.get('cache-control'), 'public, max-age=0, must-revalidate')
  const etag = whole.headers.get('etag')!
  assert.match(etag, /^"[0-9a-f]{40}"$/)
  assert.is((await fetch(address, { headers: { 'If-None-Match': etag } })).status, 304)
  const part = await fetch(address, { headers: { Range: 'bytes=1-3' } })
  assert.is(part.status, 206)
  assert.is(part.headers.get('content-range'), `bytes 1-3/${PNG.length}`)
  assert.is(await part.text(), 'PNG')
  const beyond = await fetch(address, { headers: { Range: `bytes=${PNG.length}-` } })
  assert.is(beyond.status, 416)
  assert.match(beyond.headers.get('content-type')!, 'text/html')
  const head = await fetch(address, { method: 'HEAD' })
  assert.is(head.headers.get('content-length'), String(PNG.length))
})

test('a picture without a file extension has the type of its bytes', async () => {
  const site = await publish(here, { Start: '# Start\n' })
  const picture = await fetch(await fileOf(site, 'lens', PNG))
  assert.is(picture.headers.get('content-type'), 'image/png')
  assert.match(picture.headers.get('content-disposition')!, /^inline/)
  assert.equal(Buffer.from(await picture.arrayBuffer()), PNG)
  const other = await fetch(await fileOf(site, 'page', HTML))
  assert.is(other.headers.get('content-type'), 'application/octet-stream')
  assert.match(other.headers.get('content-disposition')!, /^attachment/)
})

test('file types that can run scripts are downloaded, and an SVG is shown in a sandbox', async () => {
  const site = await publish(here, { Start: '# Start\n' })
  const page = await read(await fileOf(site, 'evil page.html', HTML))
  assert.is(page.headers.get('content-type'), 'application/octet-stream')
  assert.match(page.headers.get('content-disposition')!, /^attachment; filename="evil page.html"/)
  const picture = await read(await fileOf(site, 'evil.svg', SVG))
  assert.is(picture.headers.get('content-type'), 'image/svg+xml')
  for (const { headers } of [page, picture]) assert.match(headers.get('content-security-policy')!, /; sandbox$/)
})

test('a file that no page refers to gets the same response as any missing address', async () => {
  const site = await publish(here, { Start: '# Start\n', Pro: '---\nif: "false"\n---\n\n# Secret\n' })
  const address = await fileOf(site, 'dot.png', PNG)
  const absent = await read(`${site.address}/nothing`)
  const forged = [
    address.replace(/~files\/(.)/, (_, first: string) => `~files/${first === 'A' ? 'B' : 'A'}`),
    address.replace('dot.png', 'other.png'),
    address.replace(/~files\/[^/]+\/.*$/, '~files/AAAAAAAAAAAAAAAAAAAAAA/pro.md'),
  ]
  // These are not paths of any site.
  for (const name of ['dot.png%00', '%ff']) assert.is((await read(address.replace('dot.png', name))).status, 404)
  for (const one of forged) {
    const { status, text } = await read(one)
    assert.is(status, 404, one)
    assert.is(withoutPath(text), withoutPath(absent.text))
  }
  await here.admin.call('post', `${site.base}/unpublish`).expect(200)
  assert.is((await read(address)).status, 404)
})

test('only its readers get the files of a site that is not public', async () => {
  const site = await publish(here, { Start: '# Start\n' }, { visibility: 'share-link' })
  const link = (await here.admin.call('post', `${site.base}/share-links`, { name: 'Team' }).expect(201)).body
  const cookie = `bindery-share=${(await read(link.urls.published)).cookies.get('bindery-share')!.value}`
  const address = await fileOf(site, 'dot.png', PNG, cookie)
  assert.is((await read(address)).status, 404)
  const seen = await read(address, { cookie })
  assert.is(seen.status, 200)
  assert.is(seen.headers.get('cache-control'), 'private, no-cache')
  assert.is(seen.headers.get('x-robots-tag'), 'noindex')
})

test.run()
