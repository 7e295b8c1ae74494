import * as assert from 'uvu/assert'
import { readConfig, resolveRedirect } from '../../src/content/config.js'
import { type Diagnostic, grouped } from '../../src/kernel/diagnostic.js'
import { idOf } from '../../src/content/identity.js'
import { readStructure } from '../../src/content/structure.js'
import { type MemoryFile, memoryTree } from '../support/memory-tree.js'
import { inPlace } from '../../src/content/work/direct.js'
import { suite } from '../support/suite.js'

const test = suite('content: configuration')
const defaults = { root: '', readme: 'README.md', summary: 'SUMMARY.md', redirects: {} }
const pages = { 'README.md': '', 'a/README.md': '', 'b.md': '', 'docs/x.md': '', 'docs/y/README.md': '' }
const read = (yaml: string | null) =>
  readConfig(memoryTree(yaml === null ? pages : { ...pages, '.gitbook.yaml': yaml }), inPlace)

const sound: Array<[name: string, yaml: string | null, expected: object]> = [
  ['no file', null, defaults],
  ['an empty file', '', defaults],
  ['comments alone', '# nothing\n\n', defaults],
  ['empty values', 'root:\nstructure:\nredirects:\n', defaults],
  [
    'the root written as a path',
    'root: ./docs/\n',
    { ...defaults, root: 'docs', readme: 'docs/README.md', summary: 'docs/SUMMARY.md' },
  ],
  ['a root that is the repository', 'root: /\n', defaults],
  [
    'a root with steps back',
    'root: docs/../docs/./\n',
    { ...defaults, root: 'docs', readme: 'docs/README.md', summary: 'docs/SUMMARY.md' },
  ],
  ['another table of contents', 'structure:\n  summary: TOC.md\n', { ...defaults, summary: 'TOC.md' }],
  [
    'a table of contents outside the root',
    'root: docs\nstructure:\n  summary: ../TOC.md\n',
    { ...defaults, root: 'docs', readme: 'docs/README.md', summary: 'TOC.md' },
  ],
  [
    'zero-width characters before and behind',
    'root: ./\n\n\u200bstructure:\n    readme: b.md\n    summary: TOC.md\u200b\n',
    { ...defaults, readme: 'b.md', summary: 'TOC.md' },
  ],
  ['a zero-width line', '\u200b\nstructure:\n  summary: TOC.md\n', { ...defaults, summary: 'TOC.md' }],
  ['a byte order mark and CRLF', '\ufeffstructure:\r\n  summary: TOC.md\r\n', { ...defaults, summary: 'TOC.md' }],
  [
    'redirects alone, in every spelling',
    'redirects:\n  old: b.md\n  /old/two/: ./b.md\n  three: b\n  four: a\n  five: ./a/\n  six: b.md#part\n  7: /b.md\n',
    {
      ...defaults,
      redirects: {
        7: 'b.md',
        old: 'b.md',
        'old/two': 'b.md',
        three: 'b.md',
        four: 'a/README.md',
        five: 'a/README.md',
        six: 'b.md',
      },
    },
  ],
  [
    'redirects below a root',
    'root: docs\nredirects:\n  o: x.md\n  p: y\n',
    {
      root: 'docs',
      readme: 'docs/README.md',
      summary: 'docs/SUMMARY.md',
      redirects: { o: 'docs/x.md', p: 'docs/y/README.md' },
    },
  ],
]
for (const [name, yaml, expected] of sound) {
  test(`a valid .gitbook.yaml is read: ${name}`, async () => {
    const { config, diagnostics } = await read(yaml)
    assert.equal(config, expected)
    assert.equal(diagnostics, [])
  })
}

const odd: Array<[name: string, yaml: string, code: string, place: [number, number] | null]> = [
  ['what is not YAML', 'root: docs\nstructure: [a\n', 'invalid-config', [3, 1]],
  ['a tab as indent', 'structure:\n\tsummary: TOC.md\n', 'invalid-config', [2, 1]],
  ['a text', 'just words', 'invalid-config', [1, 1]],
  ['a root outside', 'structure: {}\nroot: ../up\n', 'invalid-root', [2, 1]],
  ['a root that is a list', 'root: [a]\n', 'invalid-root', [1, 1]],
  ['a structure that is a text', 'structure: x\n', 'invalid-config', [1, 1]],
  ['redirects that are a list', 'redirects: [a]\n', 'invalid-config', [1, 1]],
  ['a readme outside', 'structure:\n  readme: ../../x.md\n', 'invalid-config', [1, 1]],
  [
    'an alias bomb',
    `a: &a [x,x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [*${i ? `b${i - 1}` : 'a'},*${i ? `b${i - 1}` : 'a'}]`).join('\n')}`,
    'invalid-config',
    [1, 1],
  ],
  ['a circle', 'root: &a [*a]\n', 'invalid-config', [1, 1]],
  ['a depth bomb', `root: ${'['.repeat(20_000)}`, 'invalid-config', null],
  ['a huge file', `# ${'x'.repeat(300_000)}\nroot: docs\n`, 'invalid-config', [1, 1]],
]
for (const [name, yaml, code, place] of odd) {
  test(`${name} results in a diagnostic and the defaults`, async () => {
    const { config, diagnostics } = await read(yaml)
    assert.equal(config, defaults)
    assert.is(diagnostics[0]?.code, code)
    assert.is(diagnostics[0]?.file, '.gitbook.yaml')
    if (place) assert.equal([diagnostics[0]?.line, diagnostics[0]?.column], place)
  })
}

test('keys of the configuration cannot reach a prototype', async () => {
  const { config } = await read(
    '__proto__:\n  root: docs\nredirects:\n  __proto__: b.md\n  constructor: b.md\nstructure:\n  __proto__: {readme: b.md}\n',
  )
  assert.equal(Object.keys(config.redirects), ['constructor'])
  assert.is(config.readme, 'README.md')
  assert.is(({} as Record<string, unknown>).root, undefined)
})

test('a redirect to a missing page, or to a URL, is reported and omitted', async () => {
  const { config, diagnostics } = await read(
    'redirects:\n  a: gone.md\n  b: https://example.com/x\n  c: b.md\n  d: ../../etc\n  e: [b.md]\n',
  )
  assert.equal(config.redirects, { c: 'b.md' })
  assert.is(diagnostics.length, 4)
})

test('a redirect matches its old path, with or without slashes and encoding', async () => {
  const yaml = 'redirects:\n  old/pa th: b.md\n  gone: docs/x.md\n  "%C3%BCber%20uns": b.md\n  100%: b.md\n'
  const structure = await readStructure(
    memoryTree({ ...pages, '.gitbook.yaml': yaml, 'SUMMARY.md': '* [B](b.md)\n' }),
    idOf(new Map()),
    inPlace,
  )
  for (const path of [
    'old/pa th',
    '/old/pa th/',
    'old/pa%20th',
    'old/pa th.html',
    'über uns',
    '%C3%BCber%20uns',
    '100%',
  ])
    assert.is(resolveRedirect(structure, path)?.gitPath, 'b.md', path)
  for (const path of ['old', 'gone', 'constructor', '__proto__', ''])
    assert.is(resolveRedirect(structure, path), null, path)
})

test('README and SUMMARY match in any case, but the exact name takes precedence', async () => {
  const configOf = async (files: Record<string, MemoryFile>) => (await readConfig(memoryTree(files), inPlace)).config
  assert.equal(await configOf({ 'summary.md': '', 'Readme.md': '' }), {
    ...defaults,
    readme: 'Readme.md',
    summary: 'summary.md',
  })
  assert.is((await configOf({ 'summary.md': '', 'SUMMARY.md': '', 'Summary.md': '' })).summary, 'SUMMARY.md')
  assert.is((await configOf({ 'summary.md': '', 'SUMMARY.md/x.md': '' })).summary, 'summary.md')
  const toc = { '.gitbook.yaml': 'root: docs\nstructure:\n  summary: toc.md\n', 'docs/TOC.md': '', 'TOC.md': '' }
  assert.is((await configOf(toc)).summary, 'docs/TOC.md')
})

const link = (content: string): MemoryFile => ({ mode: '120000', content })
const open = (files: Record<string, MemoryFile>) => readStructure(memoryTree(files), idOf(new Map()), inPlace)

test('entries of a table of contents that is a symbolic link are relative to the link', async () => {
  const structure = await open({
    '.gitbook.yaml': 'root: docs\n',
    'docs/SUMMARY.md': link('../shared/toc.md'),
    shared: link('meta/2024'),
    'meta/2024/toc.md': '* [A](a.md)\n* [None](none.md)\n',
    'docs/a.md': '',
  })
  assert.is(structure.config.summary, 'meta/2024/toc.md')
  assert.is(structure.config.summaryLink, 'docs/SUMMARY.md')
  assert.equal([...structure.byGitPath.keys()], ['docs/a.md'])
  assert.equal(
    structure.diagnostics.map(({ file, line }) => `${file} ${line}`),
    ['meta/2024/toc.md 2'],
  )
})

const unreadable: Array<[name: string, files: Record<string, MemoryFile>, reason: RegExp]> = [
  ['a folder', { 'SUMMARY.md/x.md': '' }, /SUMMARY\.md is a folder/],
  ['a link to nothing', { 'SUMMARY.md': link('gone.md') }, /SUMMARY\.md is a symbolic link/],
  ['a link to a folder', { 'SUMMARY.md': link('docs'), 'docs/x.md': '' }, /SUMMARY\.md is a symbolic link/],
  ['a link out of the repository', { 'SUMMARY.md': link('../toc.md') }, /SUMMARY\.md is a symbolic link/],
  ['an absolute link', { 'SUMMARY.md': link('/etc/passwd') }, /SUMMARY\.md is a symbolic link/],
  ['a circle of links', { 'SUMMARY.md': link('b'), b: link('SUMMARY.md') }, /SUMMARY\.md is a symbolic link/],
]
for (const [name, files, reason] of unreadable)
  test(`a SUMMARY.md that is ${name} is reported, and the tree follows the folders`, async () => {
    const { diagnostics, listed, byGitPath } = await open({ ...files, 'a.md': '# A\n' })
    assert.is(listed, false)
    assert.ok(byGitPath.has('a.md'))
    assert.match(diagnostics.find(({ code }) => code === 'unreadable')?.message ?? '', reason)
  })

test('all .mdx files are reported in one diagnostic', async () => {
  const { diagnostics } = await open({
    'SUMMARY.md': '* [A](a.md)\n',
    'a.md': '',
    'b.mdx': '',
    'c/d.MDX': '',
    '.x/e.mdx': '',
  })
  assert.equal(
    diagnostics.map(({ code, file }) => `${code} ${file}`),
    ['unlisted b.mdx'],
  )
  assert.match(diagnostics[0]?.message ?? '', /2 \.mdx files/)
})

test('thousands of diagnostics of one kind leave room for the others', () => {
  const many = Array.from({ length: 5000 }, (_, n): Diagnostic => ({ code: 'unlisted', message: 'M', file: `${n}.md` }))
  const shown = [...grouped([...many, { code: 'missing-file', message: 'Gone.' }])].filter((one) => one !== null)
  assert.is(shown.length, 102)
  assert.is(shown[100]?.code, 'missing-file')
  assert.match(shown[101]?.message ?? '', /^4900 more .* unlisted .* 100\.md, 101\.md, 102\.md/)
})

test('an entry follows symbolic links to a page, and a broken link is named', async () => {
  const structure = await open({
    'SUMMARY.md': '* [A](alias.md)\n* [B](latest/b.md)\n* [C](out.md)\n* [Again](a.md)\n* [D](Guide/X.md)\n',
    'a.md': '',
    'v2/b.md': '',
    'guide/x.md': '',
    'alias.md': link('./latest/../a.md'),
    latest: link('v2/'),
    'out.md': link('../other/out.md'),
  })
  assert.equal([...structure.byGitPath.keys()], ['a.md', 'v2/b.md'])
  const messages = structure.diagnostics
    .filter(({ line }) => line !== undefined)
    .map(({ line, message }) => `${line} ${message}`)
  assert.match(messages[0] ?? '', /^3 "out\.md" goes through the symbolic link out\.md/)
  assert.match(messages[1] ?? '', /^4 a\.md is already listed on line 1/)
  assert.match(
    messages[2] ?? '',
    /^5 "Guide\/X\.md" is not a file of this repository\. guide\/x\.md differs only in case/,
  )
})

test.run()
