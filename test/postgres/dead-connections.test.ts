import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import * as assert from 'uvu/assert'
import { DatabaseAway, openDatabase } from '../../src/postgres/index.js'
import { startPostgres } from '../support/postgres.js'
import { suite } from '../support/suite.js'

const test = suite('dead connections to PostgreSQL')
const postgres = await startPostgres()
test.after(() => postgres.close())

/** A network between a node and the database that can silently drop the data of existing connections. */
async function network(url: string) {
  const folder = decodeURIComponent(/host=([^&]+)/.exec(url)?.[1] as string)
  const name = /localhost\/(\w+)/.exec(url)?.[1] as string
  const pairs = new Set<[Socket, Socket]>()
  const left = new Set<Socket>()
  let deaf = false
  const server = createServer((near) => {
    if (deaf) {
      left.add(near.on('error', () => {}))
      return
    }
    const far = connect(`${folder}/.s.PGSQL.5432`)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    near.pipe(far).pipe(near)
    for (const one of pair) one.on('error', () => {}).on('close', () => pairs.delete(pair))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `postgresql://bindery@127.0.0.1:${(server.address() as AddressInfo).port}/${name}`,
    /** Drops all data of existing connections from now on. */
    freeze: () => {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause()
        far.unpipe(near).pause()
      }
    },
    /** Accepts new connections and drops their data forever, until later ones are normal again. */
    turnDeaf: (value: boolean) => {
      deaf = value
    },
    /** The node sees its connections closed. The database does not, and receives nothing more on them. */
    reset: () => {
      for (const [near, far] of pairs) {
        near.unpipe(far)
        far.unpipe(near).pause()
        left.add(far)
        near.destroy()
      }
    },
    close: () => {
      for (const pair of pairs) for (const one of pair) one.destroy()
      for (const one of left) one.destroy()
      server.close()
    },
  }
}

/** The statement limit is ten minutes, so it ends nothing in this test. */
async function opened(connections = 4) {
  const direct = await postgres.database()
  const between = await network(direct)
  const database = openDatabase({ url: between.url, connections, statementMs: 600_000 })
  return { database, between, direct, other: openDatabase({ url: direct }) }
}

test('a statement on a dead connection fails soon, and other dead connections are not reused', async () => {
  const { database, between, other } = await opened()
  // as many connections as the pool has
  await Promise.all(Array.from({ length: 4 }, () => database.query('SELECT pg_sleep(0.2)')))
  between.freeze()
  const error = await database.query('SELECT 1').then(
    () => null,
    (thrown: unknown) => thrown,
  )
  assert.instance(error, DatabaseAway)
  for (let tries = 0; tries < 8; tries++) assert.equal(await database.query('SELECT 1 AS one'), [{ one: 1 }])
  between.close()
  await Promise.all([database.close(), other.close()])
})

test('a transaction on a dead connection fails and can be repeated', async () => {
  const { database, between, other } = await opened()
  await database.query('CREATE TABLE numbers (n integer)')
  const error = await database
    .transact(async (session) => {
      await session.query('INSERT INTO numbers VALUES (1)')
      between.freeze()
      await session.query('INSERT INTO numbers VALUES (2)')
    })
    .catch((thrown: unknown) => thrown)
  assert.instance(error, DatabaseAway)
  await database.transact((session) => session.query('INSERT INTO numbers VALUES (3)'))
  assert.equal(await other.query('SELECT n FROM numbers'), [{ n: 3 }])
  between.close()
  await Promise.all([database.close(), other.close()])
})

test('closing does not wait for dead or listening connections', async () => {
  const { database, between, other } = await opened()
  const heard: string[] = []
  database.listen('news', (payload) => heard.push(payload))
  while (heard.length === 0) await wait(10)
  await Promise.all(Array.from({ length: 4 }, () => database.query('SELECT pg_sleep(0.2)')))
  between.freeze()
  await database.close()
  between.close()
  await other.close()
})

test('slow statements and statements that wait for a lock are not aborted', async () => {
  const { database, between, other } = await opened()
  await database.query('CREATE TABLE numbers AS SELECT 1 AS n')
  const holding = other.transact(async (session) => {
    await session.query('SELECT n FROM numbers FOR UPDATE')
    await session.query('SELECT pg_sleep(6)')
  })
  await wait(200)
  await Promise.all([database.query('SELECT pg_sleep(6)'), database.query('UPDATE numbers SET n = 2'), holding])
  assert.equal(await database.query('SELECT n FROM numbers'), [{ n: 2 }])
  between.close()
  await Promise.all([database.close(), other.close()])
})

test('a connection attempt during a network outage succeeds once the network is up', async () => {
  const { database, between, other } = await opened()
  between.turnDeaf(true)
  const asked = [1, 2, 3, 4, 5, 6].map(() => database.query('SELECT 1 AS one'))
  await wait(100)
  between.turnDeaf(false)
  for (const one of asked) assert.equal(await one, [{ one: 1 }])
  between.close()
  await Promise.all([database.close(), other.close()])
})

test('an unreachable database is reported as away and found again', async () => {
  const { database, between, other } = await opened()
  between.turnDeaf(true)
  const error = await database.query('SELECT 1').catch((thrown: unknown) => thrown)
  assert.instance(error, DatabaseAway)
  between.turnDeaf(false)
  assert.equal(await database.query('SELECT 1 AS one'), [{ one: 1 }])
  between.close()
  await Promise.all([database.close(), other.close()])
})

test('statements on a frozen database fail, and it is found again when it responds', async () => {
  const { database, between, other } = await opened(2)
  await Promise.all([1, 2].map(() => database.query('SELECT pg_sleep(0.2)')))
  between.freeze()
  between.turnDeaf(true)
  // Two have a connection, and the others wait for one.
  const asked = [1, 2, 3, 4].map(() => database.query('SELECT 1').catch((thrown: unknown) => thrown))
  const inTransaction = database.transact((session) => session.query('SELECT 1')).catch((thrown: unknown) => thrown)
  for (const one of [...asked, inTransaction]) assert.instance(await one, DatabaseAway)
  assert.instance(
    await database.query('SELECT 1').catch((thrown: unknown) => thrown),
    DatabaseAway,
    'also what comes later',
  )
  between.turnDeaf(false)
  const until = async (): Promise<unknown> => database.query('SELECT 1 AS one').catch(until)
  assert.equal(await until(), [{ one: 1 }])
  between.close()
  await Promise.all([database.close(), other.close()])
})

test('a database that rejects changes is away for them, and its connections are replaced', async () => {
  const { database, between, other, direct } = await opened(1)
  await database.query('CREATE TABLE numbers AS SELECT 1 AS n')
  const name = new URL(direct).pathname.slice(1)
  await other.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  const add = (target: typeof database) => target.transact((session) => session.query('INSERT INTO numbers VALUES (2)'))
  const later = openDatabase({ url: between.url, connections: 1 })
  const error = await add(later).catch((thrown: unknown) => thrown)
  assert.instance(error, DatabaseAway)
  assert.match((error as Error).message, /accepts no changes/)
  assert.equal(await later.query('SELECT n FROM numbers'), [{ n: 1 }], 'it can be read')
  await other.query(`ALTER DATABASE ${name} SET default_transaction_read_only = off`)
  // The reading connection is replaced after the next rejected change.
  const accepted = async (): Promise<unknown> => add(later).catch(accepted)
  await accepted()
  between.close()
  await Promise.all([database.close(), other.close(), later.close()])
})

test('a process that stops in the middle of a transaction releases its rows soon', async () => {
  const { database, between, other } = await opened()
  await database.query('CREATE TABLE numbers AS SELECT 1 AS n')
  let isFree = (): void => {}
  const free = new Promise<void>((done) => {
    isFree = done
  })
  const stopped = database
    .transact(async (session) => {
      await session.query('UPDATE numbers SET n = 2')
      await free
      await session.query('UPDATE numbers SET n = 3')
    }, 'READ COMMITTED')
    .catch((thrown: unknown) => thrown)
  await wait(200)
  await other.query('UPDATE numbers SET n = 10 * n')
  isFree()
  assert.instance(await stopped, DatabaseAway)
  assert.equal(await other.query('SELECT n FROM numbers'), [{ n: 10 }])
  between.close()
  await Promise.all([database.close(), other.close()])
})

test('broken sessions do not receive the lock that they waited for', async () => {
  const { database, between, other, direct } = await opened()
  await database.query('CREATE TABLE numbers AS SELECT 1 AS n')
  const update = (session: { query(text: string): Promise<unknown> }) => session.query('UPDATE numbers SET n = n + 1')
  const waiting = async (): Promise<number> =>
    (await other.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).length
  // The lock holder may take as long as this test does.
  const holder = new Client({ connectionString: direct })
  await holder.connect()
  await holder.query('BEGIN; UPDATE numbers SET n = n + 1')
  const lost = [1, 2, 3].map(() => database.transact(update, 'READ COMMITTED').catch((thrown: unknown) => thrown))
  while ((await waiting()) < 3) await wait(20)
  between.reset()
  for (const one of lost) assert.instance(await one, DatabaseAway)
  while ((await waiting()) > 0) await wait(20)
  await holder.query('COMMIT')
  await holder.end()
  assert.equal(await other.query('SELECT n FROM numbers'), [{ n: 2 }])
  assert.equal(await database.query('SELECT 1 AS one'), [{ one: 1 }], 'new connections are left alone')
  between.close()
  await Promise.all([database.close(), other.close()])
})

test.run()
