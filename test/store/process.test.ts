import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import * as assert from 'uvu/assert'
import { openStore, StoreLocked } from '../../src/store/index.js'
import { moduleArguments } from '../support/own-process.js'
import { suite } from '../support/suite.js'
import { temporaryDir } from './places.js'
import { marks } from './marks.js'

const test = suite('processes')

/** Starts a writer. Resolves when it has acknowledged `count` transactions. */
async function writer(
  dir: string,
  round: number,
  count: number,
): Promise<{ child: ChildProcess; acknowledged: string[]; ended: Promise<unknown> }> {
  const child = spawn(process.execPath, [...moduleArguments('./writer.js', import.meta.url), dir, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = Promise.all([once(child, 'exit'), once(child.stdout, 'end')])
  const acknowledged: string[] = []
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the writer ended')))
    createInterface({ input: child.stdout }).on('line', (line) => {
      acknowledged.push(line)
      if (acknowledged.length >= count) resolve()
    })
  })
  return { child, acknowledged, ended }
}

async function refused(dir: string): Promise<StoreLocked> {
  try {
    await (await openStore({ dir })).close()
  } catch (thrown) {
    assert.instance(thrown, StoreLocked)
    return thrown as StoreLocked
  }
  throw new Error('it opened')
}

test('whole acknowledged transactions survive repeated kills, and the lock is free at once', async () => {
  const place = temporaryDir()
  const all: string[] = []
  for (const [round, count] of [1, 37, 160, 400].entries()) {
    const { child, acknowledged, ended } = await writer(place.dir, round, count)
    const before = Date.now()
    const error = await refused(place.dir)
    assert.equal([error.pid, error.host], [child.pid, hostname()])
    assert.ok(Date.parse(error.since ?? '') <= before)
    assert.match(error.message, String(child.pid))
    child.kill('SIGKILL')
    await ended
    all.push(...acknowledged)
    const store = await openStore({ dir: place.dir, tables: [marks] })
    for (const pair of all) assert.is(await store.count(marks, 'byPair', pair), 2, pair)
    for (const { pair } of await store.all(marks))
      assert.is(await store.count(marks, 'byPair', pair), 2, `half of ${pair}`)
    await store.close()
  }
  place.remove()
})

test('a second store in the same process is rejected until the first is closed', async () => {
  const place = temporaryDir()
  const first = await openStore({ dir: place.dir })
  assert.is((await refused(place.dir)).pid, process.pid)
  await first.close()
  await (await openStore({ dir: place.dir })).close()
  place.remove()
})

test('the store lock does not depend on the length of the path', async () => {
  const place = temporaryDir()
  const dir = join(place.dir, ...Array.from({ length: 5 }, () => 'x'.repeat(200)))
  const first = await openStore({ dir })
  await refused(dir)
  await first.close()
  place.remove()
})

test.run()
