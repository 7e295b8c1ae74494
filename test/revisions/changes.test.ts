import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseWords } from '../../src/domain/revisions/changes/text-diff.js'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Desk, openDesk } from '../commits/fixture.js'
import { FILES, get, post } from './fixture.js'

const [test, here] = await suiteWith('changes', startService)

const edit = (page: string, markdown: string) => ({ operation: 'update_page', page, document: { markdown } })
type Json = any
const kinds = (changes: Json[]): string[] =>
  changes.map((one) => `${one.type} ${one.page?.path ?? one.file?.path ?? one.reusableContent?.title ?? ''}`.trim())
const last = (desk: Desk, query = '') =>
  desk.git('rev-parse', 'main').then((id) => get(desk, `/revisions/${id}/changes${query}`))

test('changes are relative to the merge base before a merge, and to the merge after it', async () => {
  const desk = await openDesk(here, FILES)
  const [first, third] = [await desk.id('first'), await desk.id('third')]
  const request = await desk.changeRequest()
  assert.equal(await get(desk, `/change-requests/${request.id}/changes`), { changes: [] })
  await request.write([edit(first, '# First\n\nBranch.\n')])
  await desk.write([edit(third, '# Third\n\nMain.\n')])
  const open = await get(desk, `/change-requests/${request.id}/changes`)
  assert.equal(kinds(open.changes), ['page_edited first'])
  assert.equal(open.changes[0].attributes, { document: {} })
  await request.update()
  assert.equal((await get(desk, `/change-requests/${request.id}/changes`)).changes, open.changes)
  const { revision } = await request.merge()
  await desk.write([edit(third, '# Third\n\nLater.\n')])
  const merged = await get(desk, `/change-requests/${request.id}/changes`)
  assert.equal(merged.changes, open.changes)
  assert.is(merged.mergedFrom.id, request.id)
  assert.equal(await get(desk, `/revisions/${revision}/changes`), merged)
})

test('changes are listed for a change request that a Git user merged', async () => {
  for (const way of ['merge', 'forward']) {
    const desk = await openDesk(here, FILES)
    const request = await desk.changeRequest()
    await request.write([edit(await desk.id('first'), '# First\n\nBranch.\n')])
    const head = await desk.git('rev-parse', request.ref)
    if (way === 'merge') await desk.human({ 'first.md': '# First\n\nBranch.\n' }, { parents: [head] })
    else await desk.git('update-ref', 'refs/heads/main', head)
    await desk.human({ 'third.md': '# Third\n\nLater.\n' })
    await request.merge()
    assert.equal(kinds((await get(desk, `/change-requests/${request.id}/changes`)).changes), ['page_edited first'], way)
    await post(desk, `/change-requests/${request.id}/revert`, undefined, way === 'merge' ? 201 : 409)
  }
})

test('changes list the changed attributes of a page with values', async () => {
  const desk = await openDesk(here, FILES)
  const first = await desk.id('first')
  await desk.write([
    { operation: 'update_page', page: first, title: 'Number one', description: 'uno', icon: 'bolt', hidden: true },
  ])
  const { changes } = await last(desk)
  assert.equal(kinds(changes), ['page_edited first'])
  assert.equal(changes[0].attributes, {
    title: { before: 'First', after: 'Number one' },
    description: { before: 'one', after: 'uno' },
    icon: { after: 'bolt' },
    hidden: { after: true },
    document: {},
  })
  await desk.human({ 'first.md': '---\ncover: x.png\nlayout:\n  outline: false\n---\nText\n' })
  const again = (await last(desk)).changes[0].attributes
  assert.equal(Object.keys(again).sort(), ['cover', 'description', 'document', 'hidden', 'icon', 'layout'])
  assert.equal(again.cover, { after: { ref: 'x.png' } })
  assert.equal(again.hidden, { before: true })
})

test('changes identify pages by ID when files move, pages are edited or reordered', async () => {
  const desk = await openDesk(here, FILES)
  const [first, second, deep, third] = await Promise.all(
    ['first', 'second', 'second/deep', 'third'].map((path) => desk.id(path)),
  )
  await desk.write([{ operation: 'update_page', page: deep, slug: 'low', description: 'new' }])
  const { changes } = await last(desk)
  assert.equal(kinds(changes), ['page_moved second/low', 'page_edited second/low'])
  assert.equal(changes[0].from, { path: 'second/deep', position: 0, parent: second, file: 'second/deep.md' })
  assert.equal(changes[0].to, { path: 'second/low', position: 0, parent: second, file: 'second/low.md' })
  assert.is(changes[0].page.id, deep)
  assert.equal(changes[1].attributes, { description: { after: 'new' } })
  await desk.write([{ operation: 'update_page', page: third, into: null, at: 1 }])
  const order = (await last(desk)).changes
  assert.equal(kinds(order), ['page_moved third'])
  assert.equal([order[0].from.position, order[0].to.position], [3, 1])
  await desk.write([{ operation: 'update_page', page: deep, into: first }])
  assert.equal(
    (await last(desk)).changes.map((one: Json) => [one.type, one.page.id, one.to?.parent]),
    [['page_moved', deep, first]],
  )
})

test('changes list pages, files, variables and reusable content', async () => {
  const desk = await openDesk(here, FILES)
  const third = await desk.id('third')
  await desk.write([
    { operation: 'insert_page', title: 'Fourth', document: { markdown: '# Fourth\n' } },
    { operation: 'delete_page', page: third },
    { operation: 'update_variables', variables: { a: '1' } },
    { operation: 'upsert_reusable_content', title: 'Shared', document: { markdown: 'Shared.' } },
  ])
  const one = (await last(desk)).changes
  assert.equal(kinds(one).sort(), [
    'page_created fourth',
    'page_deleted third',
    'reusable_content_created Shared',
    'variables_edited',
  ])
  assert.equal(one.find((change: Json) => change.variables).variables, { a: { after: '1' } })
  const shared = (await desk.paths()).find((path) => path.includes('includes/')) as string
  await desk.human({
    [shared]: 'Else',
    '.gitbook/assets/b.txt': 'b',
    '.gitbook/assets/a.txt': 'aa',
    'hidden-script.js': 'x',
    'notes.md': 'in no table of contents',
    '.gitbook.yaml': 'redirects:\n  old: first.md\n',
  })
  assert.equal(kinds((await last(desk)).changes), [
    'file_created .gitbook.yaml',
    'file_edited .gitbook/assets/a.txt',
    'file_created .gitbook/assets/b.txt',
    'file_created hidden-script.js',
    'file_created notes.md',
    'reusable_content_edited Shared',
  ])
  await desk.human({ [shared]: null, '.gitbook/assets/b.txt': null, '.gitbook/vars.yaml': null })
  assert.equal(
    kinds((await last(desk)).changes).map((kind) => kind.split(' ')[0]),
    ['file_deleted', 'variables_edited', 'reusable_content_deleted'],
  )
})

test('changes of the first revision list everything, in pages with a limit', async () => {
  const desk = await openDesk(here)
  const root = await desk.git('rev-list', '--max-parents=0', 'main')
  const all = await get(desk, `/revisions/${root}/changes`)
  assert.ok(all.changes.every((change: Json) => /_created$/.test(change.type)))
  await desk.human(FILES)
  const whole = (await last(desk)).changes
  const some = await last(desk, '?limit=2')
  assert.equal(some.changes, whole.slice(0, 2))
  assert.is(some.more, whole.length - 2)
  assert.equal(await last(desk, '?limit=0'), { changes: [], more: whole.length })
  const third = await desk.id('third')
  assert.equal(kinds((await last(desk, `?pageId=${third}`)).changes), ['page_created third'])
  for (const bad of ['limit=1001', 'diff=html', 'limit=-1'])
    await last(desk, `?${bad}`).then(
      () => assert.unreachable(bad),
      (error) => assert.match(String(error), '400 instead'),
    )
})

test('computed changes match git diff-tree for commits at any distance', async () => {
  const desk = await openDesk(here, FILES)
  const request = await desk.changeRequest()
  for (const page of ['first', 'third', 'second'])
    await request.write([edit(await desk.id(page), `# ${page}\n\n${page} again.\n`)])
  await here.restart()
  const { changes } = await get(desk, `/change-requests/${request.id}/changes`)
  const native = await desk.git('diff-tree', '-r', '--name-only', 'main', request.ref)
  assert.equal(changes.map((change: Json) => change.page.file).sort(), native.split('\n').sort())
})

test('git apply accepts a unified diff, even of a moved page', async () => {
  const desk = await openDesk(here, FILES)
  const deep = await desk.id('second/deep')
  await desk.write([
    edit(await desk.id('first'), '# First\n\nThe slow brown fox\njumps.\n'),
    edit(deep, '# Deep\n\nDown here, with enough text that a rename is seen as one.\né.'),
    { operation: 'update_page', page: deep, slug: 'low' },
  ])
  const { changes } = await last(desk, '?diff=unified')
  const diffs = changes.filter((change: Json) => change.diff).map((change: Json) => change.diff.unified)
  assert.is(diffs.length, 2)
  assert.match(diffs[0], '-The quick brown fox\n+The slow brown fox\n jumps.\n')
  const dir = await mkdtemp(join(tmpdir(), 'bindery-apply-'))
  try {
    await git(dir, ['clone', '--quiet', desk.repo, 'work'])
    const work = join(dir, 'work')
    await git(work, ['checkout', '--quiet', 'main^'])
    await writeFile(join(dir, 'patch'), diffs.join(''))
    await git(work, ['apply', '--index', join(dir, 'patch')])
    await git(work, ['checkout', 'main', '--', 'SUMMARY.md'])
    assert.is(await git(work, ['diff', '--cached', '--name-status', 'main']), '')
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})

test('a word diff contains both texts', async () => {
  const desk = await openDesk(here, FILES)
  await desk.write([edit(await desk.id('first'), '\n# First\n\nThe slow brown fox\nA line.\njumps.\n')])
  const { changes } = await last(desk, '?diff=words')
  const { parts } = changes[0].diff.hunks[0]
  const text = (without: string) =>
    parts
      .filter((part: Json) => part.type !== without)
      .map((part: Json) => part.text)
      .join('')
  // A hunk starts three lines before the first difference.
  const from = (whole: string) => whole.split('\n').slice(3).join('\n')
  assert.is(text('added'), from(FILES['first.md']))
  assert.is(text('removed'), from((await desk.file('first.md')) as string))
  assert.equal(
    parts.filter((part: Json) => part.type !== 'equal'),
    [
      { type: 'removed', text: 'quick' },
      { type: 'added', text: 'slow' },
      { type: 'added', text: 'A line.\n' },
    ],
  )
  assert.equal(parseWords('@@ -1 +1 @@ x\n-a\n~\n'), [
    { header: '@@ -1 +1 @@', parts: [{ type: 'removed', text: 'a\n' }] },
  ])
})

test('differences that are too long are left out with a note', async () => {
  const text = (seed: number) =>
    `# Big\n\n${Array.from({ length: 60_000 }, (_, i) => `word${(i * seed) % 9973}`).join('\n')}\n`
  const desk = await openDesk(here, { ...FILES, 'third.md': text(7) })
  await desk.human({ 'third.md': text(11) })
  const { changes } = await last(desk, '?diff=unified')
  assert.equal(Object.keys(changes[0].diff), ['format', 'omitted'])
  assert.equal(changes[0].attributes, { document: {} })
})

test('contributors are only the authors of the branch', async () => {
  const desk = await openDesk(here, FILES)
  const writer = await here.caller('edit')
  const request = await desk.changeRequest()
  const path = `/change-requests/${request.id}/contributors`
  assert.equal((await get(desk, path)).items, [])
  await writer
    .call('post', `${request.url}/content`, { changes: [edit(await desk.id('first'), '# First\n\nX\n')] })
    .expect(200)
  await desk.human({ 'second.md': '# Second\n\nBy hand.\n' }, { ref: request.ref })
  await desk.write([edit(await desk.id('third'), '# Third\n\nBy the admin.\n')])
  const names = async () => (await get(desk, path)).items.map((one: Json) => one.displayName)
  assert.equal(await names(), ['Ada Author', 'Person 1'])
  assert.is((await get(desk, path)).items[1].id, writer.user)
  await request.merge()
  assert.equal(await names(), ['Ada Author', 'Person 1'])
  assert.is((await get(desk, `${path}?limit=1`)).count, 2)
})

test.run()
