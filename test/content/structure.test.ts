import * as assert from 'uvu/assert'
import { defaultId, idOf } from '../../src/content/identity.js'
import { readStructure } from '../../src/content/structure.js'
import { MAX_DEPTH } from '../../src/content/tree-builder.js'
import type { ContentStructure, PageEntry } from '../../src/content/types.js'
import { type MemoryFile, memoryTree } from '../support/memory-tree.js'
import { Workspace } from '../../src/content/edit/workspace.js'
import { turnsDuring } from '../support/turns.js'
import { inPlace } from '../../src/content/work/direct.js'
import { suite } from '../support/suite.js'

const test = suite('content: structure')
const read = (files: Record<string, MemoryFile>): Promise<ContentStructure> =>
  readStructure(memoryTree(files), idOf(new Map()), inPlace)

/** The tree as lines: nesting, type, path, and details. */
function outline(pages: readonly PageEntry[], indent = ''): string[] {
  return pages.flatMap((entry) => {
    const behind = entry.type === 'document' ? ` = ${entry.gitPath}` : entry.type === 'link' ? ` -> ${entry.href}` : ''
    return [`${indent}${entry.type} ${entry.path}${behind}`, ...outline(entry.pages, `${indent}  `)]
  })
}
const codes = (structure: ContentStructure): string[] =>
  structure.diagnostics.map(({ code, line, file }) => `${code} ${line ?? file}`)

test('a parsed table of contents has groups, nesting, links, drafts and computed pages', async () => {
  const structure = await read({
    'SUMMARY.md': `# Table of contents

* [Welcome](README.md)

## Getting started <a href="#start" id="start"></a>

* [Guides](guides/README.md)
  * [One](guides/one.md "1")
  * [Part](guides/one.md#part)
* [Web](https://example.com/a?b)
* [Mail](mailto:a@example.com)
* [Soon]()
* Plain
  * [Inner](inner.md)

## API & more

* \`\`\`yaml
  type: builtin:openapi
  props:
    models: true
  dependencies:
    spec:
      ref:
        kind: openapi
        spec: petstore
  \`\`\`

***

* [Last](last.md)
`,
    'README.md': '',
    'guides/README.md': '',
    'guides/one.md': '',
    'inner.md': '',
    'last.md': '',
  })
  assert.equal(outline(structure.pages), [
    'document readme = README.md',
    'group start',
    '  document start/guides = guides/README.md',
    '    document start/guides/one = guides/one.md',
    '    link start/guides/part -> guides/one.md#part',
    '  link start/web -> https://example.com/a?b',
    '  link start/mail -> mailto:a@example.com',
    '  link start/soon -> ',
    '  link start/plain -> ',
    '    document start/plain/inner = inner.md',
    'group api-and-more',
    '  computed api-and-more/builtin-openapi',
    'document last = last.md',
  ])
  assert.equal(structure.diagnostics, [])
  assert.ok(structure.listed)
  const part = structure.byPath.get('start/guides/part')
  assert.equal(part?.type === 'link' && part.target, { gitPath: 'guides/one.md', anchor: 'part' })
  assert.is(structure.byGitPath.get('guides/one.md')?.id, defaultId('page', 'guides/one.md'))
  assert.is(structure.byGitPath.get('guides/one.md')?.line, 8)
  assert.is(structure.byPath.get('start')?.id, defaultId('group', 'start'))
  assert.is(structure.byPath.get('start/web')?.key, 'start\0https://example.com/a?b')
  for (const [id, entry] of structure.byId) assert.is(entry.id, id)
  assert.is(structure.byId.size, 13)
})

for (const [written, gitPath] of [
  ['a%20b.md', 'a b.md'],
  ['<a b.md>', 'a b.md'],
  ['/a%20b.md', 'a b.md'],
  ['./a%20b.md', 'a b.md'],
  ['100%.md', '100%.md'],
  ['c%2Bd.md', 'c%2Bd.md'],
  ['hash\\_join.md', 'hash_join.md'],
  ['dir', 'dir/README.md'],
  ['dir/', 'dir/README.md'],
  ['dir/x', 'dir/x.md'],
  ['dir/../dir//x.md', 'dir/x.md'],
  ['c#.md', 'c#.md'],
  ['dir/x.md#', 'dir/x.md'],
  ['b.markdown', 'b.markdown'],
] as const) {
  test(`the target ${written} is ${gitPath}`, async () => {
    const files = ['a b.md', '100%.md', 'c%2Bd.md', 'hash_join.md', 'dir/README.md', 'dir/x.md', 'c#.md', 'b.markdown']
    const structure = await read({
      'SUMMARY.md': `* [X](${written})\n`,
      ...Object.fromEntries(files.map((file) => [file, ''])),
    })
    assert.equal([...structure.byGitPath.keys()], [gitPath])
    assert.is(structure.diagnostics.filter(({ code }) => code !== 'unlisted').length, 0)
  })
}

test('a missing or duplicate entry is reported, and its nested entries stay', async () => {
  const structure = await read({
    'SUMMARY.md':
      '* [A](a.md)\n* [Gone](gone.md)\n* [Gone too](gone2.md)\n  * [B](b.md)\n* [A again](./a.md)\n* [A once more](a.md)\n  * [C](c.md)\n* [Up](../up.md)\n* [Data](data.json)\n* [Part](gone.md#x)\n',
    'a.md': '',
    'b.md': '',
    'c.md': '',
    'data.json': '{}',
  })
  assert.equal(outline(structure.pages), [
    'document a = a.md',
    'link gone-too -> gone2.md',
    '  document gone-too/b = b.md',
    'link a-once-more -> a.md',
    '  document a-once-more/c = c.md',
    'link data -> data.json',
  ])
  assert.equal(codes(structure), [
    'missing-file 2',
    'missing-file 3',
    'duplicate-entry 5',
    'duplicate-entry 6',
    'missing-file 8',
    'unsupported-entry 9',
    'missing-file 10',
  ])
})

test('siblings with one slug get suffixes and a diagnostic', async () => {
  const structure = await read({
    'SUMMARY.md':
      '* [A](x/intro.md)\n* [B](y/intro.md)\n* [C](README.md)\n  * [D](z/intro.md)\n\n## G\n\n## G\n\n* [L](https://a.example)\n* [L](https://a.example)\n',
    'x/intro.md': '',
    'y/intro.md': '',
    'z/intro.md': '',
    'README.md': '',
  })
  assert.equal(outline(structure.pages), [
    'document intro = x/intro.md',
    'document intro-1 = y/intro.md',
    'document readme = README.md',
    '  document readme/intro = z/intro.md',
    'group g',
    'group g-1',
    '  link g-1/l -> https://a.example',
    '  link g-1/l-1 -> https://a.example',
  ])
  assert.equal(codes(structure), ['duplicate-slug 2', 'duplicate-slug 8', 'duplicate-slug 11'])
  assert.is(structure.byId.size, 8)
})

test('each unlisted markdown file is reported, except hidden ones', async () => {
  const structure = await read({
    'SUMMARY.md': '',
    'a.md': '',
    'dir/b.md': '',
    '.github/x.md': '',
    '.gitbook/includes/i.md': '',
    'dir/.h/y.md': '',
    'c.txt': '',
  })
  assert.equal(structure.pages, [])
  assert.equal(codes(structure), ['unlisted a.md', 'unlisted dir/b.md'])
})

test('all paths are relative to the effective root', async () => {
  const structure = await read({
    '.gitbook.yaml': 'root: ./docs/\n',
    'README.md': '',
    'SUMMARY.md': '* [Wrong](README.md)',
    'docs/SUMMARY.md': '* [Home](README.md)\n* [X](/x/y.md)\n* [Out](../README.md)\n',
    'docs/README.md': '',
    'docs/x/y.md': '',
    'docs/.gitbook/assets/a.png': '',
    '.gitbook/assets/b.png': '',
    'docs/.gitbook/includes/note.md': '---\ntitle: A note\n---\nText',
    'docs/.gitbook/includes/no-title.md': 'Text',
    'docs/.gitbook/vars.yaml': 'version: 1.10\nbeta: true\n',
  })
  assert.equal(outline(structure.pages), ['document readme = docs/README.md', 'document y = docs/x/y.md'])
  assert.is(structure.byGitPath.get('docs/x/y.md')?.key, 'x/y.md')
  assert.equal(structure.assets, [
    {
      id: defaultId('file', '.gitbook/assets/a.png'),
      key: '.gitbook/assets/a.png',
      name: 'a.png',
      gitPath: 'docs/.gitbook/assets/a.png',
    },
  ])
  assert.equal(
    structure.reusableContents.map(({ key, title }) => [key, title]),
    [
      ['.gitbook/includes/no-title.md', 'No title'],
      ['.gitbook/includes/note.md', 'A note'],
    ],
  )
  assert.equal(structure.variables, { version: '1.10', beta: 'true' })
  assert.equal(codes(structure), ['missing-file 3'])
})

test('a nested table of contents resolves paths in its folder, then at the root', async () => {
  const structure = await read({
    '.gitbook.yaml': 'structure:\n  summary: nav/TOC.md\n',
    'nav/TOC.md': '* [A](a.md)\n* [B](b.md)\n',
    'nav/a.md': '',
    'a.md': '',
    'b.md': '',
  })
  assert.equal([...structure.byGitPath.keys()], ['nav/a.md', 'b.md'])
})

test('without a table of contents, the tree follows the folders in natural order', async () => {
  const structure = await read({
    'README.md': '# Not read',
    'chapter-10.md': '',
    'chapter-9.md': '',
    'guides/README.md': '',
    'guides/b.md': '',
    'guides/a.md': '',
    'reference/deep/x.md': '',
    '.github/y.md': '',
    '.gitbook/includes/z.md': '',
    'images/a.png': '',
  })
  assert.not(structure.listed)
  assert.equal(outline(structure.pages), [
    'document readme = README.md',
    'document chapter-9 = chapter-9.md',
    'document chapter-10 = chapter-10.md',
    'document guides = guides/README.md',
    '  document guides/a = guides/a.md',
    '  document guides/b = guides/b.md',
    'group reference',
    '  group reference/deep',
    '    document reference/deep/x = reference/deep/x.md',
  ])
  assert.is(structure.byGitPath.get('chapter-9.md')?.title, 'Chapter 9')
  assert.is(structure.byGitPath.get('chapter-9.md')?.line, undefined)
  assert.equal(structure.diagnostics, [])
})

test('an empty repository has no pages', async () => assert.equal((await read({})).pages, []))

test('names that differ only by case are reported', async () => {
  const structure = await read({ 'SUMMARY.md': '* [A](a.md)\n* [A](A.md)\n', 'a.md': '', 'A.md': '' })
  assert.is(structure.byGitPath.size, 2)
  assert.equal(codes(structure), ['case-collision a.md'])
})

test('symbolic links and submodules do not count as files', async () => {
  const structure = await read({
    'SUMMARY.md': '* [A](a.md)\n* [S](link.md)\n',
    'a.md': '',
    'link.md': { mode: '120000', content: '/etc/passwd' },
    sub: { mode: '160000' },
    '.gitbook/vars.yaml': { mode: '120000', content: '../../secret' },
  })
  assert.equal([...structure.byGitPath.keys()], ['a.md'])
  assert.equal(codes(structure), ['missing-file 2', 'unreadable .gitbook/vars.yaml'])
})

test('a table of contents in Latin-1 is read', async () => {
  const structure = await read({ 'SUMMARY.md': Buffer.from('* [R\xe9sum\xe9](a.md)\r\n', 'latin1'), 'a.md': '' })
  assert.is(structure.pages[0]?.title, 'Résumé')
})

test('other requests run while an edit looks for a free name in a huge folder', async () => {
  const files = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`Folder-${n % 3}/Page-${n}.md`, '']))
  const tree = memoryTree(files)
  const workspace = new Workspace(tree, await read({ 'README.md': '' }), new Map(), inPlace)
  const entries = await tree.walk('')
  const before = await turnsDuring(() => tree.walk(''))
  const turns = await turnsDuring(async () => {
    assert.is(await workspace.isTaken('folder-1/page-1.MD'), true)
    assert.is(await workspace.isTaken('folder-1/page-2.md'), false)
  })
  assert.ok(turns > before + 1, `${turns} turns`)
  await workspace.add('folder-1/page-2.md', new Uint8Array())
  await workspace.remove('Folder-1/Page-1.md')
  assert.is(await workspace.isTaken('Folder-1/PAGE-2.md'), true)
  assert.is(await workspace.isTaken('folder-1/page-1.md'), false)
  assert.is((await workspace.paths()).size, entries.length)
})

test('a failing reader does not look like an empty table of contents', async () => {
  const tree = memoryTree({ 'SUMMARY.md': '* [A](a.md)', 'a.md': '' })
  const broken = { ...tree, read: async () => Promise.reject(new Error('the disk is gone')) }
  await readStructure(broken, idOf(new Map()), inPlace).then(
    () => assert.unreachable(),
    (thrown: Error) => assert.is(thrown.message, 'the disk is gone'),
  )
  const large = {
    ...tree,
    read: async () => Promise.reject(Object.assign(new Error('large'), { name: 'ObjectTooLarge' })),
  }
  assert.is((await readStructure(large, idOf(new Map()), inPlace)).diagnostics[0]?.code, 'unreadable')
})

test('deeply nested folders or entries are cut at a limit and lose nothing', async () => {
  const deep = (pages: readonly PageEntry[]): number =>
    pages.length === 0 ? 0 : 1 + Math.max(...pages.map((entry) => deep(entry.pages)))
  const folders = await read({ [`${'d/'.repeat(1500)}x.md`]: '', 'a.md': '' })
  assert.is(folders.byGitPath.size, 2)
  assert.ok(deep(folders.pages) <= MAX_DEPTH)
  const count = 300
  const files = Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}.md`, '']))
  const summary = Array.from({ length: count }, (_, i) => `${'  '.repeat(i)}* [P](p${i}.md)`).join('\n')
  const listed = await read({ 'SUMMARY.md': summary, ...files })
  assert.is(listed.byGitPath.size, count)
  assert.ok(deep(listed.pages) <= MAX_DEPTH)
})

test('the structure returns the requested IDs', async () => {
  const structure = await readStructure(
    memoryTree({ 'SUMMARY.md': '* [A](a.md)\n', 'a.md': '' }),
    (kind, key) => `${kind}:${key}`,
    inPlace,
  )
  assert.is(structure.byId.get('page:a.md')?.title, 'A')
})

test.run()
