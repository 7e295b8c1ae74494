/** Tests pages of a published site: blocks, icons and fonts, as a reader receives them. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { entry, operation, put, spaceWith } from '../openapi/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('site/blocks', startService)

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="280"/>'
const fixture = readFileSync(new URL('./fixtures/every-block.md', import.meta.url), 'utf8')
const run = operation('Run a flow', ['Flows'], {
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'Which flow' }],
})
await put(here, 'flows', { '/flows/{id}': { get: run } })
const block = '{% openapi-operation spec="flows" path="/flows/{id}" method="get" %}\n{% endopenapi-operation %}\n'
const { space } = await spaceWith(here, `* [Blocks](blocks.md)\n* [Call](call.md)\n${entry('flows')}`, {
  'blocks.md': fixture,
  'call.md': `# Call\n\n${block}`,
  'page.md': '---\ndescription: What the probes mean\n---\n\n# Health checks\n',
  'values-production.yaml': 'a: 1\n',
  'light.svg': SVG,
  'dark.svg': SVG,
  'small.svg': SVG,
})
const sites = `/v1/orgs/${here.organization}/sites`
const made = { title: 'Docs', spaces: [space], visibility: 'public' }
const { id } = (await here.admin.call('post', sites, made).expect(201)).body
const site = (await here.admin.call('post', `${sites}/${id}/publish`).expect(200)).body.urls.published as string

async function get(url: string): Promise<{ status: number; type: string; body: string; bytes: Buffer }> {
  const response = await fetch(url)
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, type: response.headers.get('Content-Type') ?? '', body: bytes.toString(), bytes }
}

test('every block is rendered on a page', async () => {
  const { status, body } = await get(`${site}/blocks`)
  assert.is(status, 200)
  assert.not.match(body, / style=/)
  const prose = body.slice(body.indexOf('<div class="prose">'))
  // Pictures have the size of their files, so that they cause no layout shift.
  assert.match(prose, /<img src="[^"]*\/~files\/[^"]*light\.svg" width="640" height="280"/)
  assert.match(prose, /<img src="[^"]*light\.svg" width="320" height="140" class="sized"/)
  assert.match(prose, /download>values-production\.yaml<\/a><\/p><p class="meta">YAML, 5 B<\/p>/)
  assert.not.match(prose, /Only readers with the plan/)
  const ids = [...prose.matchAll(/ id="([^"]+)"/g)].map(([, one]) => one)
  assert.equal(ids.length, new Set(ids).size)
})

test('each used icon is in the document once, and no other icon', async () => {
  const { body } = await get(`${site}/blocks`)
  const symbols = [...body.matchAll(/<symbol id="([^"]+)"/g)].map(([, one]) => one)
  const used = [...body.matchAll(/<use href="#([^"]+)"/g)].map(([, one]) => one)
  assert.equal([...symbols].sort(), [...new Set(used)].sort())
  assert.ok(symbols.includes('i-fa~github') && symbols.includes('i-fa~gears') && symbols.includes('i-copy'))
})

test('an operation is rendered in a block and on its generated page', async () => {
  const { pages } = (await here.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)).body
  const paths = JSON.stringify(pages).match(/"path":"[^"]*"/g) ?? []
  const generated = paths.map((path) => path.slice('"path":"'.length, -1)).filter((path) => /flows/.test(path))
  assert.ok(generated.length > 0)
  for (const path of ['call', ...generated]) {
    const { status, body } = await get(`${site}/${path}`)
    assert.is(status, 200, path)
    assert.match(body, /<span class="method get">GET<\/span><span class="path">\/flows\/<b>\{id\}<\/b><\/span>/, path)
    assert.match(body, /Which flow/)
    assert.match(body, /<p class="panel-title">Request<\/p>.*curl/s)
  }
})

test('the style sheet is small, and its fonts are served from the same host', async () => {
  const { body } = await get(`${site}/blocks`)
  const [, sheet = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(body) ?? []
  const { status, body: css, bytes } = await get(new URL(sheet, site).href)
  assert.is(status, 200)
  assert.ok(gzipSync(bytes, { level: 9 }).length <= 14_000, `${gzipSync(bytes, { level: 9 }).length} bytes`)
  const urls = [...css.matchAll(/url\(([^)]+)\)/g)].map(([, url = '']) => url)
  assert.ok(urls.length > 10)
  for (const url of urls) {
    const font = await get(new URL(url, new URL(sheet, site)).href)
    assert.is(font.status, 200, url)
    assert.is(font.type, 'font/woff2')
  }
  const families = new Set([...css.matchAll(/@font-face\{font-family:"([^"]+)"/g)].map(([, family = '']) => family))
  const expected = ['Arabic', 'Devanagari', 'Hebrew', 'Thai'].map((script) => `Noto Sans ${script}`)
  const own = ['IBM Plex Mono', 'IBM Plex Mono Fallback', 'Inter', 'Inter Fallback']
  assert.equal([...families].sort(), [...own, ...expected, 'STIX Two Web'].sort())
  const preloaded = [...body.matchAll(/<link rel="preload" href="([^"]+)"/g)].map(([, url = '']) => url)
  assert.match(preloaded.join(), /inter-latin-wght.*ibm-plex-mono-latin-400/)
})

test.run()
