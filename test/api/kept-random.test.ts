import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { suite } from '../support/suite.js'
import { type Read, read, sameBothWays, sentAsKept } from './both-ways.js'
import { begin, type Pick, type Story } from './kept-story.js'

// @embedded-only: kept-responses
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
function aRead({ here, paths, tokens }: Story, pick: Pick): Read {
  const path = pick([...paths.slice(0, 5), ...paths.slice(0, 5), ...paths])
  const token = pick(Object.values(tokens))
  return { url: here.url, path, token, method: pick(['GET', 'GET', 'GET', 'HEAD'] as const), headers: pick(HEADERS) }
}

/** Everything by everybody, once more: nothing wrong may have been kept. */
async function everything({ here, paths, tokens }: Story, what: string): Promise<void> {
  for (const path of paths) for (const token of Object.values(tokens)) await sameBothWays({ url: here.url, path, token }, what)
}

test(
  'whatever happens, the next read is what a read anew says',
  async () => {
    const seed = fc.readConfigureGlobal().seed ?? Date.now()
    const pick = picker(seed)
    const story = await begin()
    const done: string[] = []
    try {
      for (let step = 0; step < Number(STEPS); step++) {
        // Reads first, so that there is something that the change must end.
        const reads = Array.from({ length: 6 }, () => aRead(story, pick))
        for (const asked of [...reads, ...reads]) await read(asked)
        const name = pick(Object.keys(story.changes))
        done.push(name)
        await story.changes[name]?.(pick)
        for (const asked of reads) await sameBothWays(asked, `FC_SEED=${seed} step ${step} after ${done.slice(-5).join(', ')}:`)
      }
      const kept = await sentAsKept(story.here.url)
      assert.ok(kept > Number(STEPS), `only ${kept} responses were sent as they were kept`)
      await everything(story, `FC_SEED=${seed} in the end`)
    } finally {
      await story.here.close()
    }
  },
  { timeoutMs: 120_000 },
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
