import * as assert from 'uvu/assert'
import { emit } from '../../src/domain/events/events.js'
import { MAX_SCANNED } from '../../src/domain/events/event-stream.js'
import type { StoreEvent } from '../../src/store/index.js'
import { eventsOf } from '../support/events.js'
import { startService, type TestService } from '../support/service.js'
import { openDocuments } from '../support/stored-documents.js'
import { suite } from '../support/suite.js'

const test = suite('events: the journal')

/** Writes events about a nonexistent space in few transactions. */
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
  'events are not kept in memory, and a filtered request reads a limited number of them',
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
      second.items.map(({ id }: { id: string }) => id),
      [rare.id],
    )
    assert.is(second.next, undefined)
    // If no more than that has to be read, the result is exact.
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
