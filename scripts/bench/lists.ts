import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fillLists, LISTS, PAGE, READER } from './lists-data.js'
import { interleaved, type Line, median, ms, ratiosOf, timed } from './measure.js'
import { call, newSpace, type Server, startService } from './processes.js'

const { many, few } = LISTS
const amount = (count: number): string => count.toLocaleString('en')
const lineOf = (what: keyof typeof many): string => `${what}, a page of ${amount(many[what])} / of ${amount(few[what])}`
const START = 'start with these lists, seconds'

/** The paths of the long and the short list, by line. */
const PATHS: Record<string, readonly [string, string]> = {
  [lineOf('members')]: ['/v1/orgs/many/members', '/v1/orgs/few/members'],
  [lineOf('spaces')]: ['/v1/orgs/many/spaces', '/v1/orgs/few/spaces'],
  [lineOf('comments')]: ['/v1/spaces/many-0/comments', '/v1/spaces/few-0/comments'],
  [`of two authors on a page, ${lineOf('comments')}`]: [
    `/v1/spaces/many-0/comments?targetPage=${PAGE}&authors=many-1&authors=many-2`,
    `/v1/spaces/few-0/comments?targetPage=${PAGE}&authors=few-1&authors=few-2`,
  ],
}
/** The lines of this file. */
export const listLines = [...Object.keys(PATHS), START]

const ROUNDS = 200
const BATCHES = 5
const STARTS = 3
const START_SECONDS = 3

/**
 * Measures starts with long lists in the store, then pages of long and short lists, requested by an ordinary member.
 */
export async function lists(dir: string, wanted: (name: string) => boolean): Promise<Line[]> {
  const home = join(dir, 'lists')
  const before = await startService(home)
  const space = await newSpace(before)
  await before.stop()
  await fillLists(home, space)
  const starts: number[] = []
  // The first start after the store was filled manually records the head of every branch, which happens once in a
  // server's life.
  let service = await started(home, [])
  try {
    while (wanted(START) && starts.length < STARTS) {
      await service.stop()
      service = await started(home, starts)
    }
    const lines: Line[] = [
      {
        name: START,
        sense: 'most',
        target: START_SECONDS,
        ratios: starts,
        detail: `until it is ready, ${STARTS} times`,
      },
    ]
    for (const [name, [long, short]] of Object.entries(PATHS))
      if (wanted(name)) lines.push(await compare(service, name, long, short))
    return lines
  } finally {
    await service.stop()
  }
}

async function started(home: string, seconds: number[]): Promise<Server> {
  const began = performance.now()
  const service = await startService(home)
  seconds.push((performance.now() - began) / 1000)
  return service
}

/** Requests the first and the second page of both lists, in turns. */
async function compare(service: Server, name: string, long: string, short: string): Promise<Line> {
  const askFor = async (path: string) => {
    const { json } = await call(service, 'GET', path, undefined, READER)
    return (round: number) =>
      timed(() =>
        call(
          service,
          'GET',
          round % 2 && json.next ? `${path}${path.includes('?') ? '&' : '?'}page=${json.next.page}` : path,
          undefined,
          READER,
        ),
      )
  }
  const sides = { long: await askFor(long), short: await askFor(short) }
  await interleaved(ROUNDS / 4, sides)
  const found = await interleaved(ROUNDS, sides)
  const size = ROUNDS / BATCHES
  const medians = (values: number[]): number[] =>
    Array.from({ length: BATCHES }, (_, i) => median(values.slice(i * size, (i + 1) * size)))
  return {
    name,
    sense: 'most',
    target: 2,
    ratios: ratiosOf(medians(found.long), medians(found.short)),
    detail: `${ms(median(found.long))} to ${ms(median(found.short))}`,
  }
}
