import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { deskOf, openDesk } from '../commits/fixture.js'
import { soundIds } from './ids.js'

const [test, here] = await suiteWith('identity', startService)

const text = (word: string): string =>
  `# ${word}\n\n${Array.from({ length: 12 }, (_, n) => `${word} line ${n}.\n`).join('')}`
const summary = (...lines: string[]): string => `# Table of contents\n\n${lines.join('\n')}\n`
const FILES = {
  'SUMMARY.md': summary(
    '* [A](a.md)',
    '* [B](b.md)',
    '* [C](dir/c.md)',
    '',
    '## Group',
    '',
    '* [D](d.md)',
    '* [Site](https://example.org)',
  ),
  'a.md': text('alpha'),
  'b.md': text('beta'),
  'dir/c.md': text('gamma'),
  'd.md': text('delta'),
  '.gitbook/assets/pic.png': 'pic',
  '.gitbook/includes/part.md': '---\ntitle: Part\n---\n\npart\n',
}
const retarget = (from: string, to: string): string => FILES['SUMMARY.md'].replace(`(${from})`, `(${to})`)
const same = (now: Map<string, string>, then: Map<string, string>, but: string[] = []): void => {
  for (const [name, id] of then) if (!but.includes(name)) assert.is(now.get(name), id, name)
}

test('a rename with plain Git is detected by content, even with an edit', async () => {
  const desk = await openDesk(here, FILES)
  const before = await soundIds(desk)
  assert.is(before.size, 8)
  await desk.human({ 'a.md': null, 'dir/z.md': FILES['a.md'], 'SUMMARY.md': retarget('a.md', 'dir/z.md') })
  same(await soundIds(desk), before)
  await desk.human({
    'b.md': null,
    'y.md': `${FILES['b.md']}More.\n`,
    'SUMMARY.md': retarget('a.md', 'dir/z.md').replace('(b.md)', '(y.md)'),
  })
  same(await soundIds(desk), before)
  await desk.write([{ operation: 'update_page', page: before.get('document A') as string, slug: 'third' }])
  same(await soundIds(desk), before)
  await desk.human({
    'dir/third.md': null,
    'a.md': FILES['a.md'],
    'SUMMARY.md': FILES['SUMMARY.md'].replace('(b.md)', '(y.md)'),
  })
  same(await soundIds(desk), before)
  await here.restart()
  same(await soundIds(desk), before)
})

test('two pages that a person swapped keep their IDs, with or without a table of contents', async () => {
  const desk = await openDesk(here, FILES)
  const before = await soundIds(desk)
  await desk.human({ 'a.md': FILES['b.md'], 'b.md': FILES['a.md'] })
  const swapped = await soundIds(desk)
  assert.is(swapped.get('document A'), before.get('document B'))
  assert.is(swapped.get('document B'), before.get('document A'))
  await desk.write([{ operation: 'update_page', page: swapped.get('document C') as string, icon: 'x' }])
  assert.equal([...(await soundIds(desk))], [...swapped])
  await desk.human({ 'a.md': FILES['a.md'], 'b.md': FILES['b.md'] })
  same(await soundIds(desk), before)
})

test('pages keep their IDs in a ring of three renames with a later edit through the API', async () => {
  const desk = await openDesk(here, FILES)
  const before = await soundIds(desk)
  await desk.human({ 'a.md': FILES['b.md'], 'b.md': FILES['d.md'], 'd.md': FILES['a.md'] })
  const ring = await soundIds(desk)
  assert.equal(
    ['A', 'B', 'D'].map((name) => ring.get(`document ${name}`)),
    ['B', 'D', 'A'].map((name) => before.get(`document ${name}`)),
  )
  await desk.write([{ operation: 'update_page', page: ring.get('document A') as string, slug: 'e' }])
  await desk.write([{ operation: 'insert_page', title: 'New', slug: 'a', document: { markdown: 'new\n' } }])
  const after = await soundIds(desk)
  same(after, ring)
  assert.not([...ring.values()].includes(after.get('document New') as string))
})

test('a restored page gets its old ID back, unless another page uses it', async () => {
  const desk = await openDesk(here, FILES)
  const before = await soundIds(desk)
  await desk.write([{ operation: 'delete_page', page: before.get('document A') as string }])
  await soundIds(desk)
  await desk.write([
    { operation: 'insert_page', title: 'A', slug: 'a', into: null, at: 0, document: { markdown: 'again\n' } },
  ])
  same(await soundIds(desk), before)
  await desk.write([{ operation: 'update_page', page: before.get('document A') as string, slug: 'away' }])
  await desk.write([{ operation: 'insert_page', title: 'Second', slug: 'a', document: { markdown: 'second\n' } }])
  const after = await soundIds(desk)
  same(after, before)
  assert.is.not(after.get('document Second'), before.get('document A'))
})

test('a page that returns to its path needs no ID override, even if another page had the path', async () => {
  const desk = await openDesk(here, FILES)
  const before = await soundIds(desk)
  const [a, b] = [before.get('document A') as string, before.get('document B') as string]
  await desk.write([{ operation: 'update_page', page: a, slug: 'x' }])
  await desk.write([{ operation: 'update_page', page: b, slug: 'a' }])
  same(await soundIds(desk), before)
  await desk.write([{ operation: 'update_page', page: b, slug: 'b' }])
  same(await soundIds(desk), before)
  await desk.write([{ operation: 'update_page', page: a, slug: 'a' }])
  same(await soundIds(desk), before)
  await desk.write([
    { operation: 'update_page', page: a, slug: 'x' },
    { operation: 'update_page', page: b, slug: 'a' },
    { operation: 'update_page', page: a, slug: 'b' },
  ])
  same(await soundIds(desk), before)
  await desk.write([
    { operation: 'update_page', page: b, slug: 'c1' },
    { operation: 'update_page', page: a, slug: 'a' },
  ])
  same(await soundIds(desk), before)
})

test('an empty group keeps its ID after a new title and slug, even within the same batch', async () => {
  const desk = await openDesk(here, FILES)
  const { changes } = await desk.write([{ operation: 'insert_group', title: 'Empty' }])
  const group = changes[0].page as string
  await desk.write([
    { operation: 'update_group', page: group, title: 'Full', slug: 'filled', at: 0 },
    { operation: 'insert_page', title: 'Inside', into: group, document: { markdown: '# Inside\n' } },
  ])
  const [first] = await desk.pages()
  assert.equal([first?.id, first?.title, first?.slug, first?.pages.length], [group, 'Full', 'filled', 1])
  const other = (await desk.write([{ operation: 'insert_group', title: 'Other' }])).changes[0].page
  await desk.write([{ operation: 'update_group', page: other, title: 'Another' }])
  assert.is((await soundIds(desk)).get('group Another'), other)
})

test("groups, links and files keep their IDs after a change of the group's title", async () => {
  const desk = await openDesk(here, FILES)
  const before = await soundIds(desk)
  const group = before.get('group Group') as string
  await desk.write([{ operation: 'update_group', page: group, title: 'Other' }])
  const after = await soundIds(desk)
  assert.is(after.get('group Other'), group)
  same(after, before, ['group Group'])
  await desk.human({ 'SUMMARY.md': (await desk.file('SUMMARY.md'))?.replace('## Other', '## By hand') ?? '' })
  assert.is((await soundIds(desk)).get('group By hand'), group)
  await desk.write([{ operation: 'rename_file', file: before.get('file pic.png') as string, name: 'image.png' }])
  assert.is((await soundIds(desk)).get('file image.png'), before.get('file pic.png'))
  await desk.human({
    '.gitbook/includes/part.md': null,
    '.gitbook/includes/piece.md': FILES['.gitbook/includes/part.md'],
  })
  same(await soundIds(desk), before, ['group Group', 'file pic.png'])
})

test('pages keep their IDs when the table of contents is renamed and the root moves', async () => {
  const desk = await openDesk(here, {
    ...FILES,
    'SUMMARY.md': null,
    'TOC.md': FILES['SUMMARY.md'],
    '.gitbook.yaml': 'structure:\n  summary: TOC.md\n',
  })
  const before = await soundIds(desk)
  await desk.human({ 'TOC.md': FILES['SUMMARY.md'].replace('## Group', '## Retitled') })
  const after = await soundIds(desk)
  assert.is(after.get('group Retitled'), before.get('group Group'))
  same(after, before, ['group Group'])
  const down = Object.fromEntries(
    (await desk.paths()).filter((path) => path !== '.gitbook.yaml').map((path) => [path, null]),
  )
  const contents = Object.fromEntries(
    await Promise.all(Object.keys(down).map(async (path) => [`docs/${path}`, await desk.file(path)])),
  )
  await desk.human({ ...down, ...contents, '.gitbook.yaml': 'root: docs\nstructure:\n  summary: TOC.md\n' })
  same(await soundIds(desk), after)
})

test('files keep their IDs when the configuration sets a root above them', async () => {
  const files = Object.fromEntries(Object.entries(FILES).map(([path, content]) => [`docs/${path}`, content]))
  const desk = await openDesk(here, { ...files, 'SUMMARY.md': FILES['SUMMARY.md'].replace(/\((?=[abd])/g, '(docs/') })
  const before = await soundIds(desk)
  await desk.human({ '.gitbook.yaml': 'root: docs\n' })
  const after = await soundIds(desk)
  for (const name of ['A', 'B', 'C', 'D'])
    assert.is(after.get(`document ${name}`), before.get(`document ${name}`), name)
})

test('a rename on a branch and edits on main merge, and the reverse', async () => {
  const desk = await openDesk(here, FILES)
  const before = await soundIds(desk)
  const [a, b] = [before.get('document A') as string, before.get('document B') as string]
  const change = await desk.changeRequest()
  await change.write([{ operation: 'update_page', page: a, slug: 'renamed' }])
  await desk.write([{ operation: 'update_page', page: a, document: { markdown: `${FILES['a.md']}more\n` } }])
  await desk.write([{ operation: 'update_page', page: b, slug: 'moved' }])
  same(await soundIds(desk, `/change-requests/${change.id}`), before)
  await change.update()
  same(await soundIds(desk, `/change-requests/${change.id}`), before)
  await change.merge()
  same(await soundIds(desk), before)
  assert.ok((await desk.file('renamed.md'))?.endsWith('more\n'))
})

test('each side can rename a page to the path that the other side vacates', async () => {
  const desk = await openDesk(here, FILES)
  const before = await soundIds(desk)
  const [a, b] = [before.get('document A') as string, before.get('document B') as string]
  const change = await desk.changeRequest()
  await change.write([{ operation: 'update_page', page: a, slug: 'x' }])
  await change.write([{ operation: 'insert_page', title: 'Again', slug: 'a', document: { markdown: 'short\n' } }])
  const own = await soundIds(desk, `/change-requests/${change.id}`)
  await desk.write([{ operation: 'update_page', page: b, slug: 'y' }])
  await desk.write([{ operation: 'insert_page', title: 'Once more', slug: 'b', document: { markdown: 'little\n' } }])
  const main = await soundIds(desk)
  await change.merge()
  const after = await soundIds(desk)
  same(after, before)
  same(after, own)
  same(after, main)
})

test('a file that both sides add is one page', async () => {
  const desk = await openDesk(here, FILES)
  const change = await desk.changeRequest()
  const page = { operation: 'insert_page', title: 'Same', slug: 'same', document: { markdown: 'same\n' } }
  const made = await change.write([page])
  const other = await desk.write([page])
  assert.is(made.changes[0].page, other.changes[0].page)
  await change.merge()
  assert.is((await soundIds(desk)).get('document Same'), other.changes[0].page)
})

test("a person's merge keeps the IDs, with main as first or second parent", async () => {
  for (const order of ['main first', 'branch first']) {
    const desk = await openDesk(here, FILES)
    const before = await soundIds(desk)
    const base = await desk.git('rev-parse', 'main')
    await desk.git('update-ref', 'refs/heads/own', base)
    await desk.human({ 'b.md': `${FILES['b.md']}by hand\n` }, { ref: 'refs/heads/own' })
    // Renamed and rewritten at once: only the header of the server's commit identifies the page.
    await desk.write([
      {
        operation: 'update_page',
        page: before.get('document A') as string,
        slug: 'new',
        document: { markdown: 'all is other\n' },
      },
    ])
    const [main, own] = [await desk.git('rev-parse', 'main'), await desk.git('rev-parse', 'own')]
    const tree = (await desk.git('merge-tree', '--write-tree', main, own)).split('\n')[0] as string
    const parents = order === 'main first' ? ['-p', main, '-p', own] : ['-p', own, '-p', main]
    const merge = await desk.git('commit-tree', tree, ...parents, '-m', 'Merge by hand')
    await desk.git('update-ref', 'refs/heads/main', merge)
    same(await soundIds(desk), before)
    await desk.write([{ operation: 'update_page', page: before.get('document B') as string, slug: 'after' }])
    same(await soundIds(desk), before)
  }
})

test('a duplicate of a space has the same page IDs, even if the documents are missing', async () => {
  const desk = await openDesk(here, FILES)
  const before = await soundIds(desk)
  await desk.write([{ operation: 'update_page', page: before.get('document A') as string, slug: 'x' }])
  await desk.human({
    'b.md': null,
    'y.md': FILES['b.md'],
    'SUMMARY.md': (await desk.file('SUMMARY.md'))?.replace('(b.md)', '(y.md)') ?? '',
  })
  const copy = await desk.admin.call('post', `${desk.url}/duplicate`)
  assert.ok(copy.status < 300, copy.text)
  same(await soundIds(await deskOf(here, copy.body.id)), before)
})

test.run()
