/** Links from a folder of a monorepo to other files of the same repository. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createBareRepository } from '../support/bare-repository.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Json, linesOf, read } from './support.js'

const [test, here] = await suiteWith('links out of the project directory', startService)

const HOME =
  '# Docs\n\n[code](../src/a%20b.ts#L3) [folder](../src) [gone](../none.ts) [own](../docs/other.md) [out](../../x) [root](/LICENSE)\n'
const FILES = {
  'docs/README.md': HOME,
  'docs/other.md': '# Other\n',
  'docs/SUMMARY.md': '* [Docs](README.md)\n',
  'src/a b.ts': 'x\n',
  LICENSE: 'MIT\n',
}

async function importFolder(
  name: string,
  more: object = {},
): Promise<{ space: string; sync: (input?: object) => Promise<void>; commit: (files: object) => Promise<string> }> {
  const path = join(here.dir, `${name}.git`)
  const remote = await createBareRepository(path)
  await remote.commit(FILES)
  const space = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: name }).expect(201))
    .body.id
  const sync = async (input: object = {}): Promise<void> => {
    const body = { url: `file://${path}`, ref: 'refs/heads/main', repoProjectDirectory: 'docs', ...more, ...input }
    await here.admin.call('post', `/v1/spaces/${space}/git/import`, body).expect(204)
    for (;;) {
      const { state, error } = (await here.admin.call('get', `/v1/spaces/${space}/git/info`).expect(200)).body
      if (state === 'success') return
      if (state !== 'queued' && state !== 'running') throw new Error(error)
    }
  }
  await sync()
  return { space, sync, commit: (files) => remote.commit(files as Record<string, string>) }
}

const TREE = 'https://github.example/acme/mono/blob/main'

test('with repoTreeURL, outside links are addresses below it', async () => {
  const { space } = await importFolder('addressed', { repoTreeURL: `${TREE}/` })
  const links = await read(here.admin, `${space}/links`)
  assert.equal(linesOf(links).sort(), [
    'docs/README.md: ../../x → - broken',
    `docs/README.md: ../docs/other.md → ${TREE}/docs/other.md ok`,
    `docs/README.md: ../none.ts → ${TREE}/none.ts ok`,
    `docs/README.md: ../src → ${TREE}/src ok`,
    `docs/README.md: ../src/a%20b.ts#L3 → ${TREE}/src/a%20b.ts#L3 ok`,
    'docs/README.md: /LICENSE → - broken',
  ])
  assert.is(links.stats.broken.total, 2)
})

test('without repoTreeURL, outside links are repository paths that may be broken', async () => {
  const { space, sync, commit } = await importFolder('pathed')
  const lines = async () => linesOf(await read(here.admin, `${space}/links`)).sort()
  assert.equal(await lines(), [
    'docs/README.md: ../../x → - broken',
    'docs/README.md: ../docs/other.md → docs/other.md ok',
    'docs/README.md: ../none.ts → - broken',
    'docs/README.md: ../src → src ok',
    'docs/README.md: ../src/a%20b.ts#L3 → src/a b.ts#L3 ok',
    'docs/README.md: /LICENSE → - broken',
  ])
  const broken = (await read(here.admin, `${space}/links?status=broken`)).items.find(
    (link: Json) => link.target === '../none.ts',
  )
  assert.match(broken.problem, /repoTreeURL/)
  await commit({ 'none.ts': 'now\n', 'src/a b.ts': null })
  await sync()
  assert.equal((await lines()).slice(2, 5), [
    'docs/README.md: ../none.ts → none.ts ok',
    'docs/README.md: ../src → - broken',
    'docs/README.md: ../src/a%20b.ts#L3 → - broken',
  ])
})

test('a revision uses its commit address only if the repository has the commit', async () => {
  const path = join(here.dir, 'whole.git')
  const remote = await createBareRepository(path)
  const first = await remote.commit({ 'README.md': '# Home\n' })
  const head = await remote.commit({ 'a.md': '# A\n' })
  const space = (
    await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Commits' }).expect(201)
  ).body.id
  const run = async (way: string, more: object = {}): Promise<void> => {
    const body = {
      url: `file://${path}`,
      ref: 'refs/heads/main',
      repoCommitURL: 'https://github.example/commit/',
      ...more,
    }
    await here.admin.call('post', `/v1/spaces/${space}/git/${way}`, body).expect(204)
    for (;;) {
      const { state, error } = (await here.admin.call('get', `/v1/spaces/${space}/git/info`).expect(200)).body
      if (state === 'success') return
      if (state !== 'queued' && state !== 'running') throw new Error(error)
    }
  }
  const addresses = async (): Promise<(string | undefined)[]> =>
    (await read(here.admin, `${space}/revisions`)).items.map(({ git }: Json) =>
      git.url?.replace('https://github.example/commit/', ''),
    )
  await run('import')
  assert.equal(await addresses(), [head, first])
  await here.admin
    .call('post', `/v1/spaces/${space}/content`, {
      changes: [{ operation: 'insert_page', title: 'New', document: { markdown: '# New\n' } }],
    })
    .expect(200)
  assert.equal(await addresses(), [undefined, head, first])
  const before = (await read(here.admin, `${space}/content`)).git.url
  await run('export', { commitMessage: 'Publish' })
  const exported = (await remote.head()) as string
  assert.equal(await addresses(), [exported, head, first], 'the exported revision is another commit there')
  assert.equal(
    [before, (await read(here.admin, `${space}/content`)).git.url],
    [undefined, `https://github.example/commit/${exported}`],
  )
})

test.run()
