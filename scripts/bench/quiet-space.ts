/** Measures the requests to a quiet space while another space of the server imports a large repository. */
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { generateRepository, pageText } from './generated.js'
import { type Line, median, ms, ratiosOf } from './measure.js'
import { call, importInto, newSpace, pageIds, type Server, startService } from './processes.js'

/** Number of imported pages. `QUIET_PAGES` sets another one while you look for a cause. */
const IMPORTED_PAGES = Number(process.env.QUIET_PAGES ?? 10_000)
const QUIET_PAGES = 30
const ROUNDS = 3
/** Pause between a response and the next request in milliseconds: a quiet space has one reader or writer at a time. */
const PAUSE_MS = 10
/** Time that a round measures the quiet space alone, in milliseconds. */
const ALONE_MS = 8000

export const quietSpaceLine = 'p99 of a quiet space during an import of 10,000 pages / alone'

/** Of twenty requests to the quiet space. */
const KINDS = { 'page read': 14, 'page tree': 2, search: 2, edit: 2 }
type Kind = keyof typeof KINDS
const kinds = Object.entries(KINDS).flatMap(([kind, count]) => Array<Kind>(count).fill(kind as Kind))

/** Durations of requests in milliseconds, by kind. */
type Durations = Record<Kind, number[]>

interface QuietSpace {
  server: Server
  space: string
  pages: string[]
}

let edition = 0
const pageOf = ({ pages }: QuietSpace): string => pages[edition++ % pages.length] as string

const requests: Record<Kind, (quiet: QuietSpace) => Promise<unknown>> = {
  'page read': (quiet) => call(quiet.server, 'GET', `/v1/spaces/${quiet.space}/content/page/${pageOf(quiet)}`),
  'page tree': ({ server, space }) => call(server, 'GET', `/v1/spaces/${space}/content/pages`),
  search: ({ server, space }) => call(server, 'GET', `/v1/spaces/${space}/search?query=markdown`),
  edit: (quiet) => {
    const page = pageOf(quiet)
    const changes = [{ operation: 'update_page', page, document: { markdown: pageText(0, edition) } }]
    return call(quiet.server, 'POST', `/v1/spaces/${quiet.space}/content`, { changes })
  },
}

/** Sends one request after the other until `over` resolves. */
async function measure(quiet: QuietSpace, over: Promise<unknown>): Promise<Durations> {
  const took = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, [] as number[]])) as Durations
  let isOver = false
  const end = over.finally(() => (isOver = true))
  for (let at = 0; !isOver; at++) {
    // Seven and twenty have no common factor, so this spreads the kinds.
    const kind = kinds[(at * 7) % kinds.length] as Kind
    const started = performance.now()
    await requests[kind](quiet)
    took[kind].push(performance.now() - started)
    await setTimeout(PAUSE_MS)
  }
  await end
  return took
}

const percentile = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN
const p99 = (took: Durations): number => percentile(Object.values(took).flat(), 0.99)

/** Describes the medians and 99th percentiles of each kind. */
const describe = (rounds: readonly Durations[]): string =>
  (Object.keys(KINDS) as Kind[])
    .map((kind) => {
      const all = rounds.flatMap((took) => took[kind])
      return `${kind} ${ms(percentile(all, 0.5))} / ${ms(percentile(all, 0.99))}`
    })
    .join(', ')

/** Imports a new repository in each round, and compares it with the time before. */
export async function quietSpace(dir: string): Promise<Line[]> {
  const small = join(dir, 'quiet.git')
  await generateRepository(small, QUIET_PAGES, 3)
  const server = await startService(join(dir, 'quiet'))
  const alone: Durations[] = []
  const during: Durations[] = []
  const importMs: number[] = []
  try {
    const space = await newSpace(server)
    await importInto(server, space, `file://${small}`)
    const quiet: QuietSpace = { server, space, pages: (await pageIds(server, space)).slice(1) }
    await measure(quiet, setTimeout(ALONE_MS / 2))
    for (let round = 0; round < ROUNDS; round++) {
      const large = join(dir, `large-${round}.git`)
      await generateRepository(large, IMPORTED_PAGES, 3, (round + 1) * 1000)
      alone.push(await measure(quiet, setTimeout(ALONE_MS)))
      const started = performance.now()
      // A writer opens the imported space at once, so the import includes the first read of its content.
      const imported = newSpace(server).then(async (target) => {
        await importInto(server, target, `file://${large}`)
        importMs.push(performance.now() - started)
        await call(server, 'GET', `/v1/spaces/${target}/content`)
        await call(server, 'GET', `/v1/spaces/${target}/search?query=markdown`)
      })
      during.push(await measure(quiet, imported))
      // The work that follows an import must not count as the quiet space alone.
      await setTimeout(5000)
    }
  } finally {
    await server.stop()
  }
  const count = during.map((took) => Object.values(took).flat().length)
  return [
    {
      name: quietSpaceLine,
      sense: 'most',
      target: 3,
      ratios: ratiosOf(during.map(p99), alone.map(p99)),
      detail: `${ms(median(during.map(p99)))} to ${ms(median(alone.map(p99)))}; p50 / p99 during: ${describe(during)}; alone: ${describe(alone)}; imports of ${IMPORTED_PAGES} pages ${ms(median(importMs))}, with ${count.join(', ')} requests`,
    },
  ]
}
