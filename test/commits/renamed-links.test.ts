import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { openDesk } from './fixture.js'

const [test, here] = await suiteWith('links to renamed files', startService)

const LINKS = `# One

[a](../guide/) [b](../guide) [c](../guide/README.md) [d](./two.md#two) [e](two) [f](../other.md) [g](./) [h](README.md) [i](/guide/two.md)
[j](<../guide/two.md>) <a href="../guide/two">k</a> ![l](../guide/img.png) [m](../guide/gone.md) [n](../alias.md)
`
const FILES = {
  'SUMMARY.md':
    '* [Home](README.md)\n* [Guide](./guide/)\n  * [One](guide/one)\n  * [Two](guide/two.md)\n* [Other](/other.md)\n',
  'README.md': '# Home\n\n[a](guide/) [b](guide) [c](./guide/README.md#guide) [d](guide/one.md "t") [e](other.md)\n',
  'other.md': '# Other\n',
  'guide/README.md': '# Guide\n\n[one](one.md) [home](..) [self](../guide/)\n',
  'guide/one.md': LINKS,
  'guide/two.md': '# Two\n',
  'guide/img.png': 'png',
  'alias.md': { link: 'guide/two.md' },
}

test('a renamed folder changes only links that would break, and keeps their form', async () => {
  const desk = await openDesk(here, FILES)
  const guide = await desk.id('guide')
  await desk.write([{ operation: 'update_page', page: guide, slug: 'manual' }])
  const renamed = (text: string): string => text.replaceAll(/(?<=[(<"]\.?\.?\/?)guide\b/g, 'manual')
  assert.is(
    await desk.file('manual/one.md'),
    renamed(LINKS).replace('../manual/gone.md', '../guide/gone.md').replace('../alias.md', '../manual/two.md'),
  )
  assert.is(await desk.file('manual/README.md'), renamed(FILES['guide/README.md']))
  assert.is(await desk.file('README.md'), renamed(FILES['README.md']))
  assert.is(await desk.file('SUMMARY.md'), renamed(FILES['SUMMARY.md']))
  assert.is(await desk.id('manual'), guide)
  const { items } = (await desk.admin.call('get', `${desk.url}/links`).expect(200)).body
  const broken = items.filter(({ status }: { status: string }) => status === 'broken')
  assert.equal(
    broken.map(({ target }: { target: string }) => target),
    ['../guide/gone.md'],
  )
})

test('a folder is renamed by its path, whether it has a page or not', async () => {
  const files = {
    'SUMMARY.md': '* [Home](README.md)\n* [One](parts/deep/one.md)\n',
    'README.md': '# Home\n\n[one](parts/deep/one.md) ![p](parts/deep/p.png) [note](parts/deep/note.md)\n',
    'parts/two.md': '# Two\n\n[one](deep/one.md)\n',
    'parts/deep/one.md': '# One\n\n[two](../two.md) ![p](p.png)\n',
    'parts/deep/note.md': 'Not in the table of contents.\n',
    'parts/deep/p.png': 'png',
  }
  for (const name of ['Deep', 'other']) {
    const desk = await openDesk(here, files)
    const one = await desk.id('one')
    await desk.write([{ operation: 'rename_folder', folder: 'parts/deep', name }])
    assert.is(await desk.git('log', '-1', '--format=%s', 'main'), `Rename folder parts/deep to ${name}`)
    assert.equal(
      (await desk.paths()).filter((path) => path.startsWith('parts/')),
      ['note.md', 'one.md', 'p.png']
        .map((file) => `parts/${name}/${file}`)
        .concat('parts/two.md')
        .sort(),
    )
    for (const path of ['SUMMARY.md', 'README.md', 'parts/two.md'] as const)
      assert.is(await desk.file(path), files[path].replaceAll('deep/', `${name}/`))
    assert.is(await desk.file(`parts/${name}/one.md`), files['parts/deep/one.md'])
    assert.is(await desk.id('one'), one)
  }
})

test('a folder is not renamed over files, or away from the configuration', async () => {
  const desk = await openDesk(here, {
    '.gitbook.yaml': 'root: ./docs/\nstructure:\n  summary: toc/LIST.md\n',
    'docs/toc/LIST.md': '* [A](../a/one.md)\n* [B](../b/one.md)\n',
    'docs/a/one.md': '# One\n',
    'docs/b/one.md': '# One\n',
    'docs/A/one.md': '# Other\n',
    'docs/.gitbook/assets/p.png': 'png',
  })
  const head = await desk.git('rev-parse', 'main')
  const renames: [string, string, RegExp][] = [
    ['docs/a', 'b', /docs\/b\/one\.md exists/],
    ['docs/a', 'A', /docs\/A\/one\.md exists/],
    ['docs/a', 'b/c', /slashes/],
    ['docs/a', '..', /cannot be/],
    ['docs/a', '.git', /\.git/],
    ['docs/a/one.md', 'x', /There is no folder/],
    ['docs/a/', 'x', /There is no folder/],
    ['a', 'x', /There is no folder/],
    ['docs', 'x', /needs docs at its place/],
    ['docs/toc', 'x', /needs docs\/toc\/LIST\.md/],
    ['docs/.gitbook', 'x', /needs this folder/],
    ['docs/.gitbook/assets', 'x', /needs this folder/],
  ]
  for (const [folder, name, reason] of renames) {
    const { error } = await desk.write([{ operation: 'rename_folder', folder, name }], 400)
    assert.match(error.message, reason)
  }
  assert.is(await desk.git('rev-parse', 'main'), head)
})

test('a markdown file without an entry is renamed as a file', async () => {
  const desk = await openDesk(here, {
    'SUMMARY.md': '* [Home](README.md)\n',
    'README.md': '# Home\n\n[note](note.md)\n',
    'note.md': 'A note.\n',
  })
  await desk.write([{ operation: 'rename_file', file: 'note.md', name: 'notes.md' }])
  assert.equal([await desk.file('notes.md'), await desk.file('note.md')], ['A note.\n', null])
  assert.is(await desk.file('README.md'), '# Home\n\n[note](notes.md)\n')
  await desk.write([{ operation: 'rename_file', file: 'README.md', name: 'x.md' }], 400)
})

test('a renamed page changes a link that a new file would capture, and no other', async () => {
  const home = '# Home\n\n[folder](topic) [slash](topic/) [page](one.md) [root](/one) [html](one.html)\n'
  const desk = await openDesk(here, {
    'SUMMARY.md': '* [Home](README.md)\n* [Topic](topic/README.md)\n* [One](one.md)\n',
    'README.md': home,
    'topic/README.md': '# Topic\n',
    'one.md': '# One\n\n[home](./) [one](./one.md)\n',
  })
  await desk.write([{ operation: 'update_page', page: await desk.id('one'), slug: 'other' }])
  assert.is(
    await desk.file('README.md'),
    home.replace('(one.md)', '(other.md)').replace('(/one)', '(/other)').replace('(one.html)', '(other.html)'),
  )
  assert.is(await desk.file('other.md'), '# One\n\n[home](./) [one](./other.md)\n')
})

test('mdBook includes, and links to the index.md of a folder, follow a rename', async () => {
  const included =
    '# One\n\n```rust\n{{#include ../code/a.rs:2:10}}\n{{#rustdoc_include a.rs}}\n```\n\n{{#include two.md}} [up](./) [dir](../guide/) [x](../)\n'
  const desk = await openDesk(here, {
    'book.toml': '[book]\n',
    'src/SUMMARY.md':
      '# Summary\n\n[Home](index.md)\n\n- [Guide](guide/index.md)\n  - [One](guide/one.md)\n  - [Two](guide/two.md)\n',
    'src/index.md': '# Home\n\n{{#include guide/two.md:x}} [guide](guide/)\n',
    'src/guide/index.md': '# Guide\n',
    'src/guide/one.md': included,
    'src/guide/two.md': '# Two\n',
    'src/guide/a.rs': '',
    'src/code/a.rs': '',
  })
  const { items } = (await desk.admin.call('get', `${desk.url}/links`).expect(200)).body
  assert.equal(
    items.map(({ status }: { status: string }) => status),
    items.map(() => 'ok'),
  )
  const two = (await desk.pages())[1]?.pages[1]?.id as string
  await desk.write([{ operation: 'update_page', page: two, slug: 'zwei' }])
  assert.is(await desk.file('src/guide/one.md'), included.replace('two.md', 'zwei.md'))
  assert.is(await desk.file('src/index.md'), '# Home\n\n{{#include guide/zwei.md:x}} [guide](guide/)\n')
  const guide = (await desk.pages())[1]?.id as string
  await desk.write([{ operation: 'update_page', page: guide, slug: 'start' }])
  const named = included
    .replace('two.md', 'zwei.md')
    .replace('[up](./)', '[up](./start.md)')
    .replace('../guide/', '../guide/start.md')
  assert.is(await desk.file('src/guide/one.md'), named)
})

test('a rename of an uploaded file neither creates nor changes a table of contents', async () => {
  const desk = await openDesk(here, {
    'README.md': '# R\n\n![a](.gitbook/assets/a.png)\n',
    'sub/x.md': '# X\n',
    '.gitbook/assets/a.png': 'png',
  })
  await desk.write([{ operation: 'rename_file', file: '.gitbook/assets/a.png', name: 'b.png' }])
  assert.equal(await desk.changed(), ['D\t.gitbook/assets/a.png', 'A\t.gitbook/assets/b.png', 'M\tREADME.md'])
})

test.run()
