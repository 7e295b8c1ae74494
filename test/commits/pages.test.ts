import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { openDesk } from './fixture.js'

const [test, here] = await suiteWith('writing pages', startService)

const SUMMARY = `# Table of contents

* [Home](README.md)
* [First  page](first.md "kept")

## Guides <a href="#guides" id="guides"></a>

- [Setup](guides/setup/README.md)
    - [Linux](guides/setup/linux.md)
    - [Windows](guides/setup/windows.md)
- [Site](https://example.org)
`
const FILES = {
  'SUMMARY.md': SUMMARY,
  'README.md': '# Home\n\nSee [linux](guides/setup/linux.md#a) and [setup](guides/setup/).\n',
  'first.md': '---\ndescription: kept   # so\nhidden: true\n---\n\n# First page\n\nText.\n',
  'guides/setup/README.md': '# Setup\n\n[up](../../README.md) ![](../../.gitbook/assets/a%20b.png)\n',
  'guides/setup/linux.md': '# Linux\n\n<a href="windows.md">w</a> [home](/README.md) [x](<./windows.md> "t")\n',
  'guides/setup/windows.md': 'No heading\n',
  '.gitbook/assets/a b.png': 'png',
}

test('an inserted page adds only its file and one line', async () => {
  const desk = await openDesk(here, FILES)
  const setup = await desk.id('guides/setup')
  const { changes } = await desk.write([
    {
      operation: 'insert_page',
      title: 'Mac [OS] *x* `y` <b>',
      document: { markdown: '# Mac\n' },
      into: setup,
      at: 1,
      hidden: true,
      icon: 'apple',
      emoji: '🍎',
      description: 'a: b',
      condition: 'visitor.claims.unsigned.x',
    },
  ])
  assert.equal(await desk.changed(), ['M\tSUMMARY.md', 'A\tguides/setup/mac-os-x-y-b.md'])
  assert.equal(
    await desk.file('SUMMARY.md'),
    SUMMARY.replace(
      '    - [Windows]',
      '    - [Mac \\[OS\\] \\*x\\* \\`y\\` \\<b>](guides/setup/mac-os-x-y-b.md)\n    - [Windows]',
    ),
  )
  assert.equal(
    await desk.file('guides/setup/mac-os-x-y-b.md'),
    '---\nemoji: 🍎\nicon: apple\ndescription: "a: b"\nhidden: true\nif: visitor.claims.unsigned.x\n---\n\n# Mac\n',
  )
  const page = (await desk.byPath()).get('guides/setup/mac-os-x-y-b')
  assert.is(page?.id, changes[0].page)
  assert.is(page?.title, 'Mac [OS] *x* `y` <b>')
  assert.is(changes[0].object, 'created_page')
})

test('front matter in the markdown overrides members, and the heading is the default title', async () => {
  const desk = await openDesk(here, FILES)
  await desk.write([
    {
      operation: 'insert_page',
      document: { markdown: '---\nicon: own\n---\n# From *heading*\n' },
      icon: 'other',
      hidden: true,
    },
  ])
  assert.equal(await desk.file('from-heading.md'), '---\nicon: own\nhidden: true\n---\n# From *heading*\n')
  assert.ok((await desk.file('SUMMARY.md'))?.includes('[From heading](from-heading.md)'))
})

test('an edit of text keeps the front matter byte for byte and changes only that file', async () => {
  const desk = await openDesk(here, FILES)
  const page = await desk.id('first')
  await desk.write([{ operation: 'update_page', page, document: { markdown: '\n# Other\n\nBody\n' } }])
  assert.equal(await desk.changed(), ['M\tfirst.md'])
  assert.equal(await desk.file('first.md'), '---\ndescription: kept   # so\nhidden: true\n---\n\n# Other\n\nBody\n')
  await desk.write([{ operation: 'update_page', page, hidden: null, icon: 'bolt' }])
  assert.equal(await desk.file('first.md'), '---\ndescription: kept   # so\nicon: bolt\n---\n\n# Other\n\nBody\n')
  const before = await desk.git('rev-parse', 'main')
  await desk.write([{ operation: 'update_page', page, icon: 'bolt' }])
  assert.is(await desk.git('rev-parse', 'main'), before, 'a change without effect makes no commit')
})

test("a new title changes the page's entry, and the H1 only if it was equal", async () => {
  const desk = await openDesk(here, FILES)
  const linux = await desk.id('guides/setup/linux')
  await desk.write([{ operation: 'update_page', page: linux, title: 'GNU/Linux' }])
  assert.equal(await desk.changed(), ['M\tSUMMARY.md', 'M\tguides/setup/linux.md'])
  assert.equal(await desk.file('SUMMARY.md'), SUMMARY.replace('[Linux]', '[GNU/Linux]'))
  assert.equal(
    await desk.file('guides/setup/linux.md'),
    FILES['guides/setup/linux.md'].replace('# Linux', '# GNU/Linux'),
  )
  const windows = await desk.id('guides/setup/windows')
  await desk.write([{ operation: 'update_page', page: windows, title: 'Win' }])
  assert.equal(await desk.changed(), ['M\tSUMMARY.md'])
  await desk.human({ 'guides/setup/linux.md': '# Else\n' })
  await desk.write([{ operation: 'update_page', page: linux, title: 'Tux' }])
  assert.equal(await desk.changed(), ['M\tSUMMARY.md'])
  assert.ok((await desk.file('SUMMARY.md'))?.includes('* [First  page](first.md "kept")'))
})

test('a new slug renames the file and rewrites the links to it in one commit', async () => {
  const desk = await openDesk(here, FILES)
  const id = await desk.id('guides/setup/windows')
  await desk.write([{ operation: 'update_page', page: id, slug: 'win dows (1)' }])
  assert.equal(await desk.changed(), [
    'M\tSUMMARY.md',
    'M\tguides/setup/linux.md',
    'A\tguides/setup/win dows (1).md',
    'D\tguides/setup/windows.md',
  ])
  assert.equal(
    await desk.file('guides/setup/linux.md'),
    '# Linux\n\n<a href="win dows (1).md">w</a> [home](/README.md) [x](<./win dows (1).md> "t")\n',
  )
  assert.equal(
    await desk.file('SUMMARY.md'),
    SUMMARY.replace('(guides/setup/windows.md)', '(<guides/setup/win dows (1).md>)'),
  )
  assert.is(await desk.id('guides/setup/win dows (1)'), id)
})

test('a new slug of a README renames its folder with all its contents', async () => {
  const desk = await openDesk(here, { ...FILES, 'guides/setup/img/x.png': 'x' })
  const [id, linux] = [await desk.id('guides/setup'), await desk.id('guides/setup/linux')]
  await desk.write([{ operation: 'update_page', page: id, slug: 'install' }])
  assert.equal(
    (await desk.paths()).filter((path) => path.startsWith('guides')),
    ['guides/install/README.md', 'guides/install/img/x.png', 'guides/install/linux.md', 'guides/install/windows.md'],
  )
  assert.equal(await desk.file('SUMMARY.md'), SUMMARY.replaceAll('guides/setup/', 'guides/install/'))
  assert.equal(
    await desk.file('README.md'),
    '# Home\n\nSee [linux](guides/install/linux.md#a) and [setup](guides/install/).\n',
  )
  assert.equal(await desk.file('guides/install/README.md'), FILES['guides/setup/README.md'])
  assert.is(await desk.id('guides/install'), id)
  assert.is(await desk.id('guides/install/linux'), linux)
})

test('redirects follow a renamed file, and old addresses still point to its page', async () => {
  const yaml = (one: string, folder: string): string => `# ours\r
root: ./docs\r
redirects:\r
  old/one:   ./${one}.md   # moved\r
  /old/two/: '${one}#part'\r
  folder: /${folder}/\r
  inner: "${folder}/x.md"\r
  home: README.md\r
  gone: nothing.md\r
`
  const desk = await openDesk(here, {
    '.gitbook.yaml': yaml('one', 'two'),
    'docs/SUMMARY.md': '* [Home](README.md)\n* [One](one.md)\n* [Two](two/README.md)\n  * [X](two/x.md)\n',
    'docs/README.md': '# Home\n',
    'docs/one.md': '# One\n',
    'docs/two/README.md': '# Two\n',
    'docs/two/x.md': '# X\n',
  })
  const [one, two] = [await desk.id('one'), await desk.id('two')]
  await desk.write([{ operation: 'update_page', page: one, slug: 'eins' }])
  assert.is(await desk.file('.gitbook.yaml'), yaml('eins', 'two'))
  await desk.write([{ operation: 'update_page', page: two, slug: 'zwei' }])
  assert.is(await desk.file('.gitbook.yaml'), yaml('eins', 'zwei'))
  for (const [old, page] of [
    ['old%2Fone', one],
    ['old%2Ftwo', one],
    ['folder', two],
  ])
    assert.is((await here.admin.call('get', `${desk.url}/content/path/${old}`).expect(200)).body.id, page)
  await desk.write([{ operation: 'update_page', page: one, title: 'A title' }])
  assert.equal(await desk.changed(), ['M\tdocs/SUMMARY.md', 'M\tdocs/eins.md'])
})

test('redirects in a long configuration follow a renamed page', async () => {
  const yaml = (name: string): string =>
    `redirects:\n${Array.from({ length: 3_000 }, (_, n) => `  old/page-${n}: first.md\n`).join('')}  last: ${name}.md\n`
  const desk = await openDesk(here, {
    '.gitbook.yaml': yaml('second'),
    'SUMMARY.md': '* [A](first.md)\n* [B](second.md)\n',
    'first.md': '# A\n',
    'second.md': '# B\n',
  })
  await desk.write([{ operation: 'update_page', page: await desk.id('second'), slug: 'third' }])
  assert.is(await desk.file('.gitbook.yaml'), yaml('third'))
})

test('an edit never changes the wrong one of two duplicate redirects', async () => {
  const yaml = 'redirects:\n  old: first.md\n  old: second.md\n'
  const desk = await openDesk(here, {
    '.gitbook.yaml': yaml,
    'SUMMARY.md': '* [A](first.md)\n* [B](second.md)\n',
    'first.md': '# A\n',
    'second.md': '# B\n',
  })
  await desk.write([{ operation: 'update_page', page: await desk.id('second'), slug: 'third' }])
  assert.is(await desk.file('.gitbook.yaml'), yaml)
})

test('links to the HTML pages of a book generator follow a rename', async () => {
  const desk = await openDesk(here, {
    'SUMMARY.md': '* [A](a.md)\n* [B](b/README.md)\n',
    'a.md': '# A\n\n[b](b/index.html#x) [self](./a.html)\n',
    'b/README.md': '# B\n\n[a](../a.html)\n',
  })
  const [a, b] = [await desk.id('a'), await desk.id('b')]
  await desk.write([
    { operation: 'update_page', page: a, slug: 'one' },
    { operation: 'update_page', page: b, slug: 'two' },
  ])
  assert.is(await desk.file('one.md'), '# A\n\n[b](two/index.html#x) [self](./one.html)\n')
  assert.is(await desk.file('two/README.md'), '# B\n\n[a](../one.html)\n')
})

test('a move edits only the table of contents', async () => {
  const desk = await openDesk(here, FILES)
  const [linux, first] = [await desk.id('guides/setup/linux'), await desk.id('first')]
  await desk.write([{ operation: 'update_page', page: linux, into: first }])
  assert.equal(await desk.changed(), ['M\tSUMMARY.md'])
  assert.is(await desk.id('first/linux'), linux)
  await desk.write([{ operation: 'update_page', page: linux, into: null, at: 0 }])
  assert.is((await desk.pages())[0]?.id, linux)
  await desk.write([{ operation: 'update_page', page: linux, into: await desk.id('guides/setup'), at: 0 }])
  assert.equal(await desk.file('SUMMARY.md'), SUMMARY)
  const setup = await desk.id('guides/setup')
  for (const into of [setup, linux]) {
    const { error } = await desk.write([{ operation: 'update_page', page: setup, into }], 400)
    assert.match(error.message, /^Change 0 .*under itself/)
  }
})

test('a page is deleted with its subpages, and unlisted files stay', async () => {
  const desk = await openDesk(here, { ...FILES, 'guides/setup/notes.md': 'unlisted\n' })
  await desk.write([{ operation: 'delete_page', page: await desk.id('guides/setup') }])
  assert.equal(await desk.paths(), [
    '.gitbook/assets/a b.png',
    'README.md',
    'SUMMARY.md',
    'first.md',
    'guides/setup/notes.md',
  ])
  assert.equal(
    await desk.file('SUMMARY.md'),
    `${SUMMARY.slice(0, SUMMARY.indexOf('- [Setup]'))}- [Site](https://example.org)\n`,
  )
})

test('a page can be reset to another revision, or to the base of the change request', async () => {
  const desk = await openDesk(here, FILES)
  const page = await desk.id('first')
  const begin = await desk.git('rev-parse', 'main')
  await desk.write([{ operation: 'update_page', page, document: { markdown: 'Other\n' } }])
  await desk.write([{ operation: 'revert_page', page, revision: begin }])
  assert.equal(await desk.file('first.md'), FILES['first.md'])
  const change = await desk.changeRequest()
  await change.write([{ operation: 'update_page', page, slug: 'second', document: { markdown: 'Other\n' } }])
  await change.write([{ operation: 'revert_page', page }])
  assert.equal(await desk.file('second.md', change.ref), FILES['first.md'])
  const { error } = await desk.write([{ operation: 'revert_page', page, revision: '0'.repeat(40) }], 400)
  assert.is(error.details[0].path, '/changes/0/revision')
})

test('links by ID, path or ref become relative, and other links stay', async () => {
  const desk = await openDesk(here, { ...FILES, 'pages/real.md': 'real\n' })
  const linux = await desk.id('guides/setup/linux')
  const { changes, insertedFiles } = await desk.write([
    {
      operation: 'insert_page',
      title: 'A',
      slug: 'a',
      ref: 'a',
      into: await desk.id('guides/setup'),
      document: {
        markdown: `[i](/pages/${linux}#x) [p](/pages/guides/setup/windows) [m](/pages/first.md?q) [r](/pages/b) ![](/files/pic) [u](https://x/pages/first) [n](/pages/none) [self](/pages/a) [real](/pages/real.md)\n\n<a href="/pages/b">b</a>\n`,
      },
    },
    {
      operation: 'insert_page',
      title: 'B',
      ref: 'b',
      document: { markdown: '[a](/pages/a)\n\n```\n[a](/pages/a)\n```\n' },
    },
    {
      operation: 'insert_files',
      files: [{ name: 'pic (1).png', base64: Buffer.from('PNG').toString('base64'), ref: 'pic' }],
    },
  ])
  assert.equal(
    await desk.file('guides/setup/a.md'),
    '[i](linux.md#x) [p](windows.md) [m](../../first.md?q) [r](../../b.md) ![](<../../.gitbook/assets/pic (1).png>) [u](https://x/pages/first) [n](/pages/none) [self](a.md) [real](/pages/real.md)\n\n<a href="../../b.md">b</a>\n',
  )
  assert.equal(await desk.file('b.md'), '[a](guides/setup/a.md)\n\n```\n[a](/pages/a)\n```\n')
  assert.equal(
    changes.map((one: any) => one.ref),
    ['a', 'b'],
  )
  assert.is(insertedFiles[0].path, '.gitbook/assets/pic (1).png')
})

test('a ref follows a page whose folder the same batch renames, and can be a parent', async () => {
  const desk = await openDesk(here, FILES)
  const setup = await desk.id('guides/setup')
  await desk.write([
    { operation: 'insert_page', title: 'A', ref: 'a', into: setup, document: { markdown: '[b](/pages/b)\n' } },
    { operation: 'insert_page', title: 'B', ref: 'b', into: 'a', document: { markdown: '[a](/pages/a)\n' } },
    { operation: 'update_page', page: setup, slug: 'moved' },
    { operation: 'insert_group', title: 'New group', ref: 'g' },
    { operation: 'insert_page', title: 'C', into: 'g', document: { markdown: '[a](/pages/a)\n' } },
  ])
  assert.equal(await desk.file('guides/moved/a.md'), '[b](a/b.md)\n')
  assert.equal(await desk.file('guides/moved/a/b.md'), '[a](../a.md)\n')
  assert.equal(await desk.file('new-group/c.md'), '[a](../guides/moved/a.md)\n')
  const paths = [...(await desk.byPath()).keys()]
  assert.equal(
    paths.filter((path) => /moved|new/.test(path)),
    [
      'guides/moved',
      'guides/moved/linux',
      'guides/moved/windows',
      'guides/moved/a',
      'guides/moved/a/b',
      'new-group',
      'new-group/c',
    ],
  )
  const { error } = await desk.write(
    [
      { operation: 'insert_group', title: 'X', ref: 'r' },
      { operation: 'insert_page', title: 'Y', ref: 'r', document: { markdown: '' } },
    ],
    400,
  )
  assert.is(error.details[0].path, '/changes/1/ref')
})

test('a failed batch returns the index and the reason, and makes no commit', async () => {
  const desk = await openDesk(here, FILES)
  const before = await desk.git('rev-parse', 'main')
  const { error } = await desk.write(
    [
      { operation: 'insert_page', title: 'A', document: { markdown: 'a' } },
      { operation: 'delete_page', page: 'nope' },
      { operation: 'insert_group', title: 'G' },
    ],
    400,
  )
  assert.is(error.code, 400)
  assert.match(error.message, /Change 1 .*no page nope/)
  assert.equal(error.details, [{ path: '/changes/1/page', message: 'There is no page nope.' }])
  assert.is(await desk.git('rev-parse', 'main'), before)
})

test('a batch of fifty is one commit, and a batch of fifty-one is rejected', async () => {
  const desk = await openDesk(here, FILES)
  const batch = Array.from({ length: 50 }, (_, n) => ({
    operation: 'insert_page',
    title: 'Same',
    document: { markdown: `${n}\n` },
  }))
  const { revision } = await desk.write(batch)
  assert.is(await desk.git('rev-list', '--count', `${revision}^..${revision}`), '1')
  const slugs = (await desk.pages()).at(-1)?.pages.map((page) => page.slug)
  assert.is(new Set((await desk.byPath()).keys()).size, 7 + 50)
  assert.ok(slugs)
  await desk.write([...batch, batch[0]!], 400)
})

test.run()
