import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Desk, openDesk } from '../commits/fixture.js'
import { FILES, get, lines, post } from './fixture.js'

const [test, here] = await suiteWith('rollback and revert', startService)

const edit = (page: string, markdown: string) => ({ operation: 'update_page', page, document: { markdown } })
const head = (desk: Desk, ref = 'main') => desk.git('rev-parse', ref)
const ids = async (desk: Desk) => Object.fromEntries([...(await desk.byPath())].map(([path, page]) => [path, page.id]))

test('a rollback has the tree and page IDs of the old revision, and its parent is main', async () => {
  const desk = await openDesk(here, FILES)
  await desk.write([{ operation: 'update_page', page: await desk.id('second/deep'), slug: 'low' }])
  const [old, had] = [await head(desk), await ids(desk)]
  await desk.human({ 'second/low.md': null, 'first.md': '# First\n\nBy hand.\n', 'third.md': null })
  await desk.write([{ operation: 'insert_page', title: 'Late', document: { markdown: '# Late\n' } }])
  const main = await head(desk)
  const { revision, result } = await post(desk, '/rollback', { revision: old }, 200)
  assert.is(result, 'rollback')
  assert.is(await head(desk), revision)
  assert.equal(await lines(desk, 'log', '-1', '--format=%P%n%an%n%(trailers:key=Rollback-To,valueonly)', 'main'), [
    main,
    'Admin',
    old,
  ])
  assert.is(await head(desk, 'main^{tree}'), await head(desk, `${old}^{tree}`))
  assert.equal(await ids(desk), had)
  assert.is((await get(desk, `/revisions/${revision}`)).type, 'rollback')
  assert.is((await get(desk, '/revisions?limit=1')).items[0].type, 'rollback')
  here.service.app.content.clear()
  assert.equal(await ids(desk), had, 'read again from Git')
  assert.is(await desk.git('fsck', '--strict', '--no-dangling'), '')
  await post(desk, '/rollback', { revision: main }, 200)
  assert.is(await head(desk, 'main^{tree}'), await head(desk, `${main}^{tree}`))
})

test('a rollback without effect, target, permission or unlocked main is rejected', async () => {
  const desk = await openDesk(here, FILES)
  const [root] = await lines(desk, 'rev-list', '--max-parents=0', 'main')
  const main = await head(desk)
  const request = await desk.changeRequest()
  await request.write([edit(await desk.id('first'), '# First\n\nBranch.\n')])
  await post(desk, '/rollback', { revision: main }, 409)
  await post(desk, '/rollback', { revision: await head(desk, request.ref) }, 409)
  for (const revision of ['f'.repeat(40), await head(desk, 'main:first.md'), 'main', '--all', `${main}\n`])
    await post(desk, '/rollback', { revision }, 400)
  const editor = await here.caller('edit')
  await editor.call('post', `${desk.url}/rollback`, { revision: root }).expect(403)
  await desk.admin.call('patch', desk.url, { editMode: 'locked' }).expect(200)
  await post(desk, '/rollback', { revision: root }, 423)
  await desk.admin.call('patch', desk.url, { editMode: 'live' }).expect(200)
  assert.is(await head(desk), main)
})

test('a rollback during edits loses none of them', async () => {
  const desk = await openDesk(here, FILES)
  const [old, first, start] = [
    await head(desk),
    await desk.id('first'),
    Number(await desk.git('rev-list', '--count', 'main')),
  ]
  await desk.write([edit(first, '# First\n\nStart.\n')])
  const responses = await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      i % 2 === 0
        ? desk.admin.call('post', `${desk.url}/content`, { changes: [edit(first, `# First\n\n${i}\n`)] })
        : desk.admin.call('post', `${desk.url}/rollback`, { revision: old }),
    ),
  )
  for (const { status } of responses) assert.ok([200, 409].includes(status), String(status))
  const made = responses.filter(({ status }) => status === 200).map(({ body }) => body.revision)
  const log = await lines(desk, 'rev-list', '--first-parent', 'main')
  for (const revision of made) assert.ok(log.includes(revision))
  assert.is(log.length, start + 1 + made.length)
})

test('a revert undoes only the merge, and restores its deleted pages with their IDs', async () => {
  const desk = await openDesk(here, FILES)
  const had = await ids(desk)
  const request = await desk.changeRequest('Tidy up')
  await request.write([
    edit(had.first as string, '# First\n\nBranch.\n'),
    { operation: 'delete_page', page: had.third },
    { operation: 'insert_page', title: 'Fresh', document: { markdown: '# Fresh\n' } },
    { operation: 'update_page', page: had['second/deep'], slug: 'low' },
  ])
  const { revision } = await request.merge()
  await desk.write([
    edit(had.second as string, '# Second\n\nLater.\n'),
    { operation: 'insert_page', title: 'After', document: { markdown: '# After\n' } },
  ])
  const main = await head(desk)
  const made = await post(desk, `/change-requests/${request.number}/revert`, undefined, 201)
  assert.is(made.status, 'open')
  assert.is(made.subject, 'Revert #1: Tidy up')
  assert.is(made.outdated, false)
  assert.is(await head(desk), main, 'main has not moved')
  const branch = `refs/heads/change-requests/${made.number}`
  assert.is(await head(desk, `${branch}^`), main)
  assert.equal(await lines(desk, 'diff', '--name-status', '--no-renames', 'main', branch), [
    'M\tSUMMARY.md',
    'M\tfirst.md',
    'D\tfresh.md',
    'A\tsecond/deep.md',
    'D\tsecond/low.md',
    'A\tthird.md',
  ])
  assert.equal(await lines(desk, 'log', '-1', '--format=%(trailers:key=Reverts,valueonly)', branch), [revision])
  const { changes } = await get(desk, `/change-requests/${made.id}/changes`)
  assert.equal(changes.map((one: { type: string; page: { path: string } }) => `${one.type} ${one.page.path}`).sort(), [
    'page_created third',
    'page_deleted fresh',
    'page_edited first',
    'page_moved second/deep',
  ])
  await post(desk, `/change-requests/${made.id}/merge`, undefined, 200)
  const { after, ...rest } = await ids(desk)
  assert.ok(after)
  assert.equal(rest, had)
  await post(desk, `/change-requests/${request.id}/revert`, undefined, 409)
  const again = await post(desk, `/change-requests/${made.id}/revert`, undefined, 201)
  assert.is(await head(desk, `refs/heads/change-requests/${again.number}^{tree}`), await head(desk, `${main}^{tree}`))
})

test('a revert is rejected if it is not merged, conflicts or is locked', async () => {
  const desk = await openDesk(here, FILES)
  const first = await desk.id('first')
  const request = await desk.changeRequest()
  await request.write([edit(first, '# First\n\nBranch.\n')])
  await post(desk, `/change-requests/${request.id}/revert`, undefined, 409)
  await request.merge()
  await desk.write([edit(first, '# First\n\nAnother line.\n')])
  const count = (await get(desk, '')).changeRequests
  const { error } = await post(desk, `/change-requests/${request.id}/revert`, undefined, 409)
  assert.equal(error.paths, ['first.md'])
  assert.is((await get(desk, '')).changeRequests, count, 'nothing is opened')
  await desk.admin.call('patch', desk.url, { editMode: 'locked' }).expect(200)
  await post(desk, `/change-requests/${request.id}/revert`, undefined, 423)
})

test.run()
