import * as assert from 'uvu/assert'
import { deskOf } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { watched } from './watch.js'

// @own-process: it measures how fast responses come
const MB = 1024 * 1024
/** Maximum wait of other requests. The test machine is shared. ARCHITECTURE.md has the values of an idle one. */
/** Generous, because the machine may be busy with other tests. `scripts/hostile` measures. */
const BOUND_MS = 3_000

const rising = (size: number): string => {
  let text = ''
  for (let run = 1; text.length < size; run++) text += `${'`'.repeat(run)}a`
  return text
}
const nested = (size: number): string => {
  const round = Array.from({ length: 90 }, (_, depth) => `${' '.repeat(2 * depth)}- a\n`).join('')
  return round.repeat(Math.ceil(size / round.length))
}
const wide = (columns: number, rows: number): string =>
  `${'a|'.repeat(columns)}\n${'-|'.repeat(columns)}\n${'x\n'.repeat(rows)}`

const pages: Record<string, string> = {
  'table-1mb': `a|b|c\n-|-|-\n${'x\n'.repeat(MB / 2)}`,
  'table-2mb': `a|b\n-|-\n${'c|d\n'.repeat((2.4 * MB) / 4)}`,
  'small-wide': wide(500, 500),
  wide: wide(5_000, 2_000),
  ticks: rising(MB),
  nested: nested(MB),
  brackets: '*_['.repeat(60_000),
  headings: '# a\n'.repeat(MB / 4),
  details: '<details><summary>a</summary>\n\n'.repeat(30_000),
  large: 'word '.repeat(2 * MB),
}
const flows = Array.from({ length: 40 }, (_, index) => [
  `flow-${index}`,
  `---\na${index}: ${`{b${index}: `.repeat(20)}${'}'.repeat(20)}\nc: [${'d, '.repeat(15_000)}]\n---\n\nText.\n`,
])

let content: string
const read = (path: string) => fetch(`${here.url}${path}`, { headers: { Authorization: `Bearer ${here.admin.token}` } })

const [test, here] = await suiteWith('hostile pages, read over HTTP', () =>
  startService({ env: { BINDERY_CHECK_RESPONSES: 'false' } }),
)
test.before(async () => {
  const files = { ...pages, ...Object.fromEntries(flows), readme: '' }
  const space = (
    await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Hostile' }).expect(201)
  ).body.id
  const desk = await deskOf(here, space, {
    'README.md': 'line of a very large file\n'.repeat((30 * MB) / 26),
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`${name}.md`, text])),
    'SUMMARY.md': `# Table of contents\n\n* [Home](README.md)\n${Object.keys(files)
      .map((name) => `* [${name}](${name}.md)\n`)
      .join('')}`,
  })
  content = `${desk.url}/content`
})

for (const [name] of Object.entries(pages)) {
  test(`${name}: the hostile page is one code block with the reason and does not delay others`, async () => {
    const { result, health } = await watched(here.url, async () => {
      const response = await read(`${content}/path/${name}?format=document`)
      assert.is(response.status, 200)
      return (await response.json()) as {
        document: { data: { limit: string }; nodes: { type: string }[] }
        diagnostics: { code: string; message: string }[]
      }
    })
    assert.equal(
      result.document.nodes.map((node) => node.type),
      ['code'],
    )
    assert.match(result.document.data.limit, /^It (has|takes|is|comes)/)
    const [found] = result.diagnostics.filter((one) => one.code === 'too-costly')
    assert.ok(found?.message.endsWith(result.document.data.limit), found?.message)
    assert.ok(health.max < BOUND_MS, `healthz took ${health.max} ms`)
    const { markdown } = (await (await read(`${content}/path/${name}`)).json()) as { markdown: string }
    assert.ok(markdown === pages[name], 'its markdown is what was written')
  })
}

test('a file of 30 MB is not read, and its page states that', async () => {
  const tree = (await (await read(`${content}/pages`)).json()) as { pages: { id: string }[] }
  const { result, health } = await watched(here.url, async () => {
    const responses = await Promise.all(
      ['', '?format=document'].map((query) => read(`${content}/page/${tree.pages[0]?.id}${query}`)),
    )
    return Promise.all(
      responses.map((response) => response.json() as Promise<{ markdown?: string; diagnostics: { code: string }[] }>),
    )
  })
  for (const page of result) {
    assert.is(page.markdown, undefined)
    assert.is(page.diagnostics[0]?.code, 'too-costly')
  }
  assert.ok(health.max < BOUND_MS, `healthz took ${health.max} ms`)
})

test('forty pages of nested front matter are read, and the revision reports exceeded limits', async () => {
  const { result, health } = await watched(
    here.url,
    async () => (await read(content)).json() as Promise<{ diagnostics: { code: string; file: string }[] }>,
  )
  const costly = new Set(result.diagnostics.filter((one) => one.code === 'too-costly').map((one) => one.file))
  for (const name of [...Object.keys(pages).filter((one) => one !== 'small-wide'), 'README'])
    assert.ok(costly.has(`${name}.md`), name)
  assert.ok(health.max < BOUND_MS, `healthz took ${health.max} ms`)
})

test('a normal page is parsed while hostile pages wait', async () => {
  const again = Promise.all(
    Object.keys(pages).map((name) => read(`${content}/path/${name}?format=document&evaluated=true`)),
  )
  const from = performance.now()
  const response = await read(`${content}/path/flow-1?format=document`)
  assert.is(response.status, 200)
  assert.ok(performance.now() - from < 10_000)
  for (const one of await again) assert.is(one.status, 200)
})

test.run()
