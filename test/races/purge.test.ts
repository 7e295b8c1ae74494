import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import {
  changeRequests,
  commenters,
  comments,
  documentTables,
  reactions,
  replies,
  spaces,
} from '../../src/model/index.js'
import { openStore } from '../../src/store/index.js'
import { moduleArguments } from '../support/own-process.js'
import { suite } from '../support/suite.js'

const SPACES = 24
const KILLS = 6
const test = suite('kill -9 during a purge')

const run = (dir: string, ...args: string[]): ChildProcess =>
  spawn(process.execPath, [...moduleArguments('./purging-service.js', import.meta.url), dir, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })

test(
  'a killed purge leaves a space complete or gone, and the next start finishes it',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'bindery-purge-'))
    const repositories = (): Set<string> =>
      new Set(readdirSync(join(dir, 'repos')).filter((name) => !name.startsWith('.')))
    const [code] = (await once(run(dir, 'fill', String(SPACES)), 'exit')) as [number]
    assert.is(code, 0)
    assert.is(repositories().size, SPACES)
    let between = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const child = run(dir, 'purge')
      await once(child.stdout as NodeJS.ReadableStream, 'data')
      await sleep(kill * 12)
      child.kill('SIGKILL')
      await once(child, 'exit')
      const store = await openStore({ dir: join(dir, 'data'), tables: documentTables })
      const there = await store.all(spaces)
      const ids = new Set(there.map((space) => space.id))
      for (const space of there) {
        assert.is(
          (await store.find(changeRequests, 'space', space.id)).length,
          1,
          `the change request of ${space.title}`,
        )
        assert.ok(existsSync(join(dir, 'repos', `${space.id}.git`)), `the repository of ${space.title}`)
      }
      assert.ok(
        (await store.all(changeRequests)).every((one) => ids.has(one.space)),
        'nothing is left of a space that is gone',
      )
      const said = {
        comments: await store.all(comments),
        replies: await store.all(replies),
        reactions: await store.all(reactions),
        commenters: await store.all(commenters),
      }
      for (const [name, all] of Object.entries(said)) {
        assert.equal(
          [all.length, new Set(all.map((one) => one.space))],
          [2 * ids.size, ids],
          `${name} of the spaces that are there`,
        )
      }
      if (ids.size > SPACES / 4 && ids.size < SPACES) between++
      await store.close()
    }
    const last = run(dir, 'purge')
    let said = ''
    last.stdout?.on('data', (text: Buffer) => (said += text.toString()))
    await once(last, 'exit')
    assert.match(said, /left 0/)
    assert.is(repositories().size, SPACES / 4, 'the repositories of spaces that were not deleted, and no other')
    console.log('races/purge:', JSON.stringify({ kills: KILLS, between }))
    rmSync(dir, { recursive: true, force: true })
  },
  { timeoutMs: 300_000 },
)

test.run()
