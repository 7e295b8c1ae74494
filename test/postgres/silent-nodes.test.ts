import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import * as assert from 'uvu/assert'
import { applicationOf, openDatabase, openLeases } from '../../src/postgres/index.js'
import { startPostgres } from '../support/postgres.js'
import { suite } from '../support/suite.js'

// The sessions of the sleeping node have no limit for idle transactions here. Only the other nodes can end them.
const test = suite('nodes that were stopped in the middle of transactions')
const postgres = await startPostgres()
test.after(() => postgres.close())

/** Sessions of a node, one per connection. They end with the test. */
async function sessionsOf(url: string, node: string, count: number): Promise<Client[]> {
  const clients = Array.from(
    { length: count },
    () => new Client({ connectionString: url, application_name: applicationOf(node) }),
  )
  for (const client of clients) client.on('error', () => {})
  await Promise.all(clients.map((client) => client.connect()))
  return clients
}

const ADD = 'UPDATE numbers SET n = n + 1'
const MULTIPLY = 'UPDATE numbers SET n = 10 * n'

/** Two nodes and their numbers. */
async function opened() {
  const url = await postgres.database()
  const awake = openDatabase({ url, application: applicationOf('awake') })
  await awake.query('CREATE TABLE numbers AS SELECT 1 AS n')
  const inTransactions = async (): Promise<number> =>
    (
      await awake.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()",
      )
    ).length
  return {
    url,
    awake,
    inTransactions,
    number: async () => (await awake.query<{ n: number }>('SELECT n FROM numbers'))[0]?.n,
  }
}

test('all transactions of a sleeping node end at once, and its idle sessions stay', async () => {
  const { url, awake, number, inTransactions } = await opened()
  const [holds, waits, waitsToo, idle] = (await sessionsOf(url, 'asleep', 4)) as [Client, Client, Client, Client]
  await holds.query(`BEGIN; ${ADD}`)
  for (const client of [waits, waitsToo]) client.query(`BEGIN; ${ADD}`).catch(() => {})
  while ((await inTransactions()) < 3) await wait(10)
  await awake.query(MULTIPLY)
  assert.equal(await number(), 10)
  while ((await inTransactions()) > 0) await wait(10)
  assert.equal((await idle.query('SELECT 1 AS one')).rows, [{ one: 1 }])
  await Promise.all([idle.end(), awake.close()])
})

test('a sleeping node does not keep a lock that it gets while asleep', async () => {
  const { url, awake, number, inTransactions } = await opened()
  const [holds] = (await sessionsOf(url, 'asleep', 1)) as [Client]
  const [waits] = (await sessionsOf(url, 'asleep, too', 1)) as [Client]
  await holds.query(`BEGIN; ${ADD}`)
  waits.query(`BEGIN; ${ADD}`).catch(() => {})
  while ((await inTransactions()) < 2) await wait(10)
  await awake.query(MULTIPLY)
  assert.equal(await number(), 10)
  while ((await inTransactions()) > 0) await wait(10)
  await awake.close()
})

test('a node that sends other statements is not asleep, even if a transaction waits long', async () => {
  const { url, awake, number } = await opened()
  const [holds, beats] = (await sessionsOf(url, 'slow', 2)) as [Client, Client]
  await holds.query(`BEGIN; ${ADD}`)
  const written = awake.query(MULTIPLY)
  for (let beat = 0; beat < 12; beat++) {
    await wait(500)
    await beats.query('SELECT 1')
  }
  await holds.query('COMMIT')
  await written
  assert.equal(await number(), 20)
  await Promise.all([holds.end(), beats.end(), awake.close()])
})

test('a node that waits for one slow statement does not count as asleep', async () => {
  const { url, awake, number } = await opened()
  const [works] = (await sessionsOf(url, 'works', 1)) as [Client]
  const working = works.query(`BEGIN; ${ADD}; SELECT pg_sleep(6); COMMIT`)
  while (
    (await awake.query("SELECT FROM pg_stat_activity WHERE query LIKE '%pg_sleep(6)%' AND wait_event = 'PgSleep'"))
      .length === 0
  )
    await wait(20)
  await awake.query(MULTIPLY)
  await working
  assert.equal(await number(), 20)
  await Promise.all([works.end(), awake.close()])
})

test('an expired lease is taken over even if a transaction of its holder has checked it', async () => {
  const { url, awake, inTransactions } = await opened()
  const leases = await openLeases(awake, { holder: 'awake' })
  const [asleep] = (await sessionsOf(url, 'asleep', 1)) as [Client]
  await asleep.query(
    `INSERT INTO leases (name, fence, holder, until) VALUES ('space:one', 7, 'asleep', clock_timestamp() + interval '1 second')`,
  )
  await asleep.query(`BEGIN; SELECT FROM leases WHERE name = 'space:one' AND fence = 7 FOR SHARE`)
  const fence = await leases.run('space:one', async (lease) => lease.fence.fence)
  assert.ok(fence > 7)
  while ((await inTransactions()) > 0) await wait(10)
  await leases.close()
  await awake.close()
})

test.run()
