/** Measures starts with many spaces and documents against starts of an empty server, and the first page after a start. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { generateRepository } from './generated.js'
import { fillSpaces } from './lists-data.js'
import { interleaved, type Line, median, ms, ratiosOf, timed } from './measure.js'
import { call, importInto, newSpace, pageIds, type ServiceProcess, startService } from './processes.js'

const SPACES = 1_000
const COMMENTS_EACH = 100
const PAGES = [10_000, 100] as const
const ROUNDS = 5
/** Time after which a started server has finished its first background work. */
const IDLE_MS = 5_000
const MEBIBYTE = 1024

const amount = (count: number): string => count.toLocaleString('en')
const READY = `start with ${amount(SPACES)} spaces and ${amount(SPACES * COMMENTS_EACH)} documents / empty`
const MEMORY = 'memory of that server when idle / empty'
const PAGE = `first page after a start, ${amount(PAGES[0])} pages / ${amount(PAGES[1])} pages`
/** The lines of this file. */
export const startLines = [READY, MEMORY, PAGE]

/** Returns the memory that a process has in use, in MiB. */
const memoryOf = ({ pid }: ServiceProcess): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / MEBIBYTE

/** Measures the lines of this file that are wanted. */
export async function starts(dir: string, wanted: (name: string) => boolean): Promise<Line[]> {
  const lines: Line[] = []
  if (wanted(READY) || wanted(MEMORY)) lines.push(...(await manySpacesStarts(dir)))
  if (wanted(PAGE)) lines.push(await firstPages(dir))
  return lines
}

async function manySpacesStarts(dir: string): Promise<Line[]> {
  const homes = { full: join(dir, 'start-full'), empty: join(dir, 'start-empty') }
  const model = await startService(homes.full)
  const space = await newSpace(model)
  await model.stop()
  await fillSpaces(homes.full, space, SPACES, COMMENTS_EACH)
  // The first start after the store was filled records the head of every branch, which happens once in a server's life.
  for (const home of Object.values(homes)) await (await startService(home)).stop()
  const costs = { full: [] as number[], empty: [] as number[] }
  const memory = { full: [] as number[], empty: [] as number[] }
  const start = (which: keyof typeof homes) => async (): Promise<number> => {
    let service: ServiceProcess | undefined
    const took = await timed(async () => void (service = await startService(homes[which])))
    if (!service) throw new Error('the service did not start')
    costs[which].push(service.wholeTime())
    await setTimeout(IDLE_MS)
    memory[which].push(memoryOf(service))
    await service.stop()
    return took
  }
  const found = await interleaved(ROUNDS, { full: start('full'), empty: start('empty') })
  const mib = (values: readonly number[]): string => `${median(values).toFixed(0)} MiB`
  return [
    {
      name: READY,
      sense: 'none',
      target: 0,
      ratios: ratiosOf(found.full, found.empty),
      detail:
        `${ms(median(found.full))} to ${ms(median(found.empty))}; ` +
        `processor time: ${ms(median(costs.full))} to ${ms(median(costs.empty))}`,
    },
    {
      name: MEMORY,
      sense: 'none',
      target: 0,
      ratios: ratiosOf(memory.full, memory.empty),
      detail: `${mib(memory.full)} to ${mib(memory.empty)}`,
    },
  ]
}

/**
 * Compares the first page of a large and a small space after a start. The facts and the structure of both are stored. A
 * page of a third space is read before, so that neither pays for the first request of the process.
 */
async function firstPages(dir: string): Promise<Line> {
  const home = join(dir, 'start-pages')
  let service = await startService(home)
  const cases: { space: string; page: string }[] = []
  for (const [at, pages] of [PAGES[1], ...PAGES].entries()) {
    const repository = join(dir, `start-${at}.git`)
    await generateRepository(repository, pages, 10)
    const space = await newSpace(service)
    await importInto(service, space, `file://${repository}`)
    cases.push({ space, page: (await pageIds(service, space))[pages / 2] as string })
  }
  await setTimeout(IDLE_MS)
  const took: number[][] = [[], [], []]
  const costs: number[][] = [[], [], []]
  for (let round = 0; round < ROUNDS; round++) {
    await service.stop()
    service = await startService(home)
    for (const [at, { space, page }] of cases.entries()) {
      const before = service.mainThread()
      took[at]?.push(await timed(() => call(service, 'GET', `/v1/spaces/${space}/content/page/${page}`)))
      costs[at]?.push(service.mainThread() - before)
    }
  }
  await service.stop()
  const [, many = [], few = []] = took
  return {
    name: PAGE,
    sense: 'none',
    target: 0,
    ratios: ratiosOf(many, few),
    detail:
      `${ms(median(many))} to ${ms(median(few))}; ` +
      `main thread: ${ms(median(costs[1] ?? []))} to ${ms(median(costs[2] ?? []))}`,
  }
}
