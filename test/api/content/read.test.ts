import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createBareRepository, type Files } from '../../support/bare-repository.js'
import { startService } from '../../support/service.js'
import { suiteWith } from '../../support/suite.js'

const [test, here] = await suiteWith('api: reading content', startService)

let made = 0
/** A space that imported these files from a remote. */
async function imported(files: Files): Promise<string> {
  const path = join(here.dir, `remote-${++made}.git`)
  await createBareRepository(path).then((remote) => remote.commit(files))
  const space = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' }).expect(201))
    .body.id
  await here.admin
    .call('post', `/v1/spaces/${space}/git/import`, { url: `file://${path}`, ref: 'refs/heads/main' })
    .expect(204)
  for (;;) {
    const { body } = await here.admin.call('get', `/v1/spaces/${space}/git/info`).expect(200)
    if (body.state === 'success') return space
    if (body.state !== 'queued' && body.state !== 'running') throw new Error(body.error)
  }
}
const read = async (space: string, path: string) =>
  (await here.admin.call('get', `/v1/spaces/${space}/content/${path}`).expect(200)).body

test('a diagnostic names its own file, even if several files have the same bytes', async () => {
  const broken = '---\na: [1\n---\n# Page\n'
  const space = await imported({
    'SUMMARY.md': '* [One](one.md)\n* [Two](two.md)\n',
    'one.md': broken,
    'two.md': broken,
  })
  const { pages } = await read(space, 'pages')
  assert.equal(
    pages.map((page: { diagnostics: { file: string }[] }) => page.diagnostics.map((one) => one.file)),
    [['one.md'], ['two.md']],
  )
})

test('every page has its full layout, kind and tags, whatever its type', async () => {
  const usual = {
    width: 'default',
    cover: true,
    coverSize: 'full',
    title: true,
    description: true,
    tableOfContents: true,
    outline: true,
    pagination: true,
    metadata: true,
    coverMask: 'none',
    tags: true,
    actions: true,
    anchors: true,
  }
  const front =
    'layout:\n  width: wide\n  cover:\n    visible: false\n    size: hero\n  outline:\n    visible: false\ntags: [beta]\n'
  const space = await imported({
    'SUMMARY.md':
      '* [One](one.md)\n* [Odd](odd.md)\n\n## Group\n\n* [Link](https://example.org)\n* ```yaml\n  type: builtin:openapi\n  props:\n    models: true\n  dependencies:\n    spec:\n      ref:\n        kind: openapi\n        spec: petstore\n  ```\n',
    'one.md': `---\n${front}---\n# One\n`,
    'odd.md': '---\nlayout:\n  width: huge\n  cover:\n    size: tiny\n---\n# Odd\n',
  })
  const { pages } = await read(space, 'pages')
  const [one, odd, group] = pages
  const own = { ...usual, width: 'wide', cover: false, coverSize: 'hero', outline: false }
  assert.equal([one.layout, one.kind, one.tags], [own, 'sheet', ['beta']])
  assert.equal([odd.layout, odd.kind, odd.tags], [usual, 'sheet', []])
  assert.equal((await read(space, `page/${one.id}`)).layout, own)
  assert.equal([group.layout, group.kind, group.tags], [usual, 'group', []])
  assert.equal(
    group.pages.map((page: { type: string; kind: string; layout: object; tags: string[] }) => [
      page.type,
      page.kind,
      page.layout,
      page.tags,
    ]),
    [
      ['link', 'link', usual, []],
      ['computed', 'sheet', usual, []],
    ],
  )
})

test('reusable content is not listed as a file, and redirects are returned as written', async () => {
  const space = await imported({
    '.gitbook.yaml': 'redirects:\n  old/page: one.md\n',
    'SUMMARY.md': '* [One](one.md)\n',
    'one.md': '# One\n\n{% include ".gitbook/includes/note.md" %}\n\n[plan](plan.pdf)\n',
    'plan.pdf': '%PDF',
    'other.pdf': '%PDF',
    '.gitbook/includes/note.md': '---\ntitle: Note\n---\nNote.\n',
  })
  const files = await read(space, 'files')
  assert.equal(
    files.items.map((file: { name: string }) => file.name),
    ['plan.pdf'],
  )
  assert.is((await read(space, `files/${files.items[0].id}`)).size, 4)
  assert.is((await read(space, 'path/old/page')).title, 'One')
  assert.is((await read(space, 'path/old/page.html')).title, 'One')
  await here.admin.call('get', `/v1/spaces/${space}/content/path/constructor`).expect(404)
})

test('an evaluated page contains its reusable content and variables', async () => {
  const value = (name: string) => `<code class="expression">${name}</code>`
  const space = await imported({
    'SUMMARY.md': '* [Home](README.md)\n* [Guide](guide/one.md)\n',
    'README.md': '# Home\n',
    'guide/one.md': `---\nvars:\n  edition: gold\n---\n# One\n\n${value('space.vars.product')} ${value('page.vars.edition')} ${value('space.vars.none')}\n\n* x\n\n  {% include "../.gitbook/includes/note.md" %}\n\n\`\`\`\n{% include "../.gitbook/includes/note.md" %} ${value('space.vars.product')}\n\`\`\`\n\n{% include "../README.md" %}\n`,
    '.gitbook/vars.yaml': 'product: Ac*me*\n',
    '.gitbook/includes/note.md': `---\ntitle: Note\n---\nNote: ${value('space.vars.product')}\n[home](../../README.md#top) ![i](../assets/i.png)\n\n{% include "note.md" %}\n{% include "inner.md" %}\n`,
    '.gitbook/includes/inner.md': '---\ntitle: Inner\n---\nInner\n',
    '.gitbook/assets/i.png': 'x',
  })
  const { markdown } = await read(space, 'path/one?evaluated=true')
  assert.is(
    markdown,
    `# One\n\nAc\\*me\\* gold ${value('space.vars.none')}\n\n* x\n\n  Note: Ac\\*me\\*\n  [home](../README.md#top) ![i](../.gitbook/assets/i.png)\n\n  {% include "../.gitbook/includes/note.md" %}\n  Inner\n\n\`\`\`\n{% include "../.gitbook/includes/note.md" %} ${value('space.vars.product')}\n\`\`\`\n\n{% include "../README.md" %}\n`,
  )
  const [note] = (await here.admin.call('get', `/v1/spaces/${space}/content`).expect(200)).body.reusableContents.filter(
    (one: { title: string }) => one.title === 'Note',
  )
  assert.match(
    (await read(space, `reusable-contents/${note.id}?evaluated=true`)).markdown,
    /Note: Ac\\\*me[\s\S]*Inner/,
  )
  assert.match((await read(space, `reusable-contents/${note.id}`)).markdown, /expression/)
  const { document } = await read(space, 'path/one?evaluated=true&format=document')
  assert.match(JSON.stringify(document), /Ac\*me\*/)
})

test('the output stays bounded for reusable content that multiplies itself', async () => {
  const files: Files = { 'README.md': '{% include ".gitbook/includes/p0.md" %}\n' }
  for (let i = 0; i < 6; i++)
    files[`.gitbook/includes/p${i}.md`] = `---\ntitle: p\n---\n${`{% include "p${i + 1}.md" %}\n`.repeat(20)}`
  files['.gitbook/includes/p6.md'] = 'x'.repeat(10_000)
  const { markdown } = await read(await imported(files), 'path/readme?evaluated=true')
  assert.ok(markdown.length < 3 * 1024 * 1024)
  assert.match(markdown, /\{% include/)
})

test.run()
