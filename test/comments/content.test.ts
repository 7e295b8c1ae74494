import * as assert from 'uvu/assert'
import { suiteWith } from '../support/suite.js'
import { type Desk, GUIDE, openDiscussion, PRICES, startService } from './fixture.js'

const [test, here] = await suiteWith('comments: the commented content', startService)

test('a text that would delay every reader of the list is rejected', async () => {
  const desk = await openDiscussion(here)
  for (const markdown of [
    'a\n=\n'.repeat(5000),
    '> a\n\n'.repeat(3000),
    `> ${'a\n-\n'.repeat(4000)}`,
    `a|b|c\n-|-|-\n${'x\n'.repeat(9_000)}`,
  ]) {
    const { body } = await here.admin.call('post', `${desk.url}/comments`, { body: { markdown } }).expect(413)
    assert.is(body.error.details[0].path, '/body/markdown')
  }
  await here.admin
    .call('post', `${desk.url}/comments`, { body: { markdown: 'Title\n===\n\nText.\n'.repeat(50) } })
    .expect(200)
})

const post = async (desk: Desk, target: object, at = desk.url) =>
  (await here.admin.call('post', `${at}/comments`, { body: { markdown: 'Hm.' }, ...target }).expect(200)).body
const target = async (desk: Desk, { id }: { id: string }, at = desk.url) =>
  (await here.admin.call('get', `${at}/comments/${id}`).expect(200)).body.target
const edit = (desk: Desk, page: string, markdown: string) =>
  desk.write([{ operation: 'update_page', page, document: { markdown } }])

test('a comment on a page shows the current page, and whether its content has changed', async () => {
  const desk = await openDiscussion(here)
  const id = await desk.id('guide')
  const comment = await post(desk, { page: id })
  const { revision } = (await here.admin.call('get', desk.url).expect(200)).body
  assert.is(comment.target.space, desk.space)
  assert.is(comment.target.revision, revision)
  const { createdAt, updatedAt, ...page } = comment.target.page
  assert.equal(page, { id, title: 'Guide', path: 'guide', outdated: false })
  const shown = (await here.admin.call('get', `${desk.url}/content/page/${id}`).expect(200)).body
  assert.equal([createdAt, updatedAt], [shown.createdAt, shown.updatedAt])
  await desk.write([{ operation: 'update_page', page: id, emoji: '🧭', icon: 'compass', hidden: true }])
  const now = (await target(desk, comment)).page
  assert.equal([now.outdated, now.emoji, now.icon], [false, '🧭', 'compass'], 'its text is the same')
  await edit(desk, id, 'Other.\n')
  assert.equal([(await target(desk, comment)).page.outdated, now.deleted], [true, undefined])
  await desk.human({ 'guide.md': GUIDE })
  assert.is((await target(desk, comment)).page.outdated, false, 'it says again what it said')
})

test('a comment follows its page through a move, a manual rename and a merge', async () => {
  const desk = await openDiscussion(here)
  const id = await desk.id('guide')
  const comment = await post(desk, { page: id, node: 'n1' })
  await desk.write([{ operation: 'update_page', page: id, title: 'Manual', into: await desk.id('prices') }])
  const moved = (await target(desk, comment)).page
  assert.equal([moved.id, moved.title, moved.path, moved.outdated], [id, 'Manual', 'prices/guide', false])
  const summary = ((await desk.file('SUMMARY.md')) as string).replace('guide.md', 'handbook.md')
  await desk.human({ 'guide.md': null, 'handbook.md': (await desk.file('guide.md')) as string, 'SUMMARY.md': summary })
  const renamed = (await target(desk, comment)).page
  assert.equal([renamed.id, renamed.path, renamed.outdated], [id, 'prices/handbook', false])
  const change = await desk.changeRequest()
  await change.write([{ operation: 'update_page', page: id, slug: 'book', document: { markdown: `New.\n\n${GUIDE}` } }])
  assert.is(
    (await target(desk, comment)).page.path,
    'prices/handbook',
    'a change request changes nothing here before it is merged',
  )
  await change.merge()
  const merged = await target(desk, comment)
  assert.equal(
    [merged.page.id, merged.page.path, merged.page.outdated, merged.node.id],
    [id, 'prices/book', false, 'n2'],
  )
})

test('a comment of a deleted page keeps its last data, and follows the page once it is back', async () => {
  const desk = await openDiscussion(here)
  const id = await desk.id('guide')
  const [onPage, onNode] = [await post(desk, { page: id }), await post(desk, { page: id, node: 'n1' })]
  await desk.write([{ operation: 'delete_page', page: id }])
  for (const comment of [onPage, onNode]) {
    const { page, node } = await target(desk, comment)
    assert.equal(page, { ...comment.target.page, outdated: true, deleted: true })
    assert.equal(node, comment.target.node)
  }
  const found = (await here.admin.call('get', `${desk.url}/comments?targetPage=${id}`).expect(200)).body
  assert.is(found.count, 2)
  await here.admin.call('post', `${desk.url}/comments`, { body: { markdown: 'x' }, page: id }).expect(400)
  await desk.human({ 'guide.md': GUIDE, 'SUMMARY.md': `${await desk.file('SUMMARY.md')}* [Guide](guide.md)\n` })
  const { page } = await target(desk, onPage)
  assert.equal([page.id, page.outdated, page.deleted], [id, false, undefined])
})

test("a comment on a node follows the node's text, and is outdated when the text is gone", async () => {
  const desk = await openDiscussion(here)
  const id = await desk.id('guide')
  const document = (await here.admin.call('get', `${desk.url}/content/page/${id}?format=document`).expect(200)).body
    .document
  const bold = document.nodes[2]
  const comment = await post(desk, { page: id, node: bold.key })
  assert.equal(comment.target.node, { id: 'n2', preview: 'Second bold paragraph.' })
  const steps: [markdown: string, node: string, outdated: boolean, why: string][] = [
    ['# Guide\n\nNew.\n\nFirst paragraph.\n\nSecond **bold** paragraph.\n', 'n3', false, 'another one came before it'],
    ['Second bold\nparagraph.\n', 'n0', false, 'its words, on other lines'],
    ['# Second bold paragraph.\n', 'n2', true, 'a heading is another sort of node'],
    ['Second paragraph.\n', 'n0', true, 'other words in the same block'],
    ['Nothing in common.\n', 'n2', true, 'other words'],
    ['', 'n2', true, 'nothing at all'],
  ]
  for (const [markdown, node, outdated, why] of steps) {
    await edit(desk, id, markdown)
    const now = await target(desk, comment)
    assert.equal([now.node.id, now.page.outdated, now.node.preview], [node, outdated, 'Second bold paragraph.'], why)
  }
})

test('a comment follows its own node among several nodes with the same text', async () => {
  const desk = await openDiscussion(here)
  const id = await desk.id('guide')
  await edit(desk, id, 'Same.\n\nOther.\n\nSame.\n')
  const [first, second] = [await post(desk, { page: id, node: 'n0' }), await post(desk, { page: id, node: 'n2' })]
  await edit(desk, id, 'Begin.\n\nSame.\n\nOther.\n\nSame.\n')
  assert.equal([(await target(desk, first)).node.id, (await target(desk, second)).node.id], ['n1', 'n3'])
  assert.is((await post(desk, { page: id, node: 'n0-0' })).target.node.preview, 'Begin.', 'a text is a node as well')
})

test("a comment on a table cell follows the cell's column and text", async () => {
  const desk = await openDiscussion(here)
  const id = await desk.id('prices')
  const cell = { record: 'r2', definition: 'c1' }
  const comment = await post(desk, { page: id, tableCell: cell })
  assert.equal([comment.target.node, comment.target.tableCell], [{ id: 'n1', preview: '20' }, cell])
  assert.equal((await post(desk, { page: id, node: 'n1', tableCell: cell })).target, comment.target)
  await edit(desk, id, `Intro.\n\n${PRICES.replace('| Basic | 5 |', '| Free | 0 |\n| Basic | 5 |')}`)
  const moved = await target(desk, comment)
  assert.equal([moved.node.id, moved.tableCell, moved.page.outdated], ['n2', { record: 'r3', definition: 'c1' }, false])
  await edit(desk, id, PRICES.replaceAll('20', '25'))
  assert.is((await target(desk, comment)).page.outdated, true)
  await edit(desk, id, `${PRICES}\n\n${PRICES}`)
  const twice = await here.admin
    .call('post', `${desk.url}/comments`, { body: { markdown: 'x' }, page: id, tableCell: cell })
    .expect(400)
  assert.is(twice.body.error.details[0].path, '/node', 'which of the two tables?')
})

test('the error for a target that is not in the content contains the target', async () => {
  const desk = await openDiscussion(here)
  const page = await desk.id('guide')
  const elsewhere = await openDiscussion(here)
  await elsewhere.write([{ operation: 'insert_page', title: 'Only here', document: { markdown: 'x' } }])
  const cell = { record: 'r0', definition: 'c0' }
  const cases: [input: object, path: string][] = [
    [{ page: 'no-such-page' }, '/page'],
    [{ page: await elsewhere.id('only-here') }, '/page'],
    [{ node: 'n0' }, '/page'],
    [{ tableCell: cell }, '/page'],
    [{ page, node: 'n99' }, '/node'],
    [{ page, node: '__proto__' }, '/node'],
    [{ page, tableCell: cell }, '/tableCell'],
    [{ page, node: 'n1', tableCell: cell }, '/tableCell'],
    [{ page: await desk.id('prices'), tableCell: { record: 'r9', definition: 'c0' } }, '/tableCell'],
  ]
  for (const [input, path] of cases) {
    const { body } = await here.admin
      .call('post', `${desk.url}/comments`, { body: { markdown: 'x' }, ...input })
      .expect(400)
    assert.is(body.error.details[0].path, path, JSON.stringify(input))
  }
  const both = await here.admin
    .call('post', `${desk.url}/comments`, { body: { markdown: ' ' }, page: 'no-such-page' })
    .expect(400)
  assert.equal(
    both.body.error.details.map((detail: { path: string }) => detail.path),
    ['/body/markdown', '/page'],
  )
  assert.is((await here.admin.call('get', desk.url).expect(200)).body.comments, 0)
})

test('groups, links and pages without a table of contents accept comments', async () => {
  const desk = await openDiscussion(here)
  await desk.human({ 'SUMMARY.md': '## Part\n\n* [Guide](guide.md)\n* [Elsewhere](https://example.org/a)\n' })
  const [group, link] = [
    await post(desk, { page: await desk.id('part') }),
    await post(desk, { page: await desk.id('part/elsewhere') }),
  ]
  assert.equal([group.target.page.title, group.target.page.outdated], ['Part', false])
  await desk.human({ 'SUMMARY.md': '## Part\n\n* [Elsewhere](https://example.org/a)\n* [Guide](guide.md)\n' })
  assert.is((await target(desk, link)).page.outdated, false)
  const inferred = await openDiscussion(here)
  await inferred.human({ 'SUMMARY.md': null })
  assert.is(
    (await post(inferred, { page: await inferred.id('guide'), node: 'n1' })).target.node.preview,
    'First paragraph.',
  )
})

test('a comment in a change request stays with it and can be read after the merge', async () => {
  const desk = await openDiscussion(here)
  const change = await desk.changeRequest()
  await change.write([{ operation: 'insert_page', title: 'Fresh', document: { markdown: 'Fresh words.\n' } }])
  const id = await desk.id('fresh', `/change-requests/${change.number}`)
  await here.admin.call('post', `${desk.url}/comments`, { body: { markdown: 'x' }, page: id }).expect(400)
  const comment = await post(desk, { page: id, node: 'n0' }, change.url)
  assert.equal([comment.target.changeRequest, comment.target.space], [change.id, desk.space])
  assert.ok(comment.urls.location.endsWith(`${change.url}/comments/${comment.id}`))
  await change.write([{ operation: 'update_page', page: id, document: { markdown: 'Intro.\n\nFresh words.\n' } }])
  assert.is((await target(desk, comment, change.url)).node.id, 'n1')
  await change.merge()
  await desk.write([{ operation: 'delete_page', page: id }])
  assert.equal((await target(desk, comment, change.url)).page.title, 'Fresh')
  assert.is((await target(desk, comment, `${desk.url}/change-requests/${change.number}`)).page.outdated, false)
  await here.admin.call('get', `${desk.url}/comments/${comment.id}`).expect(404)
  assert.is((await here.admin.call('get', `${desk.url}/comments`).expect(200)).body.count, 0)
  await desk.git('update-ref', '-d', change.ref)
  assert.is(
    (await target(desk, comment, change.url)).page.title,
    'Fresh',
    'without its branch, from what it was merged as',
  )
})

test('comments show the last known pages if an admin removed main', async () => {
  const desk = await openDiscussion(here)
  const comment = await post(desk, { page: await desk.id('guide') })
  await desk.git('update-ref', '-d', 'refs/heads/main')
  assert.equal((await target(desk, comment)).page, { ...comment.target.page, outdated: true, deleted: true })
})

test.run()
