import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { suite } from '../support/suite.js'
import { type Read, read, sameBothWays, sentAsKept } from './both-ways.js'
import { startPostgres } from '../support/postgres.js'
import { begin, type Pick, type Story } from './kept-story.js'

const test = suite('kept responses: random reads and changes')

/** FC_SEED repeats or varies it. STEPS is how much happens. */
const { STEPS = '150' } = process.env
const HEADERS: Record<string, string>[] = [{}, {}, {}, { 'accept-encoding': 'gzip' }, { origin: 'https://a.example.org' }, { 'if-none-match': '"x"' }]

/** A stream of numbers from a seed. */
function picker(seed: number): Pick {
  let state = seed >>> 0
  return (from) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return from[Math.floor((state / 2 ** 32) * from.length)] as (typeof from)[number]
  }
}

/** A read of anything by anybody; of a few things often, so that they are kept. */
function aRead({ here, there, paths, tokens }: Story, pick: Pick): Read {
  const path = pick([...paths.slice(0, 5), ...paths.slice(0, 5), ...paths])
  const token = pick(Object.values(tokens))
  return { url: pick([here, there]).url, path, token, method: pick(['GET', 'GET', 'GET', 'HEAD'] as const), headers: pick(HEADERS) }
}

/** Everything by everybody, once more: nothing wrong may have been kept. */
async function everything({ there, paths, tokens }: Story, what: string): Promise<void> {
  for (const path of paths) for (const token of Object.values(tokens)) await sameBothWays({ url: there.url, path, token }, what)
}

/** Random reads, each of them done again after a change. */
async function readsAndChanges(story: Story, { seed, steps }: { seed: number; steps: number }): Promise<void> {
  const pick = picker(seed)
  const { here, there } = story
  const done: string[] = []
  for (let step = 0; step < steps; step++) {
    // Reads first, so that there is something that the change must end.
    const reads = Array.from({ length: 6 }, () => aRead(story, pick))
    for (const asked of [...reads, ...reads]) await read(asked)
    const name = pick(Object.keys(story.changes))
    done.push(name)
    await story.changes[name]?.(pick)
    for (const asked of reads) await sameBothWays(asked, `FC_SEED=${seed} step ${step} after ${done.slice(-5).join(', ')}:`)
  }
  for (const { url } of new Set([here, there])) {
    const kept = await sentAsKept(url)
    assert.ok(kept > steps, `only ${kept} responses were sent as they were kept`)
  }
  await everything(story, `FC_SEED=${seed} in the end`)
}

test(
  'whatever happens, the next read is what a read anew says',
  async () => {
    const story = await begin()
    try {
      await readsAndChanges(story, { seed: fc.readConfigureGlobal().seed ?? Date.now(), steps: Number(STEPS) })
    } finally {
      await story.here.close()
    }
  },
  { timeoutMs: 120_000 },
)

test(
  'the same on two nodes: what changes on one is what both read',
  async () => {
    const postgres = await startPostgres()
    const story = await begin({ BINDERY_DATABASE_URL: await postgres.database() })
    try {
      await readsAndChanges(story, { seed: fc.readConfigureGlobal().seed ?? Date.now(), steps: Number(STEPS) / 2 })
    } finally {
      await Promise.all([story.here.close(), story.there.close()])
      await postgres.close()
    }
  },
  { timeoutMs: 240_000 },
)

test(
  'reads amid moves of a branch keep nothing wrong',
  async () => {
    const seed = fc.readConfigureGlobal().seed ?? Date.now()
    const pick = picker(seed + 1)
    const story = await begin()
    try {
      for (let round = 0; round < 15; round++) {
        const amid = Array.from({ length: 20 }, () => read(aRead(story, pick)))
        const changes = [0, 1, 2, 3].map(() => story.flip(pick))
        const last = pick(['edit', 'a grant on the space', 'no grant on the space', 'level of the space', 'pack-refs'])
        // Git may find the ref locked or moved.
        await Promise.allSettled([...amid, ...changes, story.changes[last]?.(pick)])
        for (let i = 0; i < 10; i++) await sameBothWays(aRead(story, pick), `FC_SEED=${seed} round ${round} after ${last}:`)
      }
      await everything(story, `FC_SEED=${seed} in the end`)
    } finally {
      await story.here.close()
    }
  },
  { timeoutMs: 120_000 },
)

test.run()
