import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { suite } from '../../support/suite.js'
import { type Read, read, renewed, sameBothWays, sentAsKept, type WireResponse } from './both-ways.js'
import { startPostgres } from '../../support/postgres.js'
import { begin, type Pick, type Story } from './response-cache-story.js'

const test = suite('kept responses: random reads and changes')

/** FC_SEED repeats or varies it. STEPS is how much happens. */
const { STEPS = '150' } = process.env
const HEADERS: Record<string, string>[] = [
  {},
  {},
  {},
  { 'accept-encoding': 'gzip' },
  { origin: 'https://a.example.org' },
  { 'if-none-match': '"x"' },
]

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
  return {
    url: pick([here, there]).url,
    path,
    token,
    method: pick(['GET', 'GET', 'GET', 'HEAD'] as const),
    headers: pick(HEADERS),
  }
}

/** Everything by everybody, once more: nothing wrong may have been kept. */
async function everything({ there, paths, tokens }: Story, what: string): Promise<void> {
  for (const path of paths)
    for (const token of Object.values(tokens)) await sameBothWays({ url: there.url, path, token }, what)
}

/** Random reads, each of them done again after a change. */
async function readsAndChanges(
  story: Story,
  { seed, steps, names = Object.keys(story.changes) }: { seed: number; steps: number; names?: readonly string[] },
) {
  const pick = picker(seed)
  const { here, there } = story
  const done: string[] = []
  for (let step = 0; step < steps; step++) {
    // Reads first, so that there is something that the change must end.
    const reads = Array.from({ length: 6 }, () => aRead(story, pick))
    for (const asked of [...reads, ...reads]) await read(asked)
    const name = pick(names)
    done.push(name)
    await story.changes[name]?.(pick)
    for (const asked of reads)
      await sameBothWays(asked, `FC_SEED=${seed} step ${step} after ${done.slice(-5).join(', ')}:`)
  }
  for (const { url } of new Set([here, there])) {
    const kept = await sentAsKept(url)
    assert.ok(kept > steps / 2, `only ${kept} responses were sent as they were kept`)
  }
  await everything(story, `FC_SEED=${seed} in the end`)
}

/** A story on one service, with a seed. */
const told = (work: (story: Story, seed: number) => Promise<void>) => async (): Promise<void> => {
  const story = await begin()
  try {
    await work(story, seedNow())
  } finally {
    await story.here.close()
  }
}
const seedNow = (): number => fc.readConfigureGlobal().seed ?? Date.now()

test(
  'whatever happens, the next read is what a read anew says',
  told((story, seed) => readsAndChanges(story, { seed, steps: Number(STEPS) })),
  { timeoutMs: 120_000 },
)

const withoutPort = ({ status, body }: WireResponse): string =>
  `${status} ${Buffer.from(body, 'base64')
    .toString()
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '')}`

/** What changes content, and what happens beside that all the time. */
const OF_CONTENT = [
  ...[
    'a text',
    'a text',
    'a text as it was',
    'another page’s text',
    'attributes of a page',
    'a page moved',
    'a file by hand',
    'a file by hand',
  ],
  ...['a comment', 'a change request', 'a merge', 'a merge', 'draft', 'update-ref', 'pack-refs', 'title', 'time'],
]

test(
  'whatever is written, the responses with other pages are renewed, and are what a read anew says',
  told(async (story, seed) => {
    const { paths, tokens, here } = story
    const pages = paths.filter((path) => /content\/(page|path)\//.test(path))
    const asked = {
      ...story,
      paths: [...pages, ...paths],
      tokens: { admin: tokens.admin as string, reader: tokens.reader as string },
    }
    await readsAndChanges(asked, { seed, steps: Number(STEPS), names: OF_CONTENT })
    const again = await renewed(here.url)
    assert.ok(again > Number(STEPS) / 4, `only ${again} responses were renewed`)
  }),
  { timeoutMs: 120_000 },
)

test(
  'what is renewed and put together from parts is what a service says that has just started',
  told(async ({ here, paths, tokens, changes }, seed) => {
    const pick = picker(seed + 2)
    /** All that is there, without what the port is part of. */
    const all = async (): Promise<string[]> => {
      const found: string[] = []
      for (const path of paths)
        for (const token of [tokens.admin, tokens.reader])
          found.push(withoutPort(await read({ url: here.url, path, token: token as string })))
      return found
    }
    for (let round = 0; round < Number(STEPS) / 15; round++) {
      await all()
      const done = Array.from({ length: pick([1, 2, 3]) }, () => pick(OF_CONTENT))
      for (const name of done) {
        await changes[name]?.(pick)
        if (pick([true, false])) await all()
      }
      const [before] = [await all(), await here.restart()]
      for (const [index, now] of (await all()).entries())
        assert.is(before[index], now, `FC_SEED=${seed} round ${round} after ${done}: ${paths[Math.floor(index / 2)]}`)
    }
  }),
  { timeoutMs: 240_000 },
)

test(
  'the same on two nodes: what changes on one is what both read',
  async () => {
    const postgres = await startPostgres()
    const story = await begin({ BINDERY_DATABASE_URL: await postgres.database() })
    try {
      await readsAndChanges(story, { seed: seedNow(), steps: Number(STEPS) / 2 })
    } finally {
      await Promise.all([story.here.close(), story.there.close()])
      await postgres.close()
    }
  },
  { timeoutMs: 240_000 },
)

test(
  'reads amid moves of a branch keep nothing wrong',
  told(async (story, seed) => {
    const pick = picker(seed + 1)
    for (let round = 0; round < 15; round++) {
      const amid = Array.from({ length: 20 }, () => read(aRead(story, pick)))
      const changes = [0, 1, 2, 3].map(() => story.flip(pick))
      const last = pick(['edit', 'a grant on the space', 'no grant on the space', 'level of the space', 'pack-refs'])
      // Git may find the ref locked or moved.
      await Promise.allSettled([...amid, ...changes, story.changes[last]?.(pick)])
      for (let i = 0; i < 10; i++)
        await sameBothWays(aRead(story, pick), `FC_SEED=${seed} round ${round} after ${last}:`)
    }
    await everything(story, `FC_SEED=${seed} in the end`)
  }),
  { timeoutMs: 120_000 },
)

test.run()
