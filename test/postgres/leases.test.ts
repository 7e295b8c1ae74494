import { setTimeout as wait } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import {
  checkFence,
  DatabaseAway,
  type Database,
  type FencedLease,
  LeaseLost,
  openDatabase,
  openLeases,
} from '../../src/postgres/index.js'
import { startPostgres } from '../support/postgres.js'
import { suite } from '../support/suite.js'

const test = suite('leases that nodes share')
const postgres = await startPostgres()
test.after(() => postgres.close())

const url = await postgres.database()
const databases: Database[] = []
const open = (): Database => {
  const database = openDatabase({ url, connectMs: 2_000 })
  databases.push(database)
  return database
}
test.after(() => Promise.all(databases.map((database) => database.close())))

let holders = 0
/** A separate node with its own connections. */
const node = async (leaseMs = 60_000) => {
  const database = open()
  return { database, leases: await openLeases(database, { holder: `node-${++holders}`, leaseMs }) }
}
const here = open()
/** Advances the database time past the end of a lease. */
const expire = (name: string) =>
  here.query(`UPDATE leases SET until = clock_timestamp() - interval '1 second' WHERE name = $1`, [name])
const fences = (database: Database, { fence }: FencedLease) =>
  database
    .transact((session) => checkFence(session, fence))
    .then(
      () => 'held',
      (error) => error,
    )
const until = async (holds: () => boolean | Promise<boolean>) => {
  while (!(await holds())) await wait(10)
}

test('of many holders on several nodes, one has the lease at a time, and each gets it', async () => {
  const nodes = await Promise.all(Array.from({ length: 4 }, () => node()))
  await here.query('CREATE TABLE inside (value integer)')
  await here.query('INSERT INTO inside VALUES (0)')
  const seen: number[] = []
  let inside = 0
  await Promise.all(
    nodes.flatMap(({ leases, database }) =>
      Array.from({ length: 15 }, () =>
        leases.run('busy', async (lease) => {
          assert.is(++inside, 1)
          const [row] = await database.query<{ value: number }>('SELECT value FROM inside')
          await database.query('UPDATE inside SET value = $1', [(row?.value ?? 0) + 1])
          assert.is(await fences(database, lease), 'held')
          seen.push(lease.fence.fence)
          inside--
        }),
      ),
    ),
  )
  assert.equal(await here.query('SELECT value FROM inside'), [{ value: 60 }])
  assert.equal(
    seen,
    [...new Set(seen)].sort((a, b) => a - b),
    'numbers grow',
  )
  await Promise.all(nodes.map(({ leases }) => leases.close()))
})

test('a node that requests a lease repeatedly does not starve the others', async () => {
  const [busy, patient] = [await node(), await node()]
  let over = false
  let turns = 0
  const working = Promise.all(
    Array.from({ length: 3 }, async () => {
      while (!over) await busy.leases.run('wanted', async () => void turns++)
    }),
  )
  await until(() => turns > 10)
  await patient.leases.run('wanted', async () => undefined)
  over = true
  await working
  await Promise.all([busy.leases.close(), patient.leases.close()])
})

test('a lease that another node holds is not waited for, and different names are independent', async () => {
  const [one, two] = [await node(), await node()]
  await one.leases.run('first', async () => {
    assert.is(await two.leases.tryRun('first', async () => 'mine'), null)
    assert.is(await one.leases.tryRun('first', async () => 'mine'), null)
    assert.is(await two.leases.tryRun('second', async () => 'mine'), 'mine')
  })
  assert.is(await two.leases.tryRun('first', async () => 'mine'), 'mine')
  const thrown = await one.leases
    .run('first', () => Promise.reject(new Error('no')))
    .catch((error: Error) => error.message)
  assert.is(thrown, 'no')
  assert.is(await two.leases.tryRun('first', async () => 'free again'), 'free again')
  await Promise.all([one.leases.close(), two.leases.close()])
})

test('a holder that slept through its lease cannot write and gets an error', async () => {
  const [sleeper, other] = [await node(), await node(300)]
  await sleeper.leases.run('slept', async (lease) => {
    await expire('slept')
    assert.is(await fences(sleeper.database, lease), 'held', 'nobody has taken it')
    await other.leases.run('slept', async (taken) => {
      assert.ok(taken.fence.fence > lease.fence.fence)
      assert.instance(await fences(sleeper.database, lease), LeaseLost)
      assert.is(await fences(other.database, taken), 'held')
    })
    assert.instance(await fences(sleeper.database, lease), LeaseLost, 'also after that')
  })
  // The release by the former holder must not free the lease of the next one.
  await other.leases.run('slept', async (taken) => {
    await wait(1_000)
    assert.is(await fences(other.database, taken), 'held', 'the lease is extended')
    assert.is(await sleeper.leases.tryRun('slept', async () => 'mine'), null)
  })
  await Promise.all([sleeper.leases.close(), other.leases.close()])
})

test('a holder detects a lost lease when it extends the lease', async () => {
  const [sleeper, other] = [await node(150), await node()]
  await sleeper.leases.run('told', async (lease) => {
    // Between two extensions, as if the process had been stopped for that long.
    await here.query(
      `UPDATE leases SET fence = fence + 1, holder = 'another', until = clock_timestamp() + interval '1 minute' WHERE name = 'told'`,
    )
    await until(() => lease.signal.aborted)
    assert.throws(() => lease.assertHeld(), /another one took over/)
  })
  assert.is(await other.leases.tryRun('told', async () => 'mine'), null)
  await Promise.all([sleeper.leases.close(), other.leases.close()])
})

test('no one takes over a lease while a transaction that checked its fence runs', async () => {
  const [slow, other] = [await node(), await node()]
  const order: string[] = []
  await slow.leases.run('slow', async (lease) => {
    await expire('slow')
    let taking: Promise<unknown> = Promise.resolve()
    await slow.database.transact(async (session) => {
      await checkFence(session, lease.fence)
      taking = other.leases.run('slow', async () => order.push('taken'))
      await until(
        async () =>
          (await here.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%leases%'`))
            .length > 0,
      )
      order.push('written')
    })
    await taking
    assert.instance(await fences(slow.database, lease), LeaseLost)
  })
  assert.equal(order, ['written', 'taken'])
  await Promise.all([slow.leases.close(), other.leases.close()])
})

test("a killed node's lease is free when it expires, and a closed node's lease at once", async () => {
  const [killed, closed, other] = [await node(500), await node(), await node()]
  // Killed: nothing is extended and nothing is released.
  const never = new Promise<never>(() => {})
  void killed.leases.run('killed', () => never)
  await until(
    async () => (await here.query(`SELECT FROM leases WHERE name = 'killed' AND holder IS NOT NULL`)).length > 0,
  )
  await killed.database.close()
  assert.is(await other.leases.run('killed', async () => 'taken'), 'taken')

  void closed.leases.run('closed', () => never)
  await until(
    async () => (await here.query(`SELECT FROM leases WHERE name = 'closed' AND holder IS NOT NULL`)).length > 0,
  )
  const waiting = other.leases.run('closed', async () => 'taken')
  await closed.leases.close()
  assert.is(await waiting, 'taken')
  assert.is(
    (await closed.leases
      .run('another', async () => 'mine')
      .catch((error: { status: number }) => error.status)) as unknown,
    503,
  )
  await other.leases.close()
})

test('a lease whose response was lost is granted to the same node again', async () => {
  const { leases } = await node()
  await here.query(
    `INSERT INTO leases (name, fence, holder, until) VALUES ('ghost', 7, $1, clock_timestamp() + interval '1 hour')`,
    [`node-${holders}`],
  )
  assert.is(await leases.tryRun('ghost', async ({ fence }) => fence.fence > 7), true)
  await leases.close()
})

test('no lease is granted during a database outage, and old ones continue or are rejected', async () => {
  const [one, two] = [await node(), await node()]
  await one.leases.run('kept', async (lease) => {
    await postgres.crash()
    assert.instance(await two.leases.run('another', async () => 1).catch((error) => error), DatabaseAway)
    assert.not.ok(lease.signal.aborted)
    await postgres.start()
    // The crash may have lost the lease, because the database did not sync it to disk. Then the holder is rejected and
    // another one may take it.
    const outcome = await fences(one.database, lease)
    const taken = await two.leases.tryRun('kept', async ({ fence }) => fence.fence)
    if (outcome === 'held') assert.is(taken, null)
    else {
      assert.instance(outcome, LeaseLost)
      assert.ok((taken ?? 0) > lease.fence.fence)
    }
  })
  assert.is(await two.leases.run('kept', async () => 'again'), 'again')
  await Promise.all([one.leases.close(), two.leases.close()])
})

test('rows of unused leases are deleted, and their numbers continue', async () => {
  const { leases } = await node()
  const first = await leases.run('rare', async ({ fence }) => fence.fence)
  await here.query(`UPDATE leases SET until = clock_timestamp() - interval '2 days' WHERE name = 'rare'`)
  await leases.sweep()
  assert.equal(await here.query(`SELECT FROM leases WHERE name = 'rare'`), [])
  assert.ok((await leases.run('rare', async ({ fence }) => fence.fence)) > first)
  await leases.close()
})

test.run()
