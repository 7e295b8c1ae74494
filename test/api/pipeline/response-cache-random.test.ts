import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { isSoak, runs } from '../../support/soak.js'
import { suite } from '../../support/suite.js'
import { type Read, read, renewed, sameBothWays, sentAsKept, type WireResponse } from './both-ways.js'
import { startPostgres } from '../../support/postgres.js'
import { begin, type Pick, type Story } from './response-cache-story.js'

const test = suite('cached responses under random reads and changes')

/** FC_SEED repeats or varies it. */
const STEPS = runs(10, 1_000)
const HEADERS: Record<string, string>[] = [
  {},
  {},
  {},
  { 'accept-encoding': 'gzip' },
  { origin: 'https://a.example.org' },
  { 'if-none-match': '"x"' },
]

/** Returns a stream of random numbers for a seed. */
function picker(seed: number): Pick {
  let state = seed >>> 0
  return (from) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return from[Math.floor((state / 2 ** 32) * from.length)] as (typeof from)[number]
  }
}

/** Returns a random read by a random caller. A few reads are frequent, so that they are cached. */
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

/**
 * Repeats all reads for all callers. No wrong response may be cached. On nodes, where a read takes many times as long,
 * the test run takes another caller for each read.
 */
async function everything({ here, there, paths, tokens }: Story, what: string): Promise<void> {
  const all = Object.values(tokens)
  for (const [at, path] of paths.entries())
    for (const token of isSoak || here === there ? all : [all[at % all.length] as string])
      await sameBothWays({ url: there.url, path, token }, what)
}

/** Makes random reads, and repeats each one after a change. */
async function readsAndChanges(
  story: Story,
  { seed, steps, names = Object.keys(story.changes) }: { seed: number; steps: number; names?: readonly string[] },
) {
  const pick = picker(seed)
  const { here, there } = story
  const done: string[] = []
  for (let step = 0; step < steps; step++) {
    // Read first, so that there is a cached response that the change must invalidate.
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

/** Plays a story with a seed on one service. */
const told = (work: (story: Story, seed: number) => Promise<void>) => async (): Promise<void> => {
  const story = await begin()
  try {
    await work(story, seedNow())
  } finally {
    await story.here.close()
  }
}
const withLists = (story: Story): Story => ({ ...story, paths: [...story.paths, ...story.lists] })
const seedNow = (): number => fc.readConfigureGlobal().seed ?? Date.now()

test(
  'a read after any change equals an uncached read',
  told((story, seed) => readsAndChanges(withLists(story), { seed, steps: STEPS })),
  { timeoutMs: 120_000 },
)

const withoutPort = ({ status, body }: WireResponse): string =>
  `${status} ${Buffer.from(body, 'base64')
    .toString()
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '')}`

/** Changes of content, mixed with other changes that happen all the time. */
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
  'renewed responses for other pages equal uncached ones after any write',
  told(async (story, seed) => {
    const { paths, tokens, here } = story
    const pages = paths.filter((path) => /content\/(page|path)\//.test(path))
    const asked = {
      ...story,
      paths: [...pages, ...paths],
      tokens: { admin: tokens.admin as string, reader: tokens.reader as string },
    }
    await readsAndChanges(asked, { seed, steps: STEPS, names: OF_CONTENT })
    const again = await renewed(here.url)
    assert.ok(again > STEPS / 4, `only ${again} responses were renewed`)
  }),
  { timeoutMs: 120_000 },
)

test(
  'renewed and assembled responses equal those of a service that has just started',
  told(async ({ here, paths, tokens, changes }, seed) => {
    const pick = picker(seed + 2)
    /** Returns all files, without those that contain the port. */
    const all = async (): Promise<string[]> => {
      const found: string[] = []
      for (const path of paths)
        for (const token of [tokens.admin, tokens.reader])
          found.push(withoutPort(await read({ url: here.url, path, token: token as string })))
      return found
    }
    for (let round = 0; round < STEPS / 15; round++) {
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
  'a change on one node is visible to cached reads on both nodes',
  async () => {
    const postgres = await startPostgres()
    const story = await begin({ BINDERY_DATABASE_URL: await postgres.database() })
    try {
      await readsAndChanges(withLists(story), { seed: seedNow(), steps: STEPS / 2 })
    } finally {
      await Promise.all([story.here.close(), story.there.close()])
      await postgres.close()
    }
  },
  { timeoutMs: 240_000 },
)

test(
  'reads during branch moves cache nothing wrong',
  told(async (story, seed) => {
    const pick = picker(seed + 1)
    for (let round = 0; round < STEPS / 10; round++) {
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
