// Tests cached responses: compression, ETags, and their dependencies.
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request } from 'node:http'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { edit, publish, read } from './support.js'

const [test, here] = await suiteWith('site: kept responses', startService)
const LONG = `# Start\n\n${'A long text that is worth compressing. '.repeat(100)}\n`

/** Sends a request without the decompression and the fixed headers of fetch. */
function raw(
  address: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }> {
  return new Promise((done, failed) => {
    const sent = request(address, { method, headers }, (res) => {
      const pieces: Buffer[] = []
      res.on('data', (piece: Buffer) => pieces.push(piece))
      res.on('end', () => done({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(pieces) }))
    })
    sent.on('error', failed).end()
  })
}

test('a page has one ETag per content encoding, cached or not', async () => {
  const site = await publish(here, { Start: LONG })
  const address = `${site.address}/start`
  const tags = new Set<unknown>()
  for (let round = 0; round < 2; round++) {
    const plain = await raw(address, {})
    assert.is(plain.headers['content-encoding'], undefined)
    for (const [accept, coding, open] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ] as const) {
      const { headers, body } = await raw(address, { 'accept-encoding': accept })
      assert.is(headers['content-encoding'], coding)
      assert.is(headers['content-length'], String(body.length))
      assert.equal(open(body), plain.body)
      tags.add(headers.etag)
    }
    assert.is((await raw(address, { 'accept-encoding': 'br;q=0, identity' })).headers['content-encoding'], undefined)
    tags.add(plain.headers.etag)
    const known = await raw(address, { 'if-none-match': `"x", ${plain.headers.etag}` })
    assert.is(known.status, 304)
    assert.is(known.body.length, 0)
    assert.is(known.headers.etag, plain.headers.etag)
    assert.is(known.headers['content-length'], undefined)
    const head = await raw(address, {}, 'HEAD')
    assert.is(head.headers['content-length'], String(plain.body.length))
    assert.is(head.body.length, 0)
  }
  assert.is(tags.size, 1)
})

test('the ETag of a page is unchanged after changes to content that its reader cannot see', async () => {
  const secret = (text: string): string => `---\nif: "false"\n---\n\n# Secret\n\n${text}\n`
  const site = await publish(here, { Start: LONG, Secret: secret('one') })
  const before = await read(`${site.address}/start`)
  await edit(here, site.space, 'Secret', secret('two'))
  const after = await read(`${site.address}/start`)
  assert.is(after.headers.get('etag'), before.headers.get('etag'))
  await edit(here, site.space, 'Start', `${LONG}\nMore.\n`)
  assert.is.not((await read(`${site.address}/start`)).headers.get('etag'), before.headers.get('etag'))
})

test('a cached page is invalidated by its customization, structure and deletion', async () => {
  const site = await publish(here, { Start: LONG })
  const address = `${site.address}/start`
  const first = await read(address)
  assert.is((await read(address)).text, first.text)
  await here.admin.call('put', `${site.base}/customization`, { title: 'New name' }).expect(200)
  assert.match((await read(address)).text, 'New name')
  await here.admin.call('patch', `${site.base}/site-spaces/${site.siteSpace}`, { draft: true }).expect(200)
  assert.is((await read(address)).status, 404)
  await here.admin.call('patch', `${site.base}/site-spaces/${site.siteSpace}`, { draft: false }).expect(200)
  assert.is((await read(address)).status, 200)
  await here.admin.call('delete', `/v1/spaces/${site.space}`).expect(204)
  assert.is((await read(address)).status, 404)
})

test('a cached page is sent without reading or rendering anything', async () => {
  const site = await publish(here, { Start: LONG, Other: LONG })
  const { app } = here.service
  let work = 0
  const counted = <T extends object, K extends keyof T>(part: T, name: K): (() => void) => {
    const made = Reflect.get(part, name) as (...given: unknown[]) => unknown
    const own = Object.hasOwn(part, name)
    part[name] = function (this: unknown, ...given: unknown[]) {
      work++
      return made.apply(part, given)
    } as never
    return () => void (own ? Reflect.set(part, name, made) : Reflect.deleteProperty(part, name))
  }
  const restore = [counted(app.store, 'recorded'), counted(app.texts, 'bytes'), counted(app.git, 'open')]
  try {
    for (const path of ['start', 'other']) await read(`${site.address}/${path}`)
    const first = work
    assert.ok(first >= 3, String(first))
    for (const path of ['start', 'other', 'start']) assert.is((await read(`${site.address}/${path}`)).status, 200)
    assert.is(work, first)
  } finally {
    for (const undo of restore) undo()
  }
})

test('many readers of one page after a change all get the new text', async () => {
  const site = await publish(here, { Start: LONG })
  for (let round = 0; round < 5; round++) {
    await edit(here, site.space, 'Start', `${LONG}\nRound ${round}.\n`)
    const texts = await Promise.all(Array.from({ length: 20 }, () => read(`${site.address}/start`)))
    for (const { status, text } of texts) {
      assert.is(status, 200)
      assert.match(text, `Round ${round}.`)
    }
  }
})

test(
  'all readers who come after a push of plain Git get the new text',
  async () => {
    const site = await publish(here, { Start: 'The first text.' })
    const repository = join(here.dir, 'repos', `${site.space}.git`)
    const old = await git(repository, ['rev-parse', 'main'])
    await edit(here, site.space, 'Start', 'The second text.')
    const commits = [old, await git(repository, ['rev-parse', 'main'])] as const
    const readers = () => Promise.all(Array.from({ length: 20 }, () => read(`${site.address}/start.md`)))
    for (let round = 0; round < 10; round++) {
      const [commit, text] = round % 2 === 0 ? [commits[0], 'first'] : [commits[1], 'second']
      // Readers who came before the push may get either text.
      const earlier = readers()
      await git(repository, ['update-ref', 'refs/heads/main', commit])
      for (const answer of await readers()) assert.match(answer.text, `The ${text} text.`)
      for (const answer of await earlier) assert.match(answer.text, /The (?:first|second) text\./)
    }
  },
  { embeddedOnly: 'plain-git' },
)

test('a reader of an adaptive site gets a cached page only with the same claims', async () => {
  const site = await publish(
    here,
    { Start: '{% if visitor.claims.unsigned.isBeta == true %}\nFor beta readers.\n{% endif %}\n\nFor all.' },
    { adaptiveContent: { enabled: true } },
  )
  const schema = {
    type: 'object',
    properties: {
      unsigned: {
        type: 'object',
        properties: { isBeta: { type: 'boolean', description: 'Beta' } },
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  }
  await here.admin.call('put', `${site.base}/adaptive-schema`, { jsonSchema: schema }).expect(200)
  const cookie = (isBeta: boolean): string => `bindery-claims=${encodeURIComponent(JSON.stringify({ isBeta }))}`
  for (let round = 0; round < 3; round++) {
    for (const isBeta of [true, false]) {
      const { text, headers } = await read(`${site.address}/start`, { cookie: cookie(isBeta) })
      assert.is(text.includes('For beta readers.'), isBeta)
      assert.is(headers.get('cache-control'), 'private, no-cache')
    }
    assert.not.match((await read(`${site.address}/start`)).text, 'For beta readers.')
  }
  await here.admin.call('post', `${site.base}/unpublish`).expect(200)
  assert.is((await read(`${site.address}/start`, { cookie: cookie(true) })).status, 404)
})

test('scripts, styles and fonts have a hash in their name and are immutable in caches', async () => {
  const site = await publish(here, { Start: LONG })
  const { text } = await read(`${site.address}/start`)
  const names = [...text.matchAll(/(?:href|src)="([^"]*\/~assets\/[^"]*)"/g)].map(([, name]) => name as string)
  assert.ok(names.length >= 4)
  for (const name of names) {
    const { status, headers } = await read(new URL(name, site.address).href)
    assert.is(status, 200, name)
    assert.is(headers.get('cache-control'), 'public, max-age=31536000, immutable')
  }
  const sheet = names.find((name) => name.endsWith('.css')) as string
  const old = await read(new URL(sheet.replace(/-\w+\.css/, '-0123456789.css'), site.address).href)
  assert.is(old.status, 200)
  assert.is(old.headers.get('cache-control'), 'public, max-age=0, must-revalidate')
  assert.is((await read(new URL('nothing.js', new URL(sheet, site.address)).href)).status, 404)
})

test.run()
