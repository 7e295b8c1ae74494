import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { emit } from '../../src/domain/events/events.js'
import { MAX_SCANNED } from '../../src/domain/events/event-stream.js'
import { applyRetention } from '../../src/domain/events/retention.js'
import { earlierEvents } from '../../src/model/index.js'
import type { StoreEvent } from '../../src/store/index.js'
import { eventsOf } from '../support/events.js'
import { startService, type TestService } from '../support/service.js'
import { openDocuments } from '../support/stored-documents.js'
import { suite } from '../support/suite.js'
import { handClock } from '../support/hand-clock.js'
import { startReceiver } from './receiver.js'

const test = suite('events: the journal')
const DAY = 24 * 60 * 60 * 1000

interface Told {
  id: string
  sequence: number
}

/** A store as written by a release that kept events as documents, and what its API returned. */
interface Earlier {
  now: string
  organization: string
  /** An organization none of whose four events is kept any more. */
  other: string
  webhook: string
  events: Told[]
  /** The cursor behind the newest. */
  page: string
  deliveries: { id: string; event: string }[]
  files: Record<string, string>
}

test(
  'a stream of an earlier release goes on: events, IDs, cursors, sequences, webhooks',
  async () => {
    const earlier = JSON.parse(await readFile(new URL('earlier-data.json', import.meta.url), 'utf8')) as Earlier
    const dir = await mkdtemp(join(tmpdir(), 'bindery-'))
    for (const [path, text] of Object.entries(earlier.files)) {
      const file = join(dir, 'data', 'store', path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
    }
    await writeFile(join(dir, 'data', 'signing-key'), `${'ab'.repeat(32)}\n`)
    const clock = handClock()
    clock.forward(Date.parse(earlier.now) - clock.now().getTime())
    const here = await startService({ dir, overrides: { clock } })
    const org = `/v1/orgs/${earlier.organization}`
    // What names the address of the service is that of this one.
    const told = async (query: string) => {
      const { body } = await here.admin.call('get', `${org}/events?${query}`).expect(200)
      return body.items.map(({ urls: _, ...event }: Told & { urls: object }) => event)
    }
    const expected = earlier.events
      .map((event) => ({ ...event, urls: undefined }))
      .map(({ urls: _, ...event }) => event)
    for (let start = 0; start < 2; start++) {
      assert.equal(await told('order=asc'), expected)
      assert.equal(await told(`page=${earlier.page}`), expected.slice(0, -1).reverse())
      assert.equal(await told('order=asc&after=5'), expected.slice(-1))
      for (const { id, sequence } of expected)
        assert.is((await here.admin.call('get', `${org}/events/${id}`).expect(200)).body.sequence, sequence)
      await here.admin.call('get', `${org}/events/${'x'.repeat(20)}`).expect(404)
      await here.restart()
    }

    const receiver = await startReceiver()
    const hook = `${org}/webhooks/${earlier.webhook}`
    await here.admin.call('post', `${hook}/rotate-secret`).expect(200)
    await here.admin.call('patch', hook, { url: receiver.url }).expect(200)
    await here.admin.call('post', `${hook}/deliveries/${earlier.deliveries[0]?.id}/replay`).expect(201)
    await here.admin.call('patch', org, { title: 'Afterwards' }).expect(200)
    // What waited for another attempt, its replay, and what happened now.
    const last = expected.at(-1)!.sequence
    const got = (await receiver.until(3)).sort((a, b) => a.json.sequence - b.json.sequence)
    assert.equal(
      got.map(({ json }) => json.sequence),
      [last, last, last + 1],
    )
    assert.is(got[0]?.headers['webhook-id'], earlier.deliveries[0]?.event)
    receiver.close()

    // Four events, all gone: the next is the fifth or later, and after that the stream alone says it.
    await here.admin.call('patch', `/v1/orgs/${earlier.other}`, { title: 'Here again' }).expect(200)
    await here.admin.call('patch', `/v1/orgs/${earlier.other}`, { title: 'And again' }).expect(200)
    const sequences = (await eventsOf(here.service.app.store, earlier.other)).map(({ sequence }) => sequence)
    assert.ok(sequences[0]! > 3 && sequences[1] === sequences[0]! + 1, String(sequences))

    assert.is((await here.service.app.store.all(earlierEvents)).length, 1)
    clock.forward(31 * DAY)
    await applyRetention(here.service.app)
    assert.equal([await told(''), (await here.service.app.store.all(earlierEvents)).length], [[], 0])
    await here.close()
  },
  { embeddedOnly: 'earlier-data' },
)

/** Writes events about a space that is none, in few transactions. */
async function many(here: TestService, count: number): Promise<void> {
  const { app } = here.service
  for (let written = 0; written < count; written += 2_000) {
    await app.store.transact(async (tx) => {
      for (let i = written; i < Math.min(count, written + 2_000); i++)
        await emit(app, tx, {
          type: 'comment.created',
          organization: here.organization,
          subject: { space: 'many', comment: `c${i}` },
        })
    })
  }
}

test(
  'events are not held in memory, and a filter looks at so many of them a request',
  async () => {
    const here = await startService()
    const { app } = here.service
    const url = `/v1/orgs/${here.organization}/events`
    const ask = async (query: string) => (await here.admin.call('get', `${url}?${query}`).expect(200)).body
    await app.store.transact((tx) =>
      emit(app, tx, { type: 'space.updated', organization: here.organization, subject: { space: 'rare' } }),
    )
    const rare = (await ask('limit=1')).items[0]
    await many(here, MAX_SCANNED + 500)

    const first = await ask('space=rare')
    assert.equal([first.items, first.count], [[], 0])
    const second = await ask(`space=rare&page=${first.next.page}`)
    assert.equal(
      second.items.map(({ id }: Told) => id),
      [rare.id],
    )
    assert.is(second.next, undefined)
    // If no more than that has to be read, it is exact.
    assert.equal((await ask(`space=many&after=${rare.sequence + 600}&limit=3`)).count, MAX_SCANNED - 100)
    assert.equal((await ask(`after=${rare.sequence}&limit=1`)).count, MAX_SCANNED + 500)
    assert.equal(
      (
        await ask(
          `after=${rare.sequence}&limit=1&page=${Buffer.from(`[${rare.sequence + 1},""]`).toString('base64url')}`,
        )
      ).items,
      [],
    )
    assert.is((await here.admin.call('get', `${url}/${rare.id}`).expect(200)).body.sequence, rare.sequence)
    await here.admin.call('get', `${url}/${rare.id.slice(0, 20)}${(rare.sequence + 1).toString(36)}`).expect(404)

    await here.service.close()
    const told: StoreEvent[] = []
    const store = await openDocuments(here.dir, (event) => told.push(event))
    const opened = told.find((event) => event.event === 'opened')
    assert.ok(opened?.event === 'opened' && opened.documents < 50, JSON.stringify(opened))
    assert.is((await eventsOf(store, here.organization)).length, rare.sequence + MAX_SCANNED + 500)
    await store.close()
  },
  { timeoutMs: 120_000 },
)

test.run()
