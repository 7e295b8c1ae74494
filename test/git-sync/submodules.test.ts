/** Submodules are entries without content: they are synced unchanged, are never fetched, and never count as files. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import type { Files } from '../support/bare-repository.js'
import { type GitHttp, startGitHttp } from '../support/git-http.js'
import { git } from '../support/hermetic-git.js'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'

const test = suite('git sync of repositories with submodules')
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

type Json = any

const FIRST = '1234567890123456789012345678901234567890'
const THIRD = '0123012301230123012301230123012301230123'
const SECOND = 'abcdefabcdefabcdefabcdefabcdefabcdefabcd'

/**
 * A book with submodules whose names look like a folder, a page, a picture and included content, and with an unusual
 * `.gitmodules`.
 */
const book = (at: string): Files => ({
  '.gitmodules': `[submodule "lib"]\n\tpath = lib\n\turl = ${remotes.url}/lib.git\n  # kept as it is\n`,
  lib: { submodule: at },
  'page.md': { submodule: at },
  'pictures/a.png': { submodule: at },
  '.gitbook/includes/note.md': { submodule: at },
  '.gitbook/assets/logo.png': { submodule: at },
})

const HOME =
  '# Home\n\n[library](lib/README.md) [the folder](lib) [gone](gone.md) [a page](page.md#top) ![](pictures/a.png)\n\n![](.gitbook/assets/logo.png)\n\n{% include ".gitbook/includes/note.md" %}\n'

const linksTo = (ids: Json): string[] =>
  ids.map((link: Json) => `${link.target}: ${link.status}, ${link.problem ?? ''}`)

const admin = { call: (...input: Parameters<TestService['admin']['call']>) => service.admin.call(...input) }

/** Starts an import or export. Returns its outcome. */
async function run(space: string, what: 'import' | 'export', input: object): Promise<Json> {
  await admin.call('post', `/v1/spaces/${space}/git/${what}`, { ref: 'refs/heads/main', ...input }).expect(204)
  for (;;) {
    const { body } = await admin.call('get', `/v1/spaces/${space}/git/info`).expect(200)
    if (body.state !== 'queued' && body.state !== 'running') return body
    await sleep(50)
  }
}

const newSpace = async (): Promise<string> =>
  (await admin.call('post', `/v1/orgs/${service.organization}/spaces`, { title: 'Docs' }).expect(201)).body.id

const read = async (path: string): Promise<Json> => (await admin.call('get', `/v1/spaces/${path}`).expect(200)).body

const repositoryOf = (space: string): string => join(service.dir, 'repos', `${space}.git`)

/** Returns the submodules and the `.gitmodules` of a commit, as Git lists them. */
const entriesOf = async (dir: string, commit: string): Promise<string[]> =>
  (await git(dir, ['ls-tree', '-r', commit]))
    .split('\n')
    .filter((line) => line.startsWith('160000') || line.includes('.gitmodules'))

for (const { where, directory } of [
  { where: 'a whole repository', directory: '' },
  { where: 'a folder of a repository', directory: 'docs' },
]) {
  test(`import, edit, merge and export of ${where} leave submodules byte for byte`, async () => {
    const below = (files: Files): Files =>
      Object.fromEntries(
        Object.entries(files).map(([path, value]) => [directory === '' ? path : `${directory}/${path}`, value]),
      )
    const outside: Files =
      directory === ''
        ? {}
        : { '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ../x.git\n', x: { submodule: FIRST } }
    const lib = await remotes.createRepository(`lib${directory}.git`, { files: { 'README.md': '# Library\n' } })
    const remote = await remotes.createRepository(`with-submodules${directory}.git`, {
      files: {
        ...outside,
        ...below({
          ...book(FIRST),
          'README.md': HOME,
          'SUMMARY.md': '* [Home](README.md)\n* [Library](lib/README.md)\n* [Other](page.md)\n',
        }),
      },
    })
    const before = await entriesOf(remote.path, 'main')
    const space = await newSpace()
    const link = { url: remote.url, ...(directory === '' ? {} : { repoProjectDirectory: directory }) }
    assert.is((await run(space, 'import', link)).error, null)
    const inside = (lines: readonly string[]): string[] =>
      lines.filter((line) => line.split('\t')[1]?.startsWith(directory)).map((line) => line.replace('\tdocs/', '\t'))
    assert.equal(await entriesOf(repositoryOf(space), 'main'), inside(before))

    await admin
      .call('post', `/v1/spaces/${space}/content`, {
        changes: [{ operation: 'insert_page', title: 'New', document: { markdown: '# New\n' } }],
      })
      .expect(200)
    await remote.commit(
      below({ 'README.md': `${HOME}\nmore\n`, lib: { submodule: SECOND }, 'page.md': { submodule: SECOND } }),
    )
    const merged = await entriesOf(remote.path, 'main')
    assert.is((await run(space, 'import', link)).error, null)
    assert.equal(await entriesOf(repositoryOf(space), 'main'), inside(merged))
    assert.is((await run(space, 'export', { ...link, commitMessage: 'Publish' })).error, null)
    assert.equal(await entriesOf(remote.path, 'main'), merged)
    assert.match(await git(remote.path, ['show', `main:${directory}${directory && '/'}new.md`]), '# New')

    await remote.commit(
      below({
        lib: null,
        moved: { submodule: SECOND },
        'page.md': '# A page now\n',
        'README.md': `${HOME}\nstill more\n`,
      }),
    )
    await admin
      .call('post', `/v1/spaces/${space}/content`, {
        changes: [{ operation: 'insert_page', title: 'Newer', document: { markdown: '# Newer\n' } }],
      })
      .expect(200)
    assert.is((await run(space, 'export', { ...link, commitMessage: 'Publish', exportMode: 'commits' })).error, null)
    const last = await entriesOf(remote.path, 'main')
    assert.equal(await entriesOf(repositoryOf(space), 'main'), inside(last))
    assert.ok(last.some((line) => line.includes(`${SECOND}\t`) && line.endsWith('moved')))
    assert.equal(
      remotes.requests.filter(({ url }) => url.startsWith(new URL(lib.url).pathname)),
      [],
      'the submodule was not requested',
    )
  })
}

test('a submodule that both sides moved is a conflict, and either side can be chosen', async () => {
  const remote = await remotes.createRepository('both.git', {
    files: { lib: { submodule: FIRST }, 'README.md': '# Home\n' },
  })
  const space = await newSpace()
  await run(space, 'import', { url: remote.url })
  const repo = repositoryOf(space)
  const tree = await git(repo, ['mktree', '--missing'], (await git(repo, ['ls-tree', 'main'])).replace(FIRST, SECOND))
  await git(repo, [
    'update-ref',
    'refs/heads/main',
    await git(repo, ['commit-tree', '-p', 'main', '-m', 'Newer library', tree]),
  ])
  await remote.commit({ lib: { submodule: THIRD }, 'README.md': '# Home\n\nmore\n' })
  assert.is((await run(space, 'import', { url: remote.url })).state, 'conflict')
  const { items: requests } = await read(`${space}/change-requests?status=open`)
  const base = `${space}/change-requests/${requests[0].id}`
  const { items } = await read(`${base}/conflicts`)
  assert.equal(
    items.map((one: Json) => one.path),
    ['lib'],
  )
  await admin.call('post', `/v1/spaces/${base}/update`, { resolve: [{ path: 'lib', take: 'main' }] }).expect(200)
  await admin.call('post', `/v1/spaces/${base}/merge`).expect(200)
  assert.match((await entriesOf(repo, 'main')).join(), SECOND)
  assert.match(await git(repo, ['show', 'main:README.md']), 'more')
})

test('pages, files, links and PDF skip submodules, and a link into one is reported', async () => {
  const remote = await remotes.createRepository('shown.git', {
    files: {
      ...book(FIRST),
      'README.md': HOME,
      'SUMMARY.md': '* [Home](README.md)\n* [Library](lib/README.md)\n* [Other](page.md)\n',
    },
  })
  const space = await newSpace()
  await run(space, 'import', { url: remote.url })
  const { pages } = await read(`${space}/content/pages`)
  assert.equal(
    pages.map((page: Json) => page.title),
    ['Home'],
  )
  assert.equal((await read(`${space}/content/files`)).items, [])
  const { diagnostics } = await read(`${space}/content`)
  assert.equal(
    diagnostics
      .filter(({ line }: Json) => line !== undefined)
      .map(({ file, line, message }: Json) => [file, line, /submodule/.test(message)]),
    [
      ['SUMMARY.md', 2, true],
      ['SUMMARY.md', 3, true],
    ],
  )
  const page = await read(`${space}/content/page/${pages[0].id}?format=markdown`)
  assert.match(page.markdown, 'library')
  const links = linksTo((await read(`${space}/links`)).items)
  for (const target of [
    'lib/README.md',
    'lib',
    'page.md#top',
    'pictures/a.png',
    '.gitbook/assets/logo.png',
    '.gitbook/includes/note.md',
  ])
    assert.match(links.find((line) => line.startsWith(`${target}: `)) ?? '', /broken, .*submodule/)
  assert.match(links.find((line) => line.startsWith('gone.md')) ?? '', /does not exist/)
  const asked = new URL((await read(`${space}/pdf`)).url)
  let pdf: Response
  while ((pdf = await fetch(asked)).status === 202) await sleep(200)
  assert.is(pdf.status, 200)
})

test.run()
