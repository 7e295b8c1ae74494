import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Desk, openDesk } from '../commits/fixture.js'
import { FILES, get } from './fixture.js'

const [test, here] = await suiteWith('history of a page', startService)

const update = (page: string, members: object) => [{ operation: 'update_page', page, ...members }]
const head = (desk: Desk) => desk.git('rev-parse', 'main')
const historyOf = async (desk: Desk, page: string): Promise<string[]> =>
  (await get(desk, `/revisions?pageId=${page}&limit=1000`)).items.map((one: { id: string }) => one.id)
const contributorsOf = async (desk: Desk, page: string): Promise<string[]> =>
  (await get(desk, `/content/page/${page}/contributors`)).items.map((one: { displayName: string }) => one.displayName)

test('the history of a page contains no title changes or moves of other pages', async () => {
  const desk = await openDesk(here, { ...FILES, 'first.md': 'No heading.\n' })
  const [first, third, second] = [await desk.id('first'), await desk.id('third'), await desk.id('second')]
  const begin = await head(desk)
  await desk.write(update(first, { title: 'The first' }))
  const retitled = await head(desk)
  assert.equal(await desk.changed(), ['M\tSUMMARY.md'])
  await desk.write(update(third, { title: 'The third' }))
  await desk.write([{ operation: 'insert_page', title: 'New', into: null, at: 0, document: { markdown: 'New\n' } }])
  await desk.write(update(first, { into: second }))
  const moved = await head(desk)
  await desk.write(update(third, { document: { markdown: '# Third\n\nOther.\n' } }))
  assert.equal(await historyOf(desk, first), [moved, retitled, begin])
  // Below a page that gets another parent, the path changes and the entry stays where it was.
  await desk.write(update(second, { into: third }))
  assert.equal((await historyOf(desk, first)).slice(1), [moved, retitled, begin])
  const { changes } = await get(desk, `/revisions/${await head(desk)}/changes?pageId=${first}`)
  assert.equal((await historyOf(desk, first))[0], changes.length > 0 ? await head(desk) : moved)
})

test('the history of a deleted page ends at its deletion, and resumes if it is restored', async () => {
  const desk = await openDesk(here, FILES)
  const [first, third] = [await desk.id('first'), await desk.id('third')]
  const begin = await head(desk)
  await desk.write(update(first, { slug: 'elsewhere' }))
  const renamed = await head(desk)
  await desk.write([{ operation: 'delete_page', page: first }])
  const deleted = await head(desk)
  await desk.write(update(third, { document: { markdown: '# Third\n\nOther.\n' } }))
  assert.equal(await historyOf(desk, first), [deleted, renamed, begin])
  await desk.admin.call('post', `${desk.url}/rollback`, { revision: renamed }).expect(200)
  assert.is((await desk.byPath()).get('elsewhere')?.id, first)
  assert.equal(await historyOf(desk, first), [await head(desk), deleted, renamed, begin])
  const back = await head(desk)
  const summary = ((await desk.file('SUMMARY.md')) as string).replace(/^.*elsewhere\.md.*\n/m, '')
  const gone = await desk.human({ 'elsewhere.md': null, 'SUMMARY.md': summary })
  assert.equal(await historyOf(desk, first), [gone, back, deleted, renamed, begin])
  await here.restart()
  assert.equal(await historyOf(desk, first), [gone, back, deleted, renamed, begin])
  assert.equal(await historyOf(desk, 'nobody'), [])
})

test('contributors are the authors of the page on main and in merged change requests', async () => {
  const desk = await openDesk(here, FILES)
  const [writer, other] = [await here.caller('edit'), await here.caller('edit')]
  const [first, third] = [await desk.id('first'), await desk.id('third')]
  const request = await desk.changeRequest()
  const post = (who: typeof writer, page: string, text: string) =>
    who.call('post', `${request.url}/content`, { changes: update(page, { document: { markdown: text } }) }).expect(200)
  await post(writer, first, '# First\n\nIn a change request.\n')
  await post(other, third, '# Third\n\nIn a change request.\n')
  await request.merge()
  assert.equal(await contributorsOf(desk, first), ['Ada Author', 'Person 1'])
  assert.equal(await contributorsOf(desk, third), ['Ada Author', 'Person 2'])
  await desk.write(update(first, { slug: 'renamed', document: { markdown: '# First\n\nBy the admin.\n' } }))
  const admin = (await get(desk, '/revisions?limit=1')).items[0].author.displayName
  assert.equal(await contributorsOf(desk, first), ['Ada Author', 'Person 1', admin].sort())
  assert.is((await get(desk, `/content/page/${first}/contributors?limit=1`)).count, 3)
  await desk.admin.call('get', `${desk.url}/content/page/nobody/contributors`).expect(404)
})

test.run()
