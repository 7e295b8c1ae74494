import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { type Desk, deskOf, flat } from '../commits/fixture.js'
import { HONKIT, MDBOOK } from '../content/book-files.js'
import { type GitHttp, startGitHttp } from '../support/git-http.js'
import { git, gitBytes } from '../support/hermetic-git.js'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('git sync: unmodified HonKit and mdBook repositories')
let service: TestService
let remotes: GitHttp
let served: string
test.before(async () => {
  served = await mkdtemp(join(tmpdir(), 'bindery-remotes-'))
  remotes = await startGitHttp({ root: served })
  service = await startService()
})
test.after(async () => {
  await service.close()
  await remotes.close()
  await rm(served, { recursive: true, force: true })
})

type Remote = Awaited<ReturnType<GitHttp['createRepository']>>

/** Imports or exports, and waits for the end. */
async function sync(desk: Desk, direction: 'import' | 'export', remote: Remote): Promise<void> {
  const more = direction === 'export' ? { commitMessage: 'Publish' } : {}
  await desk.admin
    .call('post', `${desk.url}/git/${direction}`, { url: remote.url, ref: 'refs/heads/main', ...more })
    .expect(204)
  for (;;) {
    const { body } = await desk.admin.call('get', `${desk.url}/git/info`).expect(200)
    await setTimeout(20)
    if (body.state === 'queued' || body.state === 'running') continue
    assert.equal([body.state, body.error], ['success', null])
    return
  }
}

/** A space that has imported a new remote with these files. */
async function imported(name: string, files: Record<string, string>): Promise<{ desk: Desk; remote: Remote }> {
  const remote = await remotes.createRepository(`${name}.git`, { files })
  const { body } = await service.admin
    .call('post', `/v1/orgs/${service.organization}/spaces`, { title: name })
    .expect(201)
  const desk = await deskOf(service, body.id)
  await sync(desk, 'import', remote)
  return { desk, remote }
}

/** Returns every file of the remote branch, byte by byte. */
async function remoteFiles(remote: Remote): Promise<Record<string, string>> {
  const paths = (await git(remote.path, ['ls-tree', '-r', '-z', '--name-only', 'main']))
    .split('\0')
    .filter((path) => path !== '')
  return Object.fromEntries(
    await Promise.all(
      paths.map(async (path) => [path, (await gitBytes(remote.path, ['cat-file', 'blob', `main:${path}`])).toString()]),
    ),
  )
}

const ids = async (desk: Desk): Promise<string[]> => flat(await desk.pages()).map(({ path, id }) => `${path} ${id}`)

test('an export of edits to an mdBook repository changes only the requested lines', async () => {
  const { desk, remote } = await imported('mdbook', MDBOOK)
  assert.is((await desk.byPath()).get('user-guide/reading/types')?.git?.path, 'src/types.md')
  await sync(desk, 'export', remote)
  assert.equal(await remoteFiles(remote), MDBOOK)

  const insert = async (title: string, into?: string, at?: number): Promise<void> => {
    const place = { ...(into === undefined ? {} : { into: await desk.id(into) }), ...(at === undefined ? {} : { at }) }
    await desk.write([{ operation: 'insert_page', title, ...place, document: { markdown: `# ${title}\n` } }])
  }
  await desk.write([
    {
      operation: 'update_page',
      page: await desk.id('user-guide/installation'),
      document: { markdown: '# Installation\n\nDownload it.\n' },
    },
  ])
  await insert('Integers', 'user-guide/reading/types')
  await insert('Errors', 'reference')
  await insert('Preface', undefined, 1)
  await insert('Thanks')
  await desk.write([{ operation: 'insert_group', title: 'Appendix' }])
  await sync(desk, 'export', remote)
  const summary = (MDBOOK['src/SUMMARY.md'] as string)
    // A chapter that is inserted between two chapters on one line gets a separate line.
    .replace('[Introduction](introduction.md) ', '[Introduction](introduction.md)\n[Preface](preface.md)\n')
    .replace(
      '        - [Booleans](types/boolean.md)\n',
      '        - [Booleans](types/boolean.md)\n        - [Integers](types/integers.md)\n',
    )
    .replace('2. [Format](format.md)\n', '2. [Format](format.md)\n3. [Errors](reference/errors.md)\n\n# Appendix\n')
    .replace('[Licence](misc/licence.md)\n', '[Licence](misc/licence.md)\n[Thanks](thanks.md)\n')
  assert.equal(await remoteFiles(remote), {
    ...MDBOOK,
    'src/SUMMARY.md': summary,
    'src/guide/installation.md': '# Installation\r\n\r\nDownload it.\r\n',
    'src/types/integers.md': '# Integers\n',
    'src/reference/errors.md': '# Errors\n',
    'src/preface.md': '# Preface\n',
    'src/thanks.md': '# Thanks\n',
  })
})

test('an export of edits to a HonKit repository changes only the requested lines', async () => {
  const { desk, remote } = await imported('honkit', HONKIT)
  await desk.write([
    {
      operation: 'insert_page',
      title: 'Dots',
      into: await desk.id('part-i/part1'),
      document: { markdown: '# Dots\n' },
    },
    { operation: 'insert_group', title: 'Part III' },
  ])
  await sync(desk, 'export', remote)
  assert.equal(await remoteFiles(remote), {
    ...HONKIT,
    'docs/TOC.md': `${(HONKIT['docs/TOC.md'] as string).replace('(part1/commas.md)\n', '(part1/commas.md)\n  * [Dots](part1/dots.md)\n')}\n### Part III\n`,
    'docs/part1/dots.md': '# Dots\n',
  })
})

for (const [name, files, config] of [
  ['mdbook', MDBOOK, 'root: ./src\n'],
  ['honkit', HONKIT, 'root: docs\nstructure:\n  readme: INTRO.md\n  summary: TOC.md\n'],
] as const)
  test(`a .gitbook.yaml that is added to ${name} takes precedence, and pages keep their IDs`, async () => {
    const { desk, remote } = await imported(`${name}-yaml`, files)
    const before = await ids(desk)
    await remote.commit({ '.gitbook.yaml': config })
    await sync(desk, 'import', remote)
    assert.equal(await ids(desk), before)
    // Another root: no file has moved, so every page keeps its ID.
    await remote.commit({ '.gitbook.yaml': null })
    await sync(desk, 'import', remote)
    assert.equal(await ids(desk), before)
  })

test('pages keep their IDs if the configuration moves the root', async () => {
  const { desk, remote } = await imported('moved-root', {
    'book.toml': '[book]\n',
    'src/a.md': '# A\n',
    'src/b.md': '# B\n',
    'src/SUMMARY.md': '- [A](a.md)\n',
  })
  const before = (await desk.byPath()).get('a')?.id
  assert.ok(before)
  await remote.commit({ 'book.toml': '[book]\nsrc = "."\n' })
  await sync(desk, 'import', remote)
  assert.is((await desk.byPath()).get('src/a')?.id, before)
  await remote.commit({ 'SUMMARY.md': '* [A](src/a.md)\n' })
  await sync(desk, 'import', remote)
  assert.is((await desk.byPath()).get('a')?.id, before)
})

test("the first edit of a book's tree creates a table of contents in the book's folder", async () => {
  const { desk, remote } = await imported('bare', {
    'book.toml': '',
    'src/types.md': '# All types\n',
    'src/types/boolean.md': '# Booleans\n',
    'README.md': '# x\n',
  })
  assert.equal([...(await desk.byPath()).keys()], ['types', 'types/boolean'])
  await desk.write([{ operation: 'insert_page', title: 'Dots', document: { markdown: '# Dots\n' } }])
  await sync(desk, 'export', remote)
  const files = await remoteFiles(remote)
  assert.equal(Object.keys(files).sort(), [
    'README.md',
    'book.toml',
    'src/SUMMARY.md',
    'src/dots.md',
    'src/types.md',
    'src/types/boolean.md',
  ])
  assert.is(
    files['src/SUMMARY.md'],
    '# Table of contents\n\n* [All types](types.md)\n  * [Booleans](types/boolean.md)\n* [Dots](dots.md)\n',
  )
})

test('operations on files cannot change the configuration of a book', async () => {
  const { desk } = await imported('kept', {
    ...MDBOOK,
    'src/format.md': '# Format\n\n[config](../book.toml) [cargo](../Cargo.toml)\n',
  })
  await desk.write([{ operation: 'delete_file', file: 'book.toml' }], 400)
  await desk.write([{ operation: 'rename_file', file: 'Cargo.toml', name: 'book.json' }], 400)
})

test('an import with a hostile configuration succeeds, and diagnostics name the file', async () => {
  const files = { 'a.md': '# A\n', 'src/b.md': '# B\n' }
  const texts: Record<string, Record<string, string>> = {
    outside: { 'book.toml': '[book]\nsrc = "../../etc"\n' },
    deep: { 'book.json': `{"root": ${'['.repeat(60_000)}` },
    keys: { 'book.toml': `${'a.'.repeat(120_000)}b = 1\n` },
    huge: { 'book.json': `{"a": "${'x'.repeat(2_000_000)}"}` },
  }
  for (const [name, config] of Object.entries(texts)) {
    const { desk } = await imported(`hostile-${name}`, { ...files, ...config })
    const { body } = await desk.admin.call('get', `${desk.url}/content`).expect(200)
    assert.equal(
      body.diagnostics.map((one: { file: string }) => one.file),
      Object.keys(config),
      name,
    )
    assert.ok((await desk.byPath()).size > 0, name)
  }
})

test.run()
