import type { CommitId } from '../../src/kernel/ids.js'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { announceAll } from '../../src/domain/commits/announce.js'
import { applyRetention } from '../../src/domain/events/retention.js'
import { announcedHeads } from '../../src/model/index.js'
import { PlainGit } from '../races/plain-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { handClock } from '../support/hand-clock.js'

const DAY = 24 * 60 * 60 * 1000
const clock = handClock()
let base: string
const [test, here] = await suiteWith('events: the stream', () => startService({ overrides: { clock } }))
test.before(async () => {
  base = `/v1/orgs/${here.organization}/events`
})

interface Told {
  sequence: number
  type: string
  actor?: string
  subject: Record<string, string>
  data: Record<string, unknown>
}
const list = async (query = 'order=asc&limit=1000'): Promise<Told[]> =>
  (await here.admin.call('get', `${base}?${query}`).expect(200)).body.items
const last = async (): Promise<number> => (await list('limit=1'))[0]?.sequence ?? 0
/** Returns the events after a sequence, once there are as many as expected. */
async function after(sequence: number, count: number): Promise<Told[]> {
  for (;;) {
    const found = await list(`order=asc&after=${sequence}`)
    if (found.length >= count) return found
    await new Promise((done) => setTimeout(done, 5))
  }
}
const newSpace = async (): Promise<string> =>
  (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' }).expect(201)).body.id
const page = (title: string) => ({ changes: [{ operation: 'insert_page', title, document: { markdown: 'Text.' } }] })
const revisionOf = async (space: string): Promise<string> =>
  (await here.admin.call('get', `/v1/spaces/${space}`).expect(200)).body.revision

test('every content write creates one event with its author', async () => {
  const space = await newSpace()
  const first = await revisionOf(space)
  const from = await last()
  const writer = await here.caller('edit')
  const one = (await here.admin.call('post', `/v1/spaces/${space}/content`, page('One')).expect(200)).body.revision
  const two = (await writer.call('post', `/v1/spaces/${space}/content`, page('Two')).expect(200)).body.revision
  const told = await after(from, 2)
  assert.equal(
    told.map(({ type, actor, subject, data }) => [type, actor, subject.space, data.previous, data.revision]),
    [
      ['content.updated', here.admin.user, space, first, one],
      ['content.updated', writer.user, space, one, two],
    ],
  )
  assert.is(told[1]?.data.message, 'Add Two')
})

test('a change request creates events from its creation to its merge', async () => {
  const space = await newSpace()
  const from = await last()
  const url = `/v1/spaces/${space}/change-requests`
  const { id, number } = (await here.admin.call('post', url, { subject: 'A' }).expect(201)).body
  await here.admin.call('patch', `${url}/${id}`, { status: 'open', subject: 'B' }).expect(200)
  await here.admin.call('patch', `${url}/${id}`, { subject: 'B' }).expect(200)
  await here.admin.call('post', `${url}/${id}/content`, page('New')).expect(200)
  await after(from, 3)
  await here.admin.call('post', `${url}/${id}/merge`).expect(200)
  const told = await after(from, 5)
  const types = told.map(({ type }) => type)
  assert.equal(types.slice(0, 3), ['change_request.created', 'change_request.updated', 'change_request.updated'])
  assert.equal(types.slice(3).sort(), ['change_request.merged', 'content.updated'])
  assert.ok(told.every(({ subject, actor }) => subject.space === space && actor === here.admin.user))
  assert.equal(told[0]?.data, { number, status: 'draft', subject: 'A' })
  assert.equal(told[1]?.data, { number, status: 'open', previousStatus: 'draft', subject: 'B' })
  assert.is(told[2]?.data.message, 'Add New')
  assert.is(told.find(({ type }) => type === 'change_request.merged')?.data.revision, await revisionOf(space))
})

test('pushes with plain Git create events, even if the service was down', async () => {
  const space = await newSpace()
  const git = new PlainGit(join(here.dir, 'repos', `${space}.git`))
  const push = async (message: string): Promise<string> => {
    const head = (await git.run(['rev-parse', 'refs/heads/main'])).trim()
    const commit = (
      await git.run([
        '-c',
        'user.name=P',
        '-c',
        'user.email=p@example.org',
        'commit-tree',
        `${head}^{tree}`,
        '-p',
        head,
        '-m',
        message,
      ])
    ).trim()
    await git.run(['update-ref', 'refs/heads/main', commit, head])
    return commit
  }
  const from = await last()
  const pushed = [await push('First'), await push('Second')]
  await announceAll(here.service.app, { branches: false })
  await announceAll(here.service.app, { branches: false })
  const told = await after(from, 2)
  assert.equal(
    told.map(({ actor, data }) => [actor, data.revision]),
    pushed.map((revision) => [undefined, revision]),
  )
  const down = await push('While it was down')
  await here.restart()
  const [event, ...more] = await list(`order=asc&after=${from + 2}`)
  assert.equal([event?.data.revision, more.length], [down, 0])
  const written = (await here.admin.call('post', `/v1/spaces/${space}/content`, page('After')).expect(200)).body
    .revision
  assert.is((await after(from + 3, 1))[0]?.data.revision, written)
  await here.restart()
  assert.is((await list(`order=asc&after=${from + 4}`)).length, 0)
})

test('a rewritten history creates one event', async () => {
  const space = await newSpace()
  const git = new PlainGit(join(here.dir, 'repos', `${space}.git`))
  const before = await revisionOf(space)
  const other = (
    await git.run([
      '-c',
      'user.name=P',
      '-c',
      'user.email=p@example.org',
      'commit-tree',
      `${before}^{tree}`,
      '-m',
      'Other',
    ])
  ).trim()
  const from = await last()
  await git.run(['update-ref', 'refs/heads/main', other])
  await announceAll(here.service.app, { branches: false })
  const told = await after(from, 1)
  assert.equal([told.length, told[0]?.data.previous, told[0]?.data.revision], [1, before, other])
})

test('data about a space whose creation never finished is deleted at the next start', async () => {
  const lost = { space: 'lost', ref: 'refs/heads/main' as const, commit: '0'.repeat(40) as CommitId }
  await here.service.app.store.insert(announcedHeads, { id: 'lost:refs/heads/main', ...lost })
  const before = (await here.service.app.store.all(announcedHeads)).length
  await here.restart()
  assert.is((await here.service.app.store.all(announcedHeads)).length, before - 1)
})

test('concurrent writers get sequences without gaps, and no commit is reported twice', async () => {
  const space = await newSpace()
  const from = await last()
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      here.admin.call('post', `/v1/spaces/${space}/content`, page(`P${i}`)).expect(200),
    ),
  )
  const told = await after(from, 12)
  assert.equal(
    told.map(({ sequence }) => sequence),
    told.map((_, i) => from + 1 + i),
  )
  assert.equal(new Set(told.map(({ data }) => data.revision)), new Set(responses.map(({ body }) => body.revision)))
  for (const [i, { data }] of told.slice(1).entries()) assert.is(data.previous, told[i]?.data.revision)
})

test('events support filters, order and pages', async () => {
  const space = await newSpace()
  const from = await last()
  await here.admin.call('post', `/v1/spaces/${space}/change-requests`, {}).expect(201)
  await here.admin.call('post', `/v1/spaces/${space}/content`, page('X')).expect(200)
  await after(from, 2)
  const types = async (query: string) => (await list(query)).map(({ type }) => type)
  assert.equal(await types(`space=${space}&type=content.updated`), ['content.updated'])
  assert.equal((await types(`space=${space}&type=content.updated&type=change_request.created`)).length, 2)
  assert.equal(
    (await list(`after=${from}&order=asc`)).map(({ sequence }) => sequence),
    [from + 1, from + 2],
  )
  assert.equal((await list(`since=${new Date(clock.now().getTime() + DAY).toISOString()}`)).length, 0)
  const all = await list()
  const seen: number[] = []
  for (let next = ''; ; ) {
    const { body } = await here.admin.call('get', `${base}?limit=7${next}`).expect(200)
    assert.is(body.count, all.length)
    seen.push(...body.items.map((event: Told) => event.sequence))
    if (!body.next) break
    next = `&page=${body.next.page}`
  }
  assert.equal(seen, all.map(({ sequence }) => sequence).reverse())
  for (const query of ['type=bogus', 'after=-1', 'since=yesterday', 'order=up', 'page=x'])
    await here.admin.call('get', `${base}?${query}`).expect(400)
})

test('only admins of the organization can read the events', async () => {
  const [event] = (await here.admin.call('get', `${base}?limit=1`).expect(200)).body.items
  for (const role of ['create', null] as const) await (await here.caller(role)).call('get', base).expect(403)
  await (await here.caller()).call('get', base).expect(404)
  await here.admin.call('get', `${base}/${event.id}`).expect(200)
  const other = (await here.admin.call('post', '/v1/orgs', { title: 'Other' }).expect(201)).body.id
  await here.admin.call('get', `/v1/orgs/${other}/events/${event.id}`).expect(404)
})

test('expired events are deleted, and the sequence continues', async () => {
  const before = await last()
  assert.is(await applyRetention(here.service.app), 0)
  clock.forward(31 * DAY)
  await here.admin.call('patch', `/v1/orgs/${here.organization}`, { title: 'Renamed' }).expect(200)
  assert.ok((await applyRetention(here.service.app)) >= before)
  const left = await list()
  assert.ok(left.length > 0 && left.every(({ sequence }) => sequence > before), JSON.stringify(left))
})

test.run()
