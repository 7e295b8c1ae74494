import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { memberships, membershipId, spaces } from '../../src/model/index.js'
import { purgeSpace } from '../../src/domain/upkeep/purge-space.js'
import { newMembership } from '../../src/domain/people/organizations.js'
import type { Caller } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { checkDocuments } from './documents.js'
import { type Desk, openDiscussion, startService } from './fixture.js'

let now = Date.now()
const [test, here] = await suiteWith('comments: counters and lifetime', () =>
  startService({ overrides: { clock: { now: () => new Date(now) } } }),
)

const body = { markdown: 'Hello.' }
const made = async (who: Caller, path: string): Promise<string> =>
  (await who.call('post', path, { body }).expect(200)).body.id

type Step = {
  act: 'comment' | 'reply' | 'resolve' | 'open' | 'react' | 'unreact' | 'delete' | 'deleteReply' | 'edit'
  who: number
  at: number
  which: number
}
const steps = fc.array(
  fc.record<Step>({
    act: fc.constantFrom(
      'comment',
      'comment',
      'reply',
      'reply',
      'resolve',
      'open',
      'react',
      'unreact',
      'delete',
      'deleteReply',
      'edit',
    ),
    who: fc.nat(2),
    at: fc.nat(2),
    which: fc.nat(5),
  }),
  { minLength: 30, maxLength: 60 },
)

test(
  'every counter matches the documents after random operations',
  async () => {
    const people = [here.admin, await here.caller('edit'), await here.caller('comment')]
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const desk = await openDiscussion(here)
        const urls = [desk.url, (await desk.changeRequest()).url, (await desk.changeRequest()).url].map(
          (url) => `${url}/comments`,
        )
        const posted: string[][] = [[], [], []]
        const replies: [string, string][] = []
        for (const { act, who, at, which } of all) {
          const { call } = people[who] as Caller
          const url = urls[at] as string
          const ids = posted[at] as string[]
          const id = ids[which % Math.max(1, ids.length)]
          const one = `${url}/${id}`
          const reply = replies[which % Math.max(1, replies.length)]
          const statuses: number[] = []
          const ask = async (...[method, path, input]: Parameters<Caller['call']>) => {
            const response = await call(method, path, input)
            statuses.push(response.status)
            return response
          }
          if (act === 'comment') ids.push((await ask('post', url, { body })).body.id)
          else if (act === 'deleteReply' && reply) await ask('delete', `${reply[0]}/replies/${reply[1]}`)
          else if (id === undefined) continue
          else if (act === 'reply') {
            const response = await ask('post', `${one}/replies`, { body })
            if (response.status === 200) replies.push([one, response.body.id])
          } else if (act === 'delete') await ask('delete', one)
          else if (act === 'edit') await ask('put', one, { body: { markdown: `${which}` } })
          else if (act === 'resolve' || act === 'open') await ask('put', one, { resolved: act === 'resolve' })
          else
            await ask('put', reply && which > 2 ? `${reply[0]}/replies/${reply[1]}` : one, {
              [act === 'react' ? 'addedReactions' : 'removedReactions']: ['👍'],
            })
          assert.ok(
            statuses.every((status) => [200, 204, 403, 404].includes(status)),
            `${act}: ${statuses.join()}`,
          )
        }
        await checkDocuments(here.service.app)
        const open = (await here.admin.call('get', `${desk.url}/comments?status=open&limit=0`).expect(200)).body.count
        assert.is((await here.admin.call('get', desk.url).expect(200)).body.comments, open)
      }),
      { numRuns: 8 },
    )
  },
  { timeoutMs: 180_000 },
)

async function talk(desk: Desk, who: Caller): Promise<{ url: string; id: string }[]> {
  const change = await desk.changeRequest()
  const found: { url: string; id: string }[] = []
  for (const owner of [desk.url, change.url]) {
    const id = await made(who, `${owner}/comments`)
    const reply = await made(here.admin, `${owner}/comments/${id}/replies`)
    for (const path of [id, `${id}/replies/${reply}`])
      await who.call('put', `${owner}/comments/${path}`, { addedReactions: ['👍'] }).expect(200)
    found.push({ url: owner, id })
  }
  return found
}

test('a duplicated space has no comments, and a purge deletes all comments', async () => {
  const desk = await openDiscussion(here)
  const who = await here.caller('comment')
  const [onSpace, onChange] = await talk(desk, who)
  const copy = (await here.admin.call('post', `${desk.url}/duplicate`).expect(201)).body
  assert.is(copy.comments, 0)
  for (const list of ['comments', 'commenters'])
    assert.is((await here.admin.call('get', `/v1/spaces/${copy.id}/${list}`).expect(200)).body.count, 0)
  await here.admin.call('delete', desk.url).expect(204)
  await who.call('get', `${onSpace?.url}/comments`).expect(404)
  await who.call('post', `${onChange?.url}/comments`, { body }).expect(404)
  await here.admin.call('post', `${desk.url}/restore`).expect(200)
  assert.is((await who.call('get', `${onSpace?.url}/comments`).expect(200)).body.count, 1)
  await here.admin.call('delete', desk.url).expect(204)
  now += 8 * 86_400_000
  await purgeSpace(here.service.app, desk.space)
  assert.is(await here.service.app.store.get(spaces, desk.space), null)
  await checkDocuments(here.service.app)
})

test('comments keep their authors in another organization, but only members count as commenters', async () => {
  const desk = await openDiscussion(here)
  const [stays, goes] = [await here.caller('comment'), await here.caller('comment')]
  const found = [await talk(desk, stays), await talk(desk, goes)].flat()
  const { store } = here.service.app
  const other = (await here.admin.call('post', '/v1/orgs', { title: 'Other' }).expect(201)).body.id
  await store.insert(memberships, newMembership(other, goes.user, 'comment', new Date(now).toISOString()))
  const space = (await store.get(spaces, desk.space))!
  await store.replace(spaces, { ...space, organization: other })
  for (const { url, id } of found) {
    const shown = (await goes.call('get', `${url}/comments/${id}`).expect(200)).body
    assert.ok([stays.user, goes.user].includes(shown.postedBy.id))
    assert.is(shown.reactions[0].users[0].user.id, shown.postedBy.id)
    await stays.call('get', `${url}/comments/${id}`).expect(404)
    await goes.call('post', `${url}/comments/${id}/replies`, { body }).expect(200)
  }
  const { items } = (await here.admin.call('get', `${desk.url}/commenters`).expect(200)).body
  assert.equal(items.map((member: { id: string }) => member.id).sort(), [here.admin.user, goes.user].sort())
  await checkDocuments(here.service.app)
})

test('each commenter is listed once, in pages, in the order of joining', async () => {
  const desk = await openDiscussion(here)
  const people: Caller[] = []
  for (const role of ['comment', 'edit', 'admin'] as const) {
    people.push(await here.caller(role))
    // Users who joined in the same millisecond have no order.
    const joined = Date.now()
    while (Date.now() === joined) await new Promise(setImmediate)
  }
  for (const who of [...people, ...people].reverse()) await made(who, `${desk.url}/comments`)
  const list = async (query = '') => (await here.admin.call('get', `${desk.url}/commenters${query}`).expect(200)).body
  const all = await list()
  assert.equal(
    all.items.map((member: any) => [member.object, member.user.id]),
    people.map(({ user }) => ['member', user]),
  )
  const first = await list('?limit=2')
  assert.equal([first.count, first.items.length], [3, 2])
  assert.equal((await list(`?limit=2&page=${first.next.page}`)).items, [all.items[2]])
  const { store } = here.service.app
  const doc = (await store.get(memberships, membershipId(here.organization, people[1]!.user)))!
  await store.replace(memberships, { ...doc, disabled: true })
  assert.is((await list()).count, 2)
  await (await here.caller()).call('get', `${desk.url}/commenters`).expect(404)
})

test.run()
