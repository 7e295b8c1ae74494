/** Marks of viewed pages: they belong to a user, end when the page changes again, and are removed with their space. */
import * as assert from 'uvu/assert'
import { MAX_VIEWED_PAGES, viewedPages, viewedPagesId } from '../../src/model/index.js'
import { openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('reviews/viewed', startService)

const FILES = {
  'README.md': '# Home\n\nWelcome.\n',
  'a.md': '# A\n\nFirst.\n',
  'b.md': '# B\n\nFirst.\n',
  'c.md': '# C\n\nFirst.\n',
  'SUMMARY.md': '# Summary\n\n* [Home](README.md)\n* [A](a.md)\n* [B](b.md)\n* [C](c.md)\n',
}

/** A change request that edits A and B and deletes C. */
async function opened() {
  const desk = await openDesk(here, FILES)
  const made = await here.admin.call('post', `${desk.url}/change-requests`, { subject: 'Change' }).expect(201)
  const url = `${desk.url}/change-requests/${made.body.id}`
  const [a, b, c] = [await desk.id('a'), await desk.id('b'), await desk.id('c')]
  const write = (page: string, markdown: string) => ({ operation: 'update_page', page, document: { markdown } })
  const change = (...changes: object[]) => here.admin.call('post', `${url}/content`, { changes }).expect(200)
  await change(write(a, '# A\n\nSecond.\n'), write(b, '# B\n\nSecond.\n'), { operation: 'delete_page', page: c })
  const reviewer = await here.caller('comment')
  const version = async (page: string): Promise<string> =>
    (await reviewer.call('get', `${url}/changes/page/${page}`).expect(200)).body.version
  const mark = async (page: string, caller = reviewer) =>
    caller.call('put', `${url}/viewed/${page}`, { version: await version(page) }).expect(200)
  const viewed = async (caller = reviewer): Promise<[string, boolean][]> =>
    (await caller.call('get', `${url}/viewed`).expect(200)).body.pages.map(
      ({ page, current }: { page: string; current: boolean }) => [page, current],
    )
  return { desk, url, request: made.body.id as string, a, b, c, write, change, reviewer, version, mark, viewed }
}

test('a mark of one user is current until the page changes again', async () => {
  const { a, b, c, write, change, reviewer, mark, viewed, url } = await opened()
  assert.equal(await viewed(), [])
  for (const page of [a, b, c]) await mark(page)
  assert.equal(await viewed(), [
    [a, true],
    [b, true],
    [c, true],
  ])
  assert.equal(await viewed(here.admin), [])
  await change(write(a, '# A\n\nThird.\n'))
  assert.equal(await viewed(), [
    [a, false],
    [b, true],
    [c, true],
  ])
  await change({ operation: 'update_page', page: b, title: 'Renamed' })
  assert.equal(await viewed(), [
    [a, false],
    [b, false],
    [c, true],
  ])
  // The text that was viewed is back.
  await change(write(a, '# A\n\nSecond.\n'))
  assert.equal((await viewed())[0], [a, true])
  await mark(b)
  assert.equal(await viewed(), [
    [a, true],
    [c, true],
    [b, true],
  ])
  await reviewer.call('delete', `${url}/viewed/${a}`).expect(204)
  await reviewer.call('delete', `${url}/viewed/${a}`).expect(204)
  assert.equal(await viewed(), [
    [c, true],
    [b, true],
  ])
})

test('only the version that the page has now can be marked, by people who may see the space', async () => {
  const { a, write, change, reviewer, version, url } = await opened()
  const before = await version(a)
  await change(write(a, '# A\n\nThird.\n'))
  const { body } = await reviewer.call('put', `${url}/viewed/${a}`, { version: before }).expect(409)
  assert.match(body.error.message, 'has changed since you loaded its changes')
  await reviewer.call('put', `${url}/viewed/none`, { version: before }).expect(404)
  await reviewer.call('put', `${url}/viewed/${a}`, {}).expect(400)
  const stranger = await here.caller()
  await stranger.call('put', `${url}/viewed/${a}`, { version: await version(a) }).expect(404)
  await stranger.call('get', `${url}/viewed`).expect(404)
})

test('beyond the maximum, the oldest mark is removed', async () => {
  const { a, request, desk, reviewer, mark, viewed } = await opened()
  const id = viewedPagesId(request, reviewer.user)
  const marks = Array.from({ length: MAX_VIEWED_PAGES }, (_, at) => ({
    page: `p${at}`,
    version: 'x',
    viewedAt: new Date(at).toISOString(),
  }))
  await here.service.app.store.insert(viewedPages, { id, space: desk.space, user: reviewer.user, pages: marks })
  await mark(a)
  const found = await viewed()
  assert.equal([found.length, found[0], found.at(-1)], [MAX_VIEWED_PAGES, ['p1', false], [a, true]])
})

test('the marks go with the member, and with the space', async () => {
  const { a, desk, reviewer, mark } = await opened()
  await mark(a)
  await mark(a, here.admin)
  const left = async (): Promise<string[]> =>
    (await here.service.app.store.find(viewedPages, 'space', desk.space)).map(({ user }) => user)
  assert.equal((await left()).sort(), [reviewer.user, here.admin.user].sort())
  await here.admin.call('delete', `/v1/orgs/${here.organization}/members/${reviewer.user}`).expect(204)
  assert.equal(await left(), [here.admin.user])
  await here.admin.call('delete', desk.url).expect(204)
  await here.admin.call('post', `${desk.url}/purge`).expect(204)
  assert.equal(await left(), [])
})

test.run()
