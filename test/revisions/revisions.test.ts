import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { openDesk } from '../commits/fixture.js'
import { FILES, get, lines } from './fixture.js'

const [test, here] = await suiteWith('history of main', startService)

const edit = (page: string, markdown: string) => [{ operation: 'update_page', page, document: { markdown } }]

test('the history of main matches git log, with authors, types and messages', async () => {
  const desk = await openDesk(here, FILES)
  const first = await desk.id('first')
  await desk.write(edit(first, '# First\n\nEdited.\n'))
  const request = await desk.changeRequest('Say more')
  await request.write(edit(first, '# First\n\nEdited twice.\n'))
  await request.merge()
  const { items, count, next } = await get(desk, '/revisions')
  assert.equal(
    items.map((one: { id: string }) => one.id),
    await lines(desk, 'log', '--first-parent', '--format=%H', 'main'),
  )
  assert.is(count, 4)
  assert.is(next, undefined)
  assert.equal(
    items.map((one: { type: string }) => one.type),
    ['merge', 'edits', 'edits', 'edits'],
  )
  assert.is(items[0].mergedFrom.id, request.id)
  assert.is(items[0].git.message.split('\n')[0], 'Merge change request #1: Say more')
  assert.is(items[0].author.id, here.admin.user)
  assert.equal(items[2].author, { displayName: 'Ada Author', email: 'ada@example.com' })
  assert.is(items[2].git.createdByService, false)
  assert.is(items[0].pages, undefined)
})

test('history pages have a cursor that new revisions do not shift', async () => {
  const desk = await openDesk(here, FILES)
  for (let i = 0; i < 5; i++) await desk.human({ 'first.md': `# First\n\n${i}\n` }, { message: `Edit ${i}` })
  const log = await lines(desk, 'log', '--first-parent', '--format=%H', 'main')
  const one = await get(desk, '/revisions?limit=3')
  await desk.human({ 'third.md': '# Third\n\nNew\n' })
  const two = await get(desk, `/revisions?limit=3&page=${one.next.page}`)
  const three = await get(desk, `/revisions?limit=3&page=${two.next.page}`)
  assert.equal(
    [...one.items, ...two.items, ...three.items].map((item) => item.id),
    log,
  )
  assert.is(three.next, undefined)
  assert.equal((await get(desk, '/revisions?limit=0')).items, [])
  const gone = Buffer.from('f'.repeat(40), 'hex').toString('base64url')
  for (const cursor of ['x', gone]) await get(desk, `/revisions?page=${cursor}`, 400)
})

test('the history of a page follows its renames, not its namesake', async () => {
  const desk = await openDesk(here, FILES)
  const deep = await desk.id('second/deep')
  const commits = [await desk.git('rev-parse', 'main')]
  const note = async () => commits.unshift(await desk.git('rev-parse', 'main'))
  await desk.write(edit(deep, '# Deep\n\nDown here, with enough text that a rename is seen as one. More.\n'))
  await note()
  await desk.write([{ operation: 'update_page', page: deep, slug: 'low' }])
  await note()
  await desk.write(edit(await desk.id('first'), '# First\n\nAnother page.\n'))
  const text = (await desk.file('second/low.md')) as string
  const summary = (await desk.file('SUMMARY.md')) as string
  await desk.human({
    'second/low.md': null,
    'ground.md': text,
    'SUMMARY.md': summary.replace('second/low.md', 'ground.md'),
  })
  await note()
  await desk.human({
    'second/low.md': '# Somebody else\n',
    'SUMMARY.md': `${await desk.file('SUMMARY.md')}* [Other](second/low.md)\n`,
  })
  const other = await desk.git('rev-parse', 'main')
  await desk.human({ 'ground.md': `${text}\nLast.\n` })
  await note()
  const { items, count } = await get(desk, `/revisions?pageId=${deep}`)
  assert.equal(
    items.map((one: { id: string }) => one.id),
    commits,
  )
  assert.is(count, 5)
  assert.equal((await desk.byPath()).get('second/ground')?.id, deep)
  const namesake = [...(await desk.byPath()).values()].find((page) => page.title === 'Other')
  assert.equal(
    (await get(desk, `/revisions?pageId=${namesake?.id}`)).items.map((one: { id: string }) => one.id),
    [other],
  )
  assert.is((await get(desk, '/revisions?pageId=nobody')).count, 0)
})

test('two pages that swapped paths keep their own histories', async () => {
  const desk = await openDesk(here, { ...FILES, 'third.md': '# Third\n\nQuite another text than the first one has.\n' })
  const [first, third] = [await desk.id('first'), await desk.id('third')]
  await desk.human({ 'first.md': '# First\n\nA better text for the first page.\n' })
  const edited = await desk.git('rev-parse', 'main')
  const [a, b] = [(await desk.file('first.md')) as string, (await desk.file('third.md')) as string]
  const swapped = await desk.human({ 'first.md': b, 'third.md': a })
  assert.is((await desk.byPath()).get('third')?.id, first)
  const of = async (page: string) =>
    (await get(desk, `/revisions?pageId=${page}`)).items.map((one: { id: string }) => one.id)
  assert.equal((await of(first)).slice(0, 2), [swapped, edited])
  assert.equal((await of(third)).includes(edited), false)
})

test('the history is filtered by user or e-mail address, which is not a pattern', async () => {
  const desk = await openDesk(here, FILES)
  await desk.write(edit(await desk.id('first'), '# First\n\nMine.\n'))
  const ids = async (query: string) =>
    (await get(desk, `/revisions?${query}`)).items.map((one: { id: string }) => one.id)
  assert.equal(
    await ids('author=ADA@example.com'),
    await lines(desk, 'log', '--first-parent', '--author=ada@example.com', '--format=%H', 'main'),
  )
  assert.equal((await ids(`author=${here.admin.user}`)).length, 2)
  for (const author of [
    'ada@example.co',
    'da@example.com',
    'ada@exampleXcom',
    '.*@example.com',
    '--all@x',
    'a@b>%0A',
    'nobody',
  ])
    assert.equal(await ids(`author=${author}`), [], author)
  const [mine] = await ids(`author=${here.admin.user}&pageId=${await desk.id('first')}`)
  assert.is(mine, await desk.git('rev-parse', 'main'))
})

test('the history shows the address of a user only to members of the same organization', async () => {
  const stranger = await here.caller()
  const user = await here.service.app.store.get((await import('../../src/model/index.js')).users, stranger.user)
  const desk = await openDesk(here, FILES)
  const script = `commit refs/heads/main\nauthor Old Name <${user?.email}> 1700000000 +0000\ncommitter Old Name <${user?.email}> 1700000000 +0000\ndata 2\nx\nfrom ${await desk.git('rev-parse', 'main')}\n`
  const { git } = await import('../support/hermetic-git.js')
  await git(desk.repo, ['fast-import', '--quiet'], Buffer.from(script))
  const { items } = await get(desk, '/revisions?limit=1')
  assert.equal(items[0].author, { displayName: 'Old Name', email: user?.email })
  assert.is((await get(desk, `/revisions?author=${stranger.user}`)).count, 0)
})

test.run()
