import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Desk, deskOf, flat, openDesk } from '../commits/fixture.js'
import { idsOf, soundIds } from './ids.js'

const [test, here] = await suiteWith('identity: hard cases', startService)

const text = (word: string, lines = 12): string =>
  `# ${word}\n\n${Array.from({ length: lines }, (_, n) => `${word} line ${n}.\n`).join('')}`
const summary = (entries: Record<string, string>): string =>
  `# Table of contents\n\n${Object.entries(entries)
    .map(([path, title]) => `* [${title}](${path})\n`)
    .join('')}`
const idsByTitle = async (desk: Desk): Promise<Map<string, string>> =>
  new Map(flat(await desk.pages()).map((page) => [page.title, page.id]))

test(
  '2,500 pages keep their IDs when one commit renames all and edits half of them',
  async () => {
    const COUNT = 2_500
    const name = (n: number): string => `page-${n}`
    const old = Object.fromEntries(Array.from({ length: COUNT }, (_, n) => [`old/${name(n)}.md`, text(name(n))]))
    const titles = (folder: string) =>
      Object.fromEntries(Array.from({ length: COUNT }, (_, n) => [`${folder}/${name(n)}.md`, name(n)]))
    const desk = await openDesk(here, { ...old, 'SUMMARY.md': summary(titles('old')) })
    const before = await idsByTitle(desk)
    assert.is(before.size, COUNT)
    const moved = Object.fromEntries(
      Object.entries(old).map(([path, was], n) => [
        path.replace('old/', 'new/'),
        n % 2 === 0 ? was : `${was}And more.\n`,
      ]),
    )
    await desk.human({
      ...Object.fromEntries(Object.keys(old).map((path) => [path, null])),
      ...moved,
      'SUMMARY.md': summary(titles('new')),
    })
    const after = await idsByTitle(desk)
    assert.is([...before].filter(([title, id]) => after.get(title) !== id).length, 0)
    // Neither titles nor names identify the pages now.
    const titled = Object.fromEntries(Array.from({ length: COUNT }, (_, n) => [`last/${n * 7}.md`, `Page ${n}`]))
    const last = Object.fromEntries(Object.entries(moved).map(([, was], n) => [`last/${n * 7}.md`, was]))
    await desk.human({
      ...Object.fromEntries(Object.keys(moved).map((path) => [path, null])),
      ...last,
      'SUMMARY.md': summary(titled),
    })
    const again = await idsByTitle(desk)
    for (let n = 0; n < COUNT; n++) assert.is(again.get(`Page ${n}`), before.get(name(n)))
  },
  { timeoutMs: 180_000 },
)

test('stubs with the same bytes keep their IDs when folders are renamed together', async () => {
  const stub = '# Introduction\n'
  const folders = Array.from({ length: 40 }, (_, n) => `part-${n}`)
  const files = Object.fromEntries(
    folders.flatMap((folder) => [
      [`${folder}/README.md`, stub],
      [`${folder}/text.md`, text(folder)],
    ]),
  )
  const entries = (of: string[]) =>
    Object.fromEntries(
      of.flatMap((folder, n) => [
        [`${folder}/README.md`, `Part ${n}`],
        [`${folder}/text.md`, `Text ${n}`],
      ]),
    )
  const desk = await openDesk(here, { ...files, 'SUMMARY.md': summary(entries(folders)) })
  const before = await soundIds(desk)
  const renamed = folders.map((folder, n) => (n % 2 === 0 ? folder : `renamed-${n}`))
  const changes: Record<string, string | null> = { 'SUMMARY.md': summary(entries(renamed)) }
  for (const [n, folder] of folders.entries())
    if (renamed[n] !== folder)
      Object.assign(changes, {
        [`${folder}/README.md`]: null,
        [`${folder}/text.md`]: null,
        [`${renamed[n]}/README.md`]: stub,
        [`${renamed[n]}/text.md`]: text(folder),
      })
  await desk.human(changes)
  assert.equal([...(await soundIds(desk))].sort(), [...before].sort())
})

test('a renamed and rewritten page keeps its ID through its entry in the table of contents', async () => {
  const FILES = {
    'SUMMARY.md': summary({ 'a.md': 'Alpha', 'b.md': 'Beta' }),
    'a.md': text('alpha'),
    'b.md': text('beta'),
  }
  const desk = await openDesk(here, FILES)
  const before = await idsOf(desk)
  // The decoy has the old text. The entry identifies the page.
  await desk.human({
    'a.md': null,
    'x.md': 'All is other.\n',
    'decoy.md': `${text('alpha')}x\n`,
    'SUMMARY.md': summary({ 'x.md': 'Alpha', 'b.md': 'Beta' }),
  })
  const after = await soundIds(desk)
  assert.is(after.get('document Alpha'), before.get('document Alpha'))
  assert.is(after.get('document Beta'), before.get('document Beta'))
})

test('pages come back with their IDs after a revert by the service or by plain Git', async () => {
  const FILES = {
    'SUMMARY.md': summary({ 'a.md': 'Alpha', 'b.md': 'Beta', 'c.md': 'Gamma' }),
    'a.md': text('alpha'),
    'b.md': text('beta'),
    'c.md': text('gamma'),
  }
  const desk = await openDesk(here, FILES)
  const before = await soundIds(desk)
  const id = (title: string): string => before.get(`document ${title}`) as string
  const request = await desk.changeRequest()
  await request.write([
    { operation: 'update_page', page: id('Alpha'), slug: 'moved', document: { markdown: 'All is other.\n' } },
    { operation: 'delete_page', page: id('Beta') },
  ])
  await request.merge()
  await desk.write([{ operation: 'update_page', page: id('Gamma'), slug: 'g' }])
  const { body } = await desk.admin.call('post', `${request.url}/revert`).expect(201)
  await desk.admin.call('post', `${desk.url}/change-requests/${body.id}/merge`).expect(200)
  assert.equal([...(await soundIds(desk))].sort(), [...before].sort())
  assert.is((await desk.byPath()).get('a')?.id, id('Alpha'))
  // Manually: git revert restores pages that a person deleted.
  const files = ['a.md', 'g.md', 'SUMMARY.md']
  const were = Object.fromEntries(await Promise.all(files.map(async (path) => [path, await desk.file(path)])))
  await desk.human({
    'a.md': null,
    'g.md': null,
    'y.md': were['g.md'] as string,
    'SUMMARY.md': summary({ 'y.md': 'Gamma', 'b.md': 'Beta' }),
  })
  await desk.human({ ...were, 'y.md': null } as Record<string, string | null>)
  assert.equal([...(await soundIds(desk))].sort(), [...before].sort())
})

test("a repository in a new space provides its IDs if the server's documents are lost", async () => {
  const desk = await openDesk(here, {
    'SUMMARY.md': summary({ 'a.md': 'Alpha', 'b.md': 'Beta' }),
    'a.md': text('alpha'),
    'b.md': text('beta'),
  })
  const before = await idsOf(desk)
  await desk.write([
    {
      operation: 'update_page',
      page: before.get('document Alpha') as string,
      slug: 'x',
      document: { markdown: 'Other.\n' },
    },
  ])
  await desk.write([{ operation: 'insert_page', title: 'New', slug: 'a', document: { markdown: '# New\n' } }])
  await desk.human({
    'b.md': null,
    'y.md': `${text('beta')}more\n`,
    'SUMMARY.md': summary({ 'x.md': 'Alpha', 'y.md': 'Beta', 'a.md': 'New' }),
  })
  const now = await soundIds(desk)
  const fresh = await startService()
  try {
    const { body } = await fresh.admin
      .call('post', `/v1/orgs/${fresh.organization}/spaces`, { title: 'Again' })
      .expect(201)
    await fresh.admin
      .call('post', `/v1/spaces/${body.id}/git/import`, { url: `file://${desk.repo}`, ref: 'refs/heads/main' })
      .expect(204)
    for (let state = ''; state !== 'success'; ) {
      const { body: info } = await fresh.admin.call('get', `/v1/spaces/${body.id}/git/info`)
      state = (info.sync ?? info).state
      assert.is.not(state, 'failure', JSON.stringify(info))
      await new Promise((done) => setTimeout(done, 20))
    }
    assert.equal([...(await soundIds(await deskOf(fresh, body.id)))].sort(), [...now].sort())
  } finally {
    await fresh.close()
  }
  // The same folder of repositories without the documents.
  await rm(join(here.dir, 'nothing'), { force: true })
})

test.run()
