import * as assert from 'uvu/assert'
import { suiteWith } from '../support/suite.js'
import { checkDocuments } from './documents.js'
import { openDiscussion, startService } from './fixture.js'

const [test, here] = await suiteWith('comments: concurrent requests', startService)

const body = { markdown: 'Hello.' }
const statuses = (responses: readonly { status: number }[]) =>
  [...new Set(responses.map(({ status }) => status))].sort()

test('twenty users react, post and reply at once, and every change is counted once', async () => {
  const { url } = await openDiscussion(here)
  const people = await Promise.all(Array.from({ length: 20 }, () => here.caller('comment')))
  const { id } = (await here.admin.call('post', `${url}/comments`, { body }).expect(200)).body
  const one = `${url}/comments/${id}`
  const responses = await Promise.all(
    people.flatMap((who) => [
      who.call('put', one, { addedReactions: ['👍'] }),
      who.call('put', one, { addedReactions: ['👍', '🎉'] }),
      who.call('post', `${one}/replies`, { body }),
      who.call('post', `${url}/comments`, { body }),
    ]),
  )
  assert.equal(statuses(responses), [200])
  const shown = (await here.admin.call('get', one).expect(200)).body
  assert.equal([shown.replies, ...shown.reactions.map((reaction: { count: number }) => reaction.count)], [20, 20, 20])
  assert.is((await here.admin.call('get', url).expect(200)).body.comments, 21)
  await Promise.all(people.map((who) => who.call('put', one, { removedReactions: ['🎉'] })))
  assert.is((await here.admin.call('get', one).expect(200)).body.reactions.length, 1)
  await checkDocuments(here.service.app)
})

test('one of two concurrent resolves wins, and both responses contain the winner', async () => {
  const { url } = await openDiscussion(here)
  for (let round = 0; round < 5; round++) {
    const { id } = (await here.admin.call('post', `${url}/comments`, { body }).expect(200)).body
    const people = [await here.caller('edit'), await here.caller('review'), await here.caller('create')]
    const responses = await Promise.all(
      people.map((who) => who.call('put', `${url}/comments/${id}`, { resolved: true })),
    )
    assert.equal(statuses(responses), [200])
    assert.is(new Set(responses.map((response) => response.body.resolvedBy.id)).size, 1)
  }
  assert.is((await here.admin.call('get', url).expect(200)).body.comments, 0)
  await checkDocuments(here.service.app)
})

test('a write that races with a deletion comes before it or gets a 404', async () => {
  const { url } = await openDiscussion(here)
  for (let round = 0; round < 10; round++) {
    const { id } = (await here.admin.call('post', `${url}/comments`, { body }).expect(200)).body
    const one = `${url}/comments/${id}`
    const reply = (await here.admin.call('post', `${one}/replies`, { body }).expect(200)).body.id
    const writes = [
      here.admin.call('put', one, { resolved: round % 2 === 0, body: { markdown: 'Edited.' }, addedReactions: ['👍'] }),
      here.admin.call('post', `${one}/replies`, { body }),
      here.admin.call('put', `${one}/replies/${reply}`, { addedReactions: ['👍'] }),
    ]
    const deletes = [
      here.admin.call('delete', one),
      here.admin.call('delete', one),
      here.admin.call('delete', `${one}/replies/${reply}`),
    ]
    const all = round % 2 === 0 ? [...writes, ...deletes] : [...deletes, ...writes]
    for (const response of await Promise.all(all))
      assert.ok([200, 204, 404].includes(response.status), `${response.status} ${response.text}`)
    await here.admin.call('get', one).expect(404)
  }
  assert.is((await here.admin.call('get', url).expect(200)).body.comments, 0)
  await checkDocuments(here.service.app)
})

test('a comment that races with the deletion of its space is stored or gets a 404', async () => {
  const { url } = await openDiscussion(here)
  const responses = await Promise.all([
    ...Array.from({ length: 6 }, () => here.admin.call('post', `${url}/comments`, { body })),
    here.admin.call('delete', url),
    ...Array.from({ length: 6 }, () => here.admin.call('post', `${url}/comments`, { body })),
  ])
  for (const { status } of responses) assert.ok([200, 204, 404].includes(status), `${status}`)
  const restored = (await here.admin.call('post', `${url}/restore`).expect(200)).body
  assert.is(restored.comments, responses.filter(({ status }) => status === 200).length)
  await checkDocuments(here.service.app)
})

test('all comments exist after a restart, in the same order', async () => {
  const { url } = await openDiscussion(here)
  for (let i = 0; i < 5; i++) await here.admin.call('post', `${url}/comments`, { body }).expect(200)
  const list = async () =>
    (await here.admin.call('get', `${url}/comments`).expect(200)).body.items.map((one: { id: string }) => one.id)
  const before = await list()
  await here.restart()
  assert.equal(await list(), before)
  await checkDocuments(here.service.app)
})

test.run()
