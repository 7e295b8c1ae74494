/**
 * Tests change detection for any writer, for long transactions, and if the database restarts or is reset to an earlier
 * time.
 */
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  DatabaseAway,
  type Database,
  migrate,
  type News,
  openDatabase,
  openNews,
  changeTriggers,
} from '../../src/postgres/index.js'
import { startPostgres } from '../support/postgres.js'
import { suite } from '../support/suite.js'

const test = suite('change detection in PostgreSQL')
const postgres = await startPostgres()
const opened: { close(): Promise<unknown> }[] = []
test.after(async () => {
  for (const one of opened.reverse()) await one.close()
  await postgres.close()
})
const kept = <T extends { close(): Promise<unknown> }>(one: T): T => {
  opened.push(one)
  return one
}

const TABLE = `CREATE TABLE things (kind text NOT NULL, id text NOT NULL, version integer NOT NULL, PRIMARY KEY (kind, id)); ${changeTriggers('things', 't', ['kind', 'id'])}`

interface Node {
  database: Database
  news: News
}
async function nodes(count: number, name?: string): Promise<{ url: string; all: Node[] }> {
  const url = await postgres.database(name)
  const all: Node[] = []
  for (let n = 0; n < count; n++) {
    const database = kept(openDatabase({ url, connectMs: 2_000 }))
    await migrate(database, 'things', [{ version: 1, sql: TABLE }])
    all.push({ database, news: kept(await openNews(database)) })
  }
  return { url, all }
}
const put = (on: Pick<Database, 'query'>, id: string, version: number) =>
  on.query(`INSERT INTO things VALUES ('k', $1, $2) ON CONFLICT (kind, id) DO UPDATE SET version = $2`, [id, version])
const nameOf = (id: string) => `t k ${id}`

test('written, changed, renamed and deleted rows get a new stamp, and others keep theirs', async () => {
  const { all } = await nodes(2)
  const [here, there] = all as [Node, Node]
  const names = ['a', 'b', 'c', 'd'].map(nameOf)
  const stamps = () => names.map((name) => there.news.stamp(name))
  const changed = async (change: () => Promise<unknown>): Promise<string[]> => {
    const before = stamps()
    await change()
    assert.equal(stamps(), before, 'nothing changes without a question')
    await there.news.ask()
    return names.filter((name, n) => there.news.stamp(name) !== before[n])
  }
  assert.equal(await changed(() => put(here.database, 'a', 1)), ['t k a'])
  assert.equal(await changed(() => put(here.database, 'a', 2)), ['t k a'])
  assert.equal(await changed(() => here.database.query(`UPDATE things SET id = 'b' WHERE id = 'a'`)), [
    't k a',
    't k b',
  ])
  assert.equal(await changed(() => here.database.query(`DELETE FROM things`)), ['t k b'])
  assert.equal(await changed(() => put(there.database, 'c', 1)), ['t k c'], "a node's own changes are news, too")
  assert.equal(await changed(async () => {}), [])
  const refused = () =>
    here.database
      .transact(async (session) => {
        await put(session, 'd', 1)
        throw new Error('no')
      })
      .catch(() => undefined)
  assert.equal(await changed(refused), [], 'what was rolled back is no news')
})

test('each check covers all earlier acknowledged writes of random transactions', async () => {
  const seed = fc.readConfigureGlobal().seed ?? Date.now()
  let state = seed >>> 0
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const { all } = await nodes(3)
  const IDS = ['a', 'b', 'c', 'd', 'e']
  /** The last acknowledged version of each row. */
  const acknowledged = new Map<string, number>(IDS.map((id) => [id, 0]))
  let next = 0
  let writing = true
  const turn = new Map<string, Promise<unknown>>()
  /** Writers of the same row wait for each other, so versions grow in commit order. */
  const alone = async (ids: readonly string[], work: () => Promise<void>): Promise<void> => {
    const before = ids.map((id) => turn.get(id))
    const mine = Promise.all(before).then(work)
    for (const id of ids)
      turn.set(
        id,
        mine.catch(() => undefined),
      )
    await mine
  }
  const writer = async ({ database }: Node): Promise<void> => {
    while (writing) {
      const ids = IDS.filter(() => random(3) === 0)
      if (ids.length === 0) continue
      await alone(ids, async () => {
        const version = ++next
        const fails = random(4) === 0
        const running = database.transact(async (session) => {
          for (const id of ids) {
            await put(session, id, version)
            if (random(2) === 0) await wait(random(12))
          }
          if (fails) throw new Error('changed my mind')
        }, 'READ COMMITTED')
        await running.catch((error: Error) => assert.is(error.message, 'changed my mind'))
        if (!fails) for (const id of ids) acknowledged.set(id, version)
      })
    }
  }
  let same = 0
  const reader = async ({ database, news }: Node): Promise<void> => {
    for (let round = 0; round < 150; round++) {
      const id = IDS[random(IDS.length)] as string
      const stamp = news.stamp(nameOf(id))
      const [row] = await database.query<{ version: number }>(
        `SELECT version FROM things WHERE kind = 'k' AND id = $1`,
        [id],
      )
      for (let look = 0; look < 3; look++) {
        await wait(random(4))
        const must = acknowledged.get(id) as number
        await news.ask()
        if (news.stamp(nameOf(id)) !== stamp) break
        same++
        assert.ok(
          (row?.version ?? 0) >= must,
          `FC_SEED=${seed}: ${id} was read as ${row?.version}, ${must} was acknowledged, and the stamp is the same`,
        )
      }
    }
  }
  const writers = all.flatMap((node) => [writer(node), writer(node)])
  await Promise.all(all.flatMap((node) => [reader(node), reader(node)])).finally(() => {
    writing = false
  })
  await Promise.all(writers)
  assert.ok(same > 50, `${same} stamps were the same: else the test says nothing`)
})

test('after too many changes or replaced rows, everything counts as changed', async () => {
  const { all } = await nodes(1)
  const [{ database, news }] = all as [Node]
  const changed = async (what: () => Promise<unknown>, name = 't k untouched'): Promise<boolean> => {
    const before = news.stamp(name)
    await what()
    await news.ask()
    return news.stamp(name) !== before
  }
  const many = (from: number, to: number) =>
    database.query(`INSERT INTO things SELECT 'many', n::text, 1 FROM generate_series(${from}, ${to}) n`)
  assert.is(await changed(() => many(1, 4_000)), false)
  assert.is(await changed(() => many(4_001, 10_000)), true, 'more than a question returns')
  for (let n = 2; n < 7; n++)
    assert.is(await changed(() => many(n * 5_000 + 1, n * 5_000 + 4_900)), n === 6, 'more names than are remembered')
  assert.is(await changed(() => database.query('TRUNCATE news')), true)
  assert.is(await changed(async () => {}), false)
})

test('change rows are deleted once no node can need them, even after long transactions', async () => {
  const { all } = await nodes(2)
  const [{ database, news }, slow] = all as [Node, Node]
  const rows = async () =>
    (await database.query<{ count: number }>('SELECT count(*)::int AS count FROM news'))[0]?.count
  const later = () => database.query(`UPDATE news_marks SET at = at - interval '16 minutes'`)
  let finish = (): void => {}
  const waits = new Promise<void>((done) => {
    finish = done
  })
  let began = (): void => {}
  const has = new Promise<void>((done) => {
    began = done
  })
  const long = slow.database.transact(async (session) => {
    await put(session, 'slow', 1)
    began()
    // The database aborts transactions that wait for their node for three seconds.
    const alive = setInterval(() => void session.query('SELECT 1').catch(() => {}), 500)
    await waits
    clearInterval(alive)
  }, 'READ COMMITTED')
  await has
  await put(database, 'quick', 1)
  for (let n = 0; n < 3; n++) {
    await news.trim()
    await later()
  }
  finish()
  await long
  const stamp = news.stamp(nameOf('slow'))
  await news.trim()
  await news.ask()
  assert.is.not(
    news.stamp(nameOf('slow')),
    stamp,
    'what was committed a moment ago is told, however long ago it was written',
  )
  for (let n = 0; n < 3; n++) {
    await later()
    await news.trim()
  }
  assert.is(await rows(), 0)
  const marks = await database.query('SELECT 1 FROM news_marks')
  assert.ok(marks.length <= 2, `${marks.length} marks`)
})

test('a restored backup from another server neither hides changes nor repeats them', async () => {
  const { all } = await nodes(1)
  const [{ database, news }] = all as [Node]
  const changed = async (id: string, what: () => Promise<unknown>): Promise<boolean> => {
    const before = news.stamp(nameOf(id))
    await what()
    await news.ask()
    return news.stamp(nameOf(id)) !== before
  }
  // That server had counted more transactions. A dump includes the rows of unlogged tables.
  await database.query(`INSERT INTO news_marks VALUES (clock_timestamp() - interval '1 day', '5000000', 1)`)
  const putThenTrim = async () => {
    await put(database, 'a', 1)
    await news.trim()
  }
  assert.ok(await changed('a', putThenTrim))
  await database.query(`INSERT INTO news (xid, name) VALUES ('5000000', 't k b')`)
  await news.ask()
  await news.trim()
  assert.is(await changed('b', async () => {}), false)
  assert.equal(await database.query(`SELECT name FROM news WHERE name = 't k b'`), [])
})

test('truncation, replication and repairs are detected without ordinary triggers', async () => {
  const { all } = await nodes(1)
  const [{ database, news }] = all as [Node]
  await put(database, 'a', 1)
  await news.ask()
  let before = news.stamp(nameOf('a'))
  await database.query('TRUNCATE things')
  await news.ask()
  assert.is.not(news.stamp(nameOf('a')), before)
  await put(database, 'a', 1)
  await news.ask()
  before = news.stamp(nameOf('a'))
  await database.transact(async (session) => {
    await session.query('SET LOCAL session_replication_role = replica')
    await session.query('UPDATE things SET version = 9')
  })
  await news.ask()
  assert.is.not(news.stamp(nameOf('a')), before)
})

test('a lost connection is replaced within a check, and a closed one confirms nothing', async () => {
  const { all } = await nodes(2)
  const [{ database, news }, other] = all as [Node, Node]
  const before = news.stamp(nameOf('a'))
  await other.database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_current_snapshot%' AND pid <> pg_backend_pid()`,
  )
  await news.ask()
  assert.is.not(news.stamp(nameOf('a')), before)
  assert.ok(database)
  await news.close()
  await news.ask().then(
    () => assert.unreachable('it is closed'),
    (error) => assert.instance(error, DatabaseAway),
  )
})

test('after a restart or reset of the database, everything counts as changed', async () => {
  const { url, all } = await nodes(1, 'times')
  const [{ database, news }] = all as [Node]
  await put(database, 'a', 1)
  await news.ask()
  let stamp = news.stamp(nameOf('a'))
  await postgres.crash()
  await news.ask().then(
    () => assert.unreachable('nobody is there to ask'),
    (error) => assert.instance(error, DatabaseAway),
  )
  assert.is.not(news.stamp(nameOf('a')), stamp)
  await postgres.start()
  await news.ask()
  await put(database, 'a', 2)
  await news.ask()
  stamp = news.stamp(nameOf('a'))
  await postgres.crash()
  await postgres.keep()
  await postgres.start()
  const other = kept(openDatabase({ url }))
  await put(other, 'a', 3)
  await news.ask()
  const [after, version] = [news.stamp(nameOf('a')), news.version]
  assert.is.not(after, stamp)
  await postgres.crash()
  await postgres.restore()
  await postgres.start()
  // As many transactions as were undone, so that the numbers are the same as before.
  for (let n = 0; n < 20; n++) await put(kept(openDatabase({ url, connections: 1 })), `other-${n}`, n)
  await news.ask()
  assert.is.not(news.stamp(nameOf('a')), after, 'a is what it was before')
  assert.ok(news.version > version)
})

test.run()
