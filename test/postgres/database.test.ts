import { setTimeout as wait } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { DatabaseAway, migrate, openDatabase } from '../../src/postgres/index.js'
import { startPostgres } from '../support/postgres.js'
import { suite } from '../support/suite.js'

const test = suite('the database that nodes share')
const postgres = await startPostgres()
test.after(() => postgres.close())

const open = async () => openDatabase({ url: await postgres.database(), connectMs: 2_000 })

test('conflicting transactions are repeated until each has counted', async () => {
  const database = await open()
  await migrate(database, 'test', [
    { version: 1, sql: 'CREATE TABLE counters (name text PRIMARY KEY, value integer NOT NULL)' },
  ])
  await database.query("INSERT INTO counters VALUES ('a', 0)")
  let runs = 0
  await Promise.all(
    Array.from({ length: 12 }, () =>
      database.transact(async (session) => {
        runs++
        const [row] = await session.query<{ value: number }>("SELECT value FROM counters WHERE name = 'a'")
        await session.query("UPDATE counters SET value = $1 WHERE name = 'a'", [(row?.value ?? 0) + 1])
      }),
    ),
  )
  const [row] = await database.query<{ value: number }>('SELECT value FROM counters')
  assert.is(row?.value, 12)
  assert.ok(runs >= 12)
  await database.close()
})

test('a transaction that throws leaves nothing, and its connection is reused', async () => {
  const database = await open()
  await database.query('CREATE TABLE kept (value integer)')
  const refused = await database
    .transact(async (session) => {
      await session.query('INSERT INTO kept VALUES (1)')
      throw new Error('no')
    })
    .catch((error: Error) => error.message)
  assert.is(refused, 'no')
  assert.equal(await database.query('SELECT * FROM kept'), [])
  await database.close()
})

test('nodes that start together migrate once, and an older release reads newer data', async () => {
  const url = await postgres.database()
  const nodes = Array.from({ length: 4 }, () => openDatabase({ url }))
  const first = { version: 1, sql: 'CREATE TABLE things (id integer)' }
  const second = { version: 2, sql: 'ALTER TABLE things ADD COLUMN name text' }
  assert.equal(await Promise.all(nodes.map((node) => migrate(node, 'things', [first, second]))), [2, 2, 2, 2])
  assert.is(await migrate(nodes[0] as (typeof nodes)[0], 'things', [first]), 2)
  await Promise.all(nodes.map((node) => node.close()))
})

test('a database outage has one error type and ends without a restart', async () => {
  const database = await open()
  const heard: string[] = []
  const listening = database.listen('news', (payload) => heard.push(payload))
  const hears = async (text: string) => {
    for (let round = 0; round < 200; round++) {
      await database.query('SELECT pg_notify($1, $2)', ['news', text])
      await wait(25)
      if (heard.includes(text)) return true
    }
    return false
  }
  assert.ok(await hears('one'))
  await postgres.crash()
  const away = await database.query('SELECT 1').catch((error: unknown) => error)
  assert.instance(away, DatabaseAway)
  assert.not.match(String((away as Error).message), /postgresql:/)
  assert.instance(
    await database.transact((session) => session.query('SELECT 1')).catch((error: unknown) => error),
    DatabaseAway,
  )
  await postgres.start()
  assert.equal(await database.query('SELECT 1 AS one'), [{ one: 1 }])
  assert.ok(await hears('two'))
  await listening.close()
  await database.close()
})

test.run()
