import * as assert from 'uvu/assert'
import { deskOf, type Desk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { watched } from './watch.js'

// @own-process: it measures what the main thread does, and how fast responses come
const MB = 1024 * 1024
/** Generous, because the machine may be busy with other tests. `scripts/hostile` measures. */
const BOUND_MS = 3_000

let desk: Desk
const [test, here] = await suiteWith('hostile texts, written over HTTP', () =>
  startService({ env: { BINDERY_CHECK_RESPONSES: 'false' } }),
)
test.before(async () => {
  const space = (
    await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Hostile' }).expect(201)
  ).body.id
  desk = await deskOf(here, space, {
    'README.md': '# Home\n',
    'page.md': '# Page\n\nText.\n',
    'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [Page](page.md)\n',
  })
})

const leaf = (text: string, marks: object[] = []) => ({ object: 'leaf', text, marks })
const paragraph = (...leaves: object[]) => ({ object: 'block', type: 'paragraph', nodes: [{ object: 'text', leaves }] })
const tree = (...nodes: object[]) => ({ document: { object: 'document', data: {}, nodes } })

/** The rejected texts, and the field that the error names. */
const refused: Record<string, [document: object, path: string]> = {
  'a block tree of markers': [tree(paragraph(leaf('*_['.repeat(60_000)))), '/changes/0/document'],
  'a block tree of paragraphs': [
    tree(...Array.from({ length: 28_000 }, () => paragraph(leaf('*a*_b_[c]~d~')))),
    '/changes/0/document',
  ],
  'a block tree of tiny leaves': [
    tree(
      paragraph(...Array.from({ length: 60_000 }, (_, index) => leaf('a*', [{ type: index % 2 ? 'bold' : 'italic' }]))),
    ),
    '/changes/0/document',
  ],
  'a block tree of a long text': [tree(paragraph(leaf('word '.repeat(MB)))), '/changes/0/document'],
  'a table without a leading bar': [
    { markdown: `a|b|c\n-|-|-\n${'x\n'.repeat(MB / 2)}` },
    '/changes/0/document/markdown',
  ],
  'rising backticks': [
    { markdown: Array.from({ length: 1_400 }, (_, run) => `${'`'.repeat(run + 1)}a`).join('') },
    '/changes/0/document/markdown',
  ],
  'a very long page': [{ markdown: 'word '.repeat((2 * MB) / 5) }, '/changes/0/document/markdown'],
}
for (const [name, [document, path]] of Object.entries(refused)) {
  test(`${name}: the hostile write is a 413 with the field and does not delay other requests`, async () => {
    const changes = [{ operation: 'update_page', page: await desk.id('page'), document }]
    const { result, health } = await watched(here.url, () =>
      fetch(`${here.url}${desk.url}/content`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${here.admin.token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ changes }),
      }),
    )
    const text = await result.text()
    assert.is(result.status, 413, text.slice(0, 300))
    assert.is(JSON.parse(text).error.details?.[0]?.path, path, text.slice(0, 300))
    assert.ok(health.max < BOUND_MS, `healthz took ${health.max} ms`)
  })
}

const entries = (bytes: number): string =>
  Array.from({ length: Math.ceil(bytes / 24) }, (_, index) => `* [Page ${index}](p${index}.md)\n`).join('')
const shapes: Record<string, Record<string, string>> = {
  'a table of contents of a megabyte': {
    'SUMMARY.md': `# Table of contents\n\n* [Home](README.md)\n* [Page](page.md)\n${entries(MB)}`,
  },
  'a table of contents with slow labels': {
    'SUMMARY.md': `# Table of contents\n\n* [Home](README.md)\n* [Page](page.md)\n${`* ${'*_['.repeat(300)}\n`.repeat(size(100, 1_000))}`,
  },
  'variables in flow maps': { '.gitbook/vars.yaml': `a: [${'{b: c}, '.repeat(25_000)}]\n${'}'.repeat(50_000)}\n` },
  'variables of many anchors': { '.gitbook/vars.yaml': `a: ${'&a '.repeat(80_000)}\n` },
  'a deeply nested configuration': {
    '.gitbook.yaml': `root: ./\nstructure: ${'{a: '.repeat(20_000)}${'}'.repeat(20_000)}\n`,
  },
  'a configuration of tags': { '.gitbook.yaml': `structure: ${'!!a '.repeat(60_000)}\n` },
}
for (const [name, files] of Object.entries(shapes)) {
  test(`${name}: the revision reports the unusable content and does not delay other requests`, async () => {
    const before = Object.fromEntries(
      await Promise.all(Object.keys(files).map(async (path) => [path, await desk.file(path)])),
    )
    await desk.human(files)
    const { result, health } = await watched(here.url, async () => {
      const response = await fetch(`${here.url}${desk.url}/content`, {
        headers: { Authorization: `Bearer ${here.admin.token}` },
      })
      assert.is(response.status, 200)
      return ((await response.json()) as { diagnostics: object[] }).diagnostics
    })
    assert.ok(result.length > 0)
    assert.ok(health.max < BOUND_MS, `healthz took ${health.max} ms`)
    await desk.human(Object.fromEntries(Object.keys(files).map((path) => [path, before[path] ?? null])))
  })
}

test('a page that is shown as its source is written back unchanged', async () => {
  const markdown = `a|b\n-|-\n${'c|d\n'.repeat(60_000)}`
  await desk.human({ 'page.md': markdown })
  const id = await desk.id('page')
  const read = async (query: string) =>
    (await here.admin.call('get', `${desk.url}/content/page/${id}${query}`).expect(200)).body
  const { document } = await read('?format=document')
  await desk.write([{ operation: 'update_page', page: id, document: { document }, emoji: '🧭' }])
  assert.ok((await read('')).markdown.trim() === markdown.trim())
})

test.run()
