import * as assert from 'uvu/assert'
import { readConfig } from '../../src/content/config.js'
import { defaultId, idOf } from '../../src/content/identity.js'
import { shapedBy } from '../../src/content/known-files.js'
import { readStructure } from '../../src/content/structure.js'
import type { PageEntry } from '../../src/content/types.js'
import { inPlace } from '../../src/content/work/direct.js'
import { readToml } from '../../src/content/toml.js'
import { type MemoryFile, memoryTree } from '../support/memory-tree.js'
import { suite } from '../support/suite.js'
import { HONKIT, MDBOOK } from './book-files.js'

const test = suite('content: repositories of HonKit and mdBook')
const open = (files: Record<string, MemoryFile>) => readStructure(memoryTree(files), idOf(new Map()), inPlace)
const configOf = (files: Record<string, MemoryFile>) => readConfig(memoryTree(files), inPlace)
const outline = (pages: readonly PageEntry[], indent = ''): string[] =>
  pages.flatMap((page) => [`${indent}${page.type} ${page.path} ‘${page.title}’`, ...outline(page.pages, `${indent}  `)])

test('an mdBook folder is the root, and its parts, drafts and other chapters are in the tree', async () => {
  const structure = await open(MDBOOK)
  assert.equal(structure.config, { root: 'src', readme: 'src/README.md', summary: 'src/SUMMARY.md', redirects: {} })
  assert.equal(outline(structure.pages), [
    'document introduction ‘Introduction’',
    'document foreword ‘Foreword’',
    'group user-guide ‘User Guide’',
    '  document user-guide/installation ‘Installation’',
    '  document user-guide/reading ‘Reading Books’',
    '    document user-guide/reading/types ‘Types’',
    '      document user-guide/reading/types/boolean ‘Booleans’',
    '    link user-guide/reading/coming-soon ‘Coming soon’',
    'group reference ‘Reference’',
    '  document reference/cli ‘Command Line’',
    '  document reference/format ‘Format’',
    'document contributors ‘Contributors’',
    'document licence ‘Licence’',
  ])
  assert.equal(structure.diagnostics, [])
  assert.is(structure.byGitPath.get('src/types.md')?.id, defaultId('page', 'types.md'))
})

test('HonKit settings name the root, readme and summary, and an unlisted glossary is not a page', async () => {
  const structure = await open(HONKIT)
  assert.equal(structure.config, { root: 'docs', readme: 'docs/INTRO.md', summary: 'docs/TOC.md', redirects: {} })
  assert.equal(outline(structure.pages), [
    'group part-i ‘Part I’',
    '  document part-i/INTRO ‘Start here’',
    '  document part-i/part1 ‘Writing’',
    '    document part-i/part1/commas ‘Commas’',
    'group part-ii ‘Part II’',
    '  document part-ii/feedback ‘Feedback’',
  ])
  assert.equal(
    structure.diagnostics.map(({ code, file }) => `${code} ${file}`),
    ['unlisted docs/TERMS.md'],
  )
})

const unlisted: Array<[name: string, files: Record<string, MemoryFile>, pages: string[]]> = [
  ['.gitbook.yaml: its heading', { '.gitbook.yaml': '', 'book.json': '{}' }, ['readme ‘The Docs’', 'a ‘A’']],
  ['no configuration: its heading', {}, ['readme ‘The Docs’', 'a ‘A’']],
  ['book.json: Introduction', { 'book.json': '{}' }, ['readme ‘Introduction’', 'a ‘A’']],
  ['a README without a title: the name', { 'README.md': 'Text.\n' }, ['readme ‘Readme’', 'a ‘A’']],
  [
    'another README',
    { '.gitbook.yaml': 'structure:\n  readme: start.md\n', 'start.md': '# Start\n' },
    ['start ‘Start’', 'a ‘A’'],
  ],
  [
    'an entry with an empty anchor lists it',
    { 'SUMMARY.md': '* [A](a.md)\n* [Home](README.md#)\n' },
    ['a ‘A’', 'readme ‘Home’'],
  ],
  ['mdBook shows listed files only', { 'book.toml': '[book]\nsrc = "."\n' }, ['a ‘A’']],
  [
    'a README that is no markdown',
    { '.gitbook.yaml': 'structure:\n  readme: start.txt\n', 'start.txt': '' },
    ['a ‘A’'],
  ],
]
for (const [name, files, expected] of unlisted)
  test(`an unlisted README gets its place in the tree: ${name}`, async () => {
    const structure = await open({
      'SUMMARY.md': '# Summary\n\n* [A](a.md)\n',
      'README.md': '# The Docs {#top}\n',
      'a.md': '',
      ...files,
    })
    assert.equal(
      structure.pages.map(({ path, title }) => `${path} ‘${title}’`),
      expected,
    )
    const isPage = structure.byGitPath.has(structure.config.readme)
    const reported = structure.diagnostics.some(
      ({ code, file }) => code === 'unlisted' && file === structure.config.readme,
    )
    assert.is(reported, !isPage && structure.config.readme.endsWith('.md'))
  })

const precedence: Array<[name: string, files: Record<string, MemoryFile>, root: string]> = [
  [
    '.gitbook.yaml outranks both',
    { '.gitbook.yaml': 'root: other\n', 'other/a.md': '', 'book.toml': '', 'book.json': '{"root":"docs"}' },
    'other',
  ],
  ['an empty one too', { '.gitbook.yaml': '', 'book.toml': '', 'src/a.md': '' }, ''],
  [
    'a table of contents at the root outranks both',
    { 'SUMMARY.md': '', 'book.toml': '', 'book.json': '{"root":"docs"}', 'src/a.md': '' },
    '',
  ],
  [
    'a symbolic link there does not',
    { 'SUMMARY.md': { mode: '120000', content: 'src/SUMMARY.md' }, 'book.toml': '', 'src/SUMMARY.md': '' },
    'src',
  ],
  [
    'book.toml outranks book.json',
    { 'book.toml': '', 'book.json': '{"root":"docs"}', 'src/a.md': '', 'docs/a.md': '' },
    'src',
  ],
  ['another folder', { 'book.toml': '[book]\nsrc = "./docs/en/"\n', 'docs/en/a.md': '' }, 'docs/en'],
  ['the folder of the repository', { 'book.toml': '[book]\nsrc = "."\n' }, ''],
  ['a leading slash', { 'book.json': '{"root": "/docs"}', 'docs/a.md': '' }, 'docs'],
  ['a byte order mark', { 'book.toml': '\ufeff[book]\r\nsrc = "docs"\r\n', 'docs/a.md': '' }, 'docs'],
  [
    'a number beyond the safe ones elsewhere',
    { 'book.toml': 'big = 9007199254740993\nbook.src = "docs"\n', 'docs/a.md': '' },
    'docs',
  ],
]
for (const [name, files, root] of precedence)
  test(`the right book configuration applies: ${name}`, async () => {
    const { config, diagnostics } = await configOf(files)
    assert.is(config.root, root)
    assert.equal(diagnostics, [])
  })

const deep = `{"root": ${'['.repeat(60_000)}${']'.repeat(60_000)}}`
const odd: Array<[name: string, file: string, text: string, root: string, code: string, says: RegExp]> = [
  [
    'text that is not TOML',
    'book.toml',
    '[book\nsrc = "docs"',
    'src',
    'invalid-config',
    /book\.toml is not valid TOML .*Correct it there/,
  ],
  [
    'a book that is a text',
    'book.toml',
    'book = "docs"',
    'src',
    'invalid-config',
    /^book must be a table.*Write \[book\]/,
  ],
  [
    'a source outside',
    'book.toml',
    '[book]\nsrc = "../.."',
    'src',
    'invalid-root',
    /^book\.src must be a folder inside.*so src is used.*Correct book\.src/,
  ],
  ['a source that is a list', 'book.toml', '[book]\nsrc = ["docs"]', 'src', 'invalid-root', /^book\.src must/],
  [
    'a source that does not exist',
    'book.toml',
    '[book]\nsrc = "C:\\\\docs"',
    'C:\\docs',
    'invalid-root',
    /^book\.src is C:\\docs, which is not a folder/,
  ],
  ['a source that is a number', 'book.toml', '[book]\nsrc = 12', '12', 'invalid-root', /^book\.src is 12/],
  ['a source that is a file', 'book.toml', '[book]\nsrc = "a.md"', 'a.md', 'invalid-root', /not a folder/],
  ['deep lists', 'book.toml', `a = ${'['.repeat(60_000)}`, 'src', 'invalid-config', /nested/],
  ['deep keys', 'book.toml', `${'a.'.repeat(60_000)}b = 1`, 'src', 'invalid-config', /nested too deeply/],
  ['many values', 'book.toml', `a = [${'1,'.repeat(60_000)}]`, 'src', 'invalid-config', /too many values/],
  ['a huge file', 'book.toml', `# ${'x'.repeat(300_000)}`, 'src', 'invalid-config', /longer than/],
  ['text that is not JSON', 'book.json', '{"root": "docs"', '', 'invalid-config', /book\.json is not valid JSON/],
  ['a list', 'book.json', '[1]', '', 'invalid-config', /book\.json must be a map/],
  [
    'a root outside',
    'book.json',
    '{"root": "../.."}',
    '',
    'invalid-root',
    /^root must be a folder inside.*Correct root/,
  ],
  [
    'a root that does not exist',
    'book.json',
    '{"root": "/etc/passwd"}',
    'etc/passwd',
    'invalid-root',
    /^root is etc\/passwd/,
  ],
  ['a structure that is a list', 'book.json', '{"structure": [1]}', '', 'invalid-config', /^structure must/],
  [
    'a summary outside',
    'book.json',
    '{"structure": {"summary": "../../x.md"}}',
    '',
    'invalid-config',
    /^structure\.summary must/,
  ],
  ['deep lists', 'book.json', deep, '', 'invalid-config', /nested too deeply/],
  ['a huge file', 'book.json', `{"a": "${'x'.repeat(300_000)}"}`, '', 'invalid-config', /longer than/],
]
for (const [name, file, text, root, code, says] of odd)
  test(`${file}: ${name} results in a diagnostic`, async () => {
    const structure = await open({ [file]: text, 'a.md': '# A\n', 'src/b.md': '# B\n' })
    assert.is(structure.config.root, root)
    assert.equal([structure.diagnostics[0]?.code, structure.diagnostics[0]?.file], [code, file])
    assert.match(structure.diagnostics[0]?.message ?? '', says)
  })

test('keys of book settings cannot reach a prototype', async () => {
  const json = '{"__proto__": {"root": "docs"}, "structure": {"__proto__": {"summary": "b.md"}, "constructor": 1}}'
  const { config } = await configOf({ 'book.json': json, 'docs/a.md': '' })
  assert.equal(config, { root: '', readme: 'README.md', summary: 'SUMMARY.md', redirects: {} })
  assert.is(
    (
      await configOf({
        'book.toml': '[__proto__]\nbook = {src = "docs"}\n[book.__proto__]\nsrc = "docs"\n',
        'src/a.md': '',
      })
    ).config.root,
    'src',
  )
  assert.is(({} as Record<string, unknown>).root, undefined)
})

test('redirects are a setting of .gitbook.yaml only', async () => {
  assert.equal((await configOf({ 'book.json': '{"redirects": {"old": "a.md"}}', 'a.md': '' })).config.redirects, {})
})

test('a book in several languages results in a diagnostic', async () => {
  const { diagnostics } = await configOf({
    'book.json': '{}',
    'LANGS.md': '* [English](en)\n',
    'en/README.md': '',
    'en/SUMMARY.md': '',
  })
  assert.equal([diagnostics[0]?.code, diagnostics[0]?.file], ['unsupported-entry', 'LANGS.md'])
})

test('all three files of a book determine the structure', async () => {
  const { config } = await configOf({})
  for (const path of ['.gitbook.yaml', 'book.toml', 'book.json', 'SUMMARY.md'])
    assert.is(shapedBy(path, { config, listed: true }), 'entries', path)
  assert.is(shapedBy('src/book.toml', { config, listed: true }), null)
})

test('without a table of contents, a page and the folder with its name are one entry', async () => {
  const files = {
    'book.toml': '',
    'src/types.md': '# All types\n',
    'src/types/boolean.md': '# Booleans\n',
    'src/types/deep/x.md': '',
    'src/types-2/y.md': '',
  }
  const structure = await open(files)
  assert.equal(outline(structure.pages), [
    'document types ‘All types’',
    '  document types/boolean ‘Booleans’',
    '  group types/deep ‘Deep’',
    '    document types/deep/x ‘X’',
    'group types-2 ‘Types 2’',
    '  document types-2/y ‘Y’',
  ])
  assert.equal(structure.diagnostics, [])
  const both = await open({ 'types.md': '', 'types/README.md': '', 'types/a.md': '' })
  assert.equal(
    both.pages.map((page) => page.path),
    ['types', 'types-1'],
  )
})

test('a value that exists in TOML but not in JSON is harmless', () => {
  assert.equal(readToml('a = 1979-05-27\nb = nan\nc = 9223372036854775807\n'), {
    ok: true,
    value: { a: {}, b: Number.NaN, c: '9223372036854775807' },
  })
})

test.run()
