import * as assert from 'uvu/assert'
import { comments, discussionKey, spaces } from '../../src/model/index.js'
import { eventsOf } from '../support/events.js'
import type { Caller } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { openDiscussion, startService } from './fixture.js'

let now = Date.parse('2026-01-01T00:00:00Z')
const [test, here] = await suiteWith('comments: lists, reactions, events', () =>
  startService({ overrides: { clock: { now: () => new Date(now) } } }),
)

const body = { markdown: 'Hello.' }
const idsOf = (list: { items: { id: string }[] }): string[] => list.items.map(({ id }) => id)

test('lists filter by status, page and authors, and by all of them together', async () => {
  const desk = await openDiscussion(here)
  const change = await desk.changeRequest()
  const pages = [undefined, await desk.id('guide'), await desk.id('prices')]
  const people = [here.admin, await here.caller('comment'), await here.caller('edit')] as Caller[]
  for (const url of [`${desk.url}/comments`, `${change.url}/comments`]) {
    const all: { id: string; page: string | undefined; author: string; status: string }[] = []
    for (let i = 0; i < 12; i++) {
      now += 1000
      const who = people[i % 3] as Caller
      const page = pages[Math.floor(i / 4) % 3]
      const { id } = (await who.call('post', url, { body, ...(page ? { page } : {}) }).expect(200)).body
      const resolved = i % 2 === 0
      if (resolved) await who.call('put', `${url}/${id}`, { resolved }).expect(200)
      all.unshift({ id, page, author: who.user, status: resolved ? 'resolved' : 'open' })
    }
    const get = async (query: string) => (await here.admin.call('get', `${url}?${query}`).expect(200)).body
    for (const status of [undefined, 'all', 'open', 'resolved'])
      for (const page of [undefined, pages[1], 'no-such-page'])
        for (const authors of [[], [people[1]?.user], [people[0]?.user, people[2]?.user], ['nobody']] as string[][]) {
          const query = new URLSearchParams()
          for (const author of authors) query.append('authors', author)
          if (page) query.set('targetPage', page)
          if (status) query.set('status', status)
          const expected = all
            .filter((one) => (status ?? 'all') === 'all' || one.status === status)
            .filter((one) => page === undefined || one.page === page)
            .filter((one) => authors.length === 0 || authors.includes(one.author))
            .map(({ id }) => id)
          const found = await get(`${query}`)
          assert.equal([idsOf(found), found.count, found.next], [expected, expected.length, undefined], `${query}`)
          assert.equal(idsOf(await get(`${query}&order=asc`)), expected.toReversed(), `${query} asc`)
          const walked: string[] = []
          for (let next: string | undefined = '', step = 0; next !== undefined && step < 9; step++) {
            const part = await get(`${query}&limit=2${next && `&page=${next}`}`)
            assert.is(part.count, expected.length)
            walked.push(...idsOf(part))
            next = part.next?.page
          }
          assert.equal(walked, expected, `${query} page by page`)
        }
    assert.equal(await get('limit=0'), { items: [], count: 12 })
    for (const bad of ['status=draft', 'order=up', 'limit=1001', 'page=x', `authors=${'x'.repeat(65)}`, 'targetPage='])
      await here.admin.call('get', `${url}?${bad}`).expect(400)
  }
})

test('a cursor neither repeats nor skips comments while the list changes', async () => {
  const { url } = await openDiscussion(here)
  const add = async (): Promise<string> => {
    now += 1000
    return (await here.admin.call('post', `${url}/comments`, { body }).expect(200)).body.id
  }
  const ids = [await add(), await add(), await add(), await add(), await add()]
  const first = (await here.admin.call('get', `${url}/comments?status=open&limit=2`).expect(200)).body
  assert.equal(idsOf(first), [ids[4], ids[3]])
  await here.admin.call('delete', `${url}/comments/${ids[3]}`).expect(204)
  await here.admin.call('put', `${url}/comments/${ids[2]}`, { resolved: true }).expect(200)
  await add()
  const second = (
    await here.admin.call('get', `${url}/comments?status=open&limit=2&page=${first.next.page}`).expect(200)
  ).body
  assert.equal([idsOf(second), second.next, second.count], [[ids[1], ids[0]], undefined, 4])
})

test('each user reacts once per emoji, and can only remove their own reaction', async () => {
  const { url } = await openDiscussion(here)
  const [one, other] = [await here.caller('comment'), await here.caller('comment')]
  const { id } = (await one.call('post', `${url}/comments`, { body }).expect(200)).body
  const react = async (who: Caller, input: object) => {
    now += 1000
    const { reactions } = (await who.call('put', `${url}/comments/${id}`, input).expect(200)).body
    return reactions.map((one: any) => [one.emoji, one.count, ...one.users.map(({ user }: any) => user.id)])
  }
  assert.equal(
    await react(one, { addedReactions: ['👍', '🎉'] }),
    [
      ['🎉', 1, one.user],
      ['👍', 1, one.user],
    ].sort(),
  )
  assert.equal(
    await react(other, { addedReactions: ['👍', '1F44D'] }),
    [
      ['🎉', 1, one.user],
      ['👍', 2, one.user, other.user],
    ].sort(),
  )
  assert.equal(
    (await react(other, { removedReactions: ['🎉', '👀'] })).length,
    2,
    'one of another user, and a missing one',
  )
  assert.equal(await react(one, { removedReactions: ['👍'], addedReactions: ['❤'] }), [
    ['🎉', 1, one.user],
    ['👍', 1, other.user],
    ['❤️', 1, one.user],
  ])
  const shown = (await here.admin.call('get', `${url}/comments/${id}`).expect(200)).body
  assert.is(shown.editedAt, undefined)
  assert.is(shown.reactions[2].users[0].reactedAt, new Date(now).toISOString())
  for (const [input, path] of [
    [{ addedReactions: ['x'] }, '/addedReactions/0'],
    [{ addedReactions: ['👍', '👍👍'] }, '/addedReactions/1'],
    [{ addedReactions: ['<script>'] }, '/addedReactions/0'],
    [{ addedReactions: ['61'] }, '/addedReactions/0'],
    [{ addedReactions: ['ffffff'] }, '/addedReactions/0'],
    [{ removedReactions: [''] }, '/removedReactions/0'],
    [{ addedReactions: Array.from({ length: 21 }, (_, i) => `${i}`) }, '/addedReactions'],
    [{ addedReactions: ['👍'], removedReactions: ['1f44d'] }, '/removedReactions'],
  ] as [object, string][]) {
    const { error } = (await one.call('put', `${url}/comments/${id}`, input).expect(400)).body
    assert.ok(
      error.details.some((detail: { path: string }) => detail.path === path),
      JSON.stringify([input, error]),
    )
  }
})

test('a comment has at most fifty different reactions, and users can join existing ones', async () => {
  const { url } = await openDiscussion(here)
  const { id } = (await here.admin.call('post', `${url}/comments`, { body }).expect(200)).body
  const emoji = Array.from({ length: 51 }, (_, i) => String.fromCodePoint(0x1f600 + i))
  const put = (who: Caller, addedReactions: string[], status: number) =>
    who.call('put', `${url}/comments/${id}`, { addedReactions }).expect(status)
  for (let i = 0; i < 50; i += 10) await put(here.admin, emoji.slice(i, i + 10), 200)
  await put(here.admin, emoji.slice(50), 409)
  assert.is((await put(await here.caller('comment'), emoji.slice(40, 50), 200)).body.reactions.length, 50)
})

test('every change sends one event with its actor and location, and a no-op sends none', async () => {
  const desk = await openDiscussion(here)
  const change = await desk.changeRequest()
  const { store } = here.service.app
  const before = (await eventsOf(store, here.organization)).length
  const at = `${change.url}/comments`
  const { id } = (await here.admin.call('post', at, { body }).expect(200)).body
  const reply = (await here.admin.call('post', `${at}/${id}/replies`, { body }).expect(200)).body.id
  await here.admin.call('put', `${at}/${id}`, { body, resolved: false, removedReactions: ['👍'] }).expect(200)
  await here.admin.call('put', `${at}/${id}`, {}).expect(200)
  await here.admin.call('put', `${at}/${id}`, { resolved: true, addedReactions: ['👍'] }).expect(200)
  await here.admin.call('put', `${at}/${id}/replies/${reply}`, { body: { markdown: 'Else.' } }).expect(200)
  await here.admin.call('delete', `${at}/${id}/replies/${reply}`).expect(204)
  await here.admin.call('delete', `${at}/${id}`).expect(204)
  await here.admin.call('delete', `${at}/${id}`).expect(204)
  const told = (await eventsOf(store, here.organization)).sort((a, b) => a.sequence - b.sequence).slice(before)
  assert.equal(
    told.map(({ type, data }) => [type, data]),
    [
      ['comment.created', {}],
      ['reply.created', { reply }],
      ['comment.updated', { changed: ['status', 'reactions'], status: 'resolved' }],
      ['reply.updated', { reply, changed: ['body'] }],
      ['reply.deleted', { reply }],
      ['comment.deleted', {}],
    ],
  )
  for (const one of told)
    assert.equal(
      [one.actor, one.subject],
      [here.admin.user, { space: desk.space, changeRequest: change.id, comment: id }],
    )
})

test('the cost of one page of comments does not grow with their number', async () => {
  const desk = await openDiscussion(here)
  const { store } = here.service.app
  const draft = (n: number) => ({
    ...{
      id: `many-${n}`,
      space: desk.space,
      postedBy: here.admin.user,
      postedAt: new Date(now + n).toISOString(),
      markdown: `${n}`,
    },
    ...{ status: 'open' as const, replies: 0, revision: '' },
  })
  await store.transact(async (tx) => {
    for (let n = 0; n < 5000; n++) await tx.insert(comments, draft(n))
    const space = (await tx.get(spaces, desk.space))!
    await tx.replace(spaces, { ...space, comments: 5000 })
  })
  const original = store.find.bind(store)
  let read = 0
  store.find = (async (...args: Parameters<typeof store.find>) => {
    const found = await original(...args)
    read += found.length
    return found
  }) as typeof store.find
  try {
    const list = (
      await here.admin.call('get', `${desk.url}/comments?limit=50&status=open&authors=${here.admin.user}`).expect(200)
    ).body
    assert.equal([list.count, list.items.length, list.items[0].body.markdown], [5000, 50, '4999'])
    assert.ok(read < 100, `${read} documents were searched`)
  } finally {
    store.find = original
  }
  assert.is(
    (await store.page(comments, 'posted', `${discussionKey({ space: desk.space })}///`, { limit: 0, direction: 'asc' }))
      .count,
    5000,
  )
})

test.run()
