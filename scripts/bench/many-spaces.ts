/**
 * Measures a mixed load over many small spaces (reads, edits, change requests, comments), and its processes and memory.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { generateRepository, pageText } from './generated.js'
import { type Line, ms } from './measure.js'
import { type Answers, call, importInto, newSpace, pageIds, type Server, startBare, startService } from './processes.js'

export const manySpacesLine = 'mixed load over many spaces / bare Koa'

/** The size and duration of the load. */
export interface MixedLoad {
  spaces: number
  /** The measured time in seconds, after a quarter of it as warm-up. */
  seconds: number
}

const PAGES = 30
const CLIENTS = 8
const BARE_SECONDS = 4

/** The shares of client actions, in percent. A change request is created, edited and merged: three requests. */
const SHARES = { 'page read': 70, 'page tree': 10, edit: 10, 'change request': 7, comment: 3 }
type Kind = keyof typeof SHARES

interface Place {
  spaces: string[]
  pages: string[]
}

/**
 * Sends a request. `sample` is the path at which the bare server returns the service's response to a request of the
 * same kind.
 */
type Ask = (
  method: 'GET' | 'POST',
  path: string,
  sample: string,
  body?: object,
) => Promise<{ json: any; text: string; etag: string }>

let edition = 0
const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T
const change = (page: string) => ({
  changes: [{ operation: 'update_page', page, document: { markdown: pageText(0, ++edition) } }],
})

const actions: Record<Kind, (ask: Ask, place: Place) => Promise<void>> = {
  'page read': async (ask, { spaces, pages }) => {
    await ask('GET', `/v1/spaces/${pick(spaces)}/content/page/${pick(pages)}`, '/page')
  },
  'page tree': async (ask, { spaces }) => {
    await ask('GET', `/v1/spaces/${pick(spaces)}/content/pages`, '/tree')
  },
  edit: async (ask, { spaces, pages }) => {
    await ask('POST', `/v1/spaces/${pick(spaces)}/content`, '/edit', change(pick(pages)))
  },
  'change request': async (ask, { spaces, pages }) => {
    const base = `/v1/spaces/${pick(spaces)}/change-requests`
    const made = await ask('POST', base, '/made', { subject: 'A change' })
    await ask('POST', `${base}/${made.json.id}/content`, '/changed', change(pick(pages)))
    await ask('POST', `${base}/${made.json.id}/merge`, '/merged')
  },
  comment: async (ask, { spaces, pages }) => {
    await ask('POST', `/v1/spaces/${pick(spaces)}/comments`, '/comment', {
      page: pick(pages),
      body: { markdown: 'This is worth a second look.' },
    })
  },
}
const kinds = Object.keys(SHARES) as Kind[]

function pickKind(): Kind {
  let at = Math.random() * 100
  for (const kind of kinds) {
    at -= SHARES[kind]
    if (at < 0) return kind
  }
  return 'page read'
}

interface Load {
  perSecond: number
  /** The durations of actions in milliseconds, by kind. */
  took: Record<Kind, number[]>
  conflicts: number
}

/**
 * Runs eight clients, each of which does one action after the other. If two edit the same page at the same time, one
 * may correctly be rejected with 409.
 */
async function run(seconds: number, ask: Ask, place: Place): Promise<Load> {
  const load: Load = {
    perSecond: 0,
    took: Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Load['took'],
    conflicts: 0,
  }
  let requests = 0
  const counted: Ask = (...asked) => {
    requests++
    return ask(...asked)
  }
  const started = performance.now()
  const client = async (): Promise<void> => {
    while (performance.now() - started < seconds * 1000) {
      const kind = pickKind()
      const began = performance.now()
      try {
        await actions[kind](counted, place)
        load.took[kind].push(performance.now() - began)
      } catch (error) {
        if (!String(error).includes(': 409 ')) throw error
        load.conflicts++
      }
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  load.perSecond = (requests * 1000) / (performance.now() - started)
  return load
}

/** Creates copies of one generated space. */
async function prepare(service: Server, dir: string, count: number): Promise<Place> {
  const repository = join(dir, 'many-spaces.git')
  await generateRepository(repository, PAGES, 3)
  const first = await newSpace(service)
  await importInto(service, first, `file://${repository}`)
  const spaces = [first]
  while (spaces.length < count) spaces.push((await call(service, 'POST', `/v1/spaces/${first}/duplicate`)).json.id)
  return { spaces, pages: (await pageIds(service, first)).slice(1) }
}

const percentile = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0
const mib = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`

interface Costs {
  starts: number
  resident: number
  /** The JavaScript heap, including uncollected garbage. */
  heap: number
  cpu: number
}

async function costsOf({ url }: Server): Promise<Costs> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1])
  return {
    starts: value('bindery_git_processes_started'),
    resident: value('process_resident_memory_bytes'),
    heap: value('nodejs_heap_size_used_bytes'),
    cpu: value('process_cpu_seconds_total'),
  }
}

/** Measures the load on the service, and then the same mix of requests on bare Koa with the service's responses. */
export async function manySpaces(dir: string, { spaces, seconds }: MixedLoad): Promise<Line[]> {
  const service = await startService(join(dir, 'many-spaces'))
  const samples: Answers = {}
  const place = await prepare(service, dir, spaces).catch(async (error) => {
    await service.stop()
    throw error
  })
  const ask: Ask = async (method, path, sample, body) => {
    const answer = await call(service, method, path, body)
    samples[sample] ??= { body: answer.text, etag: answer.etag || '"none"' }
    return answer
  }
  let line: Omit<Line, 'ratios'> & { rate: number }
  try {
    await run(seconds / 4, ask, place)
    const before = await costsOf(service)
    const memory = watchMemory(service)
    const load = await run(seconds, ask, place)
    line = { ...lineOf(load, before, await costsOf(service), seconds, memory()), rate: load.perSecond }
  } finally {
    await service.stop()
  }
  await writeFile(join(dir, 'mixed.json'), JSON.stringify(samples))
  const bare = await startBare(join(dir, 'mixed.json'))
  const { perSecond } = await run(BARE_SECONDS, (method, _, sample, body) => call(bare, method, sample, body), place)
  await bare.stop()
  const { rate, detail, ...rest } = line
  return [
    {
      ...rest,
      ratios: [rate / perSecond],
      detail: `requests/s ${Math.round(rate)} to ${Math.round(perSecond)}; ${detail}`,
    },
  ]
}

/**
 * Samples the memory every second. The returned function stops sampling and returns the lowest value in each quarter of
 * the time. A single sample says little: V8 may leave garbage of two or three times the used size before it collects
 * it, and keeps the pages for a while. The lowest heap shows the used size, if a quarter is long enough for a
 * collection (about a minute).
 */
function watchMemory(service: Server): () => string {
  const seen: Costs[] = []
  const timer = setInterval(
    () =>
      void costsOf(service).then(
        (costs) => seen.push(costs),
        () => {},
      ),
    1000,
  )
  return () => {
    clearInterval(timer)
    const quarter = Math.max(1, Math.ceil(seen.length / 4))
    const lowest = (of: 'resident' | 'heap'): string =>
      Array.from({ length: 4 }, (_, i) =>
        mib(Math.min(...seen.slice(i * quarter, (i + 1) * quarter).map((costs) => costs[of]))),
      ).join(', ')
    return `resident ${lowest('resident')}; heap ${lowest('heap')}`
  }
}

function lineOf(
  { took, conflicts, perSecond }: Load,
  before: Costs,
  after: Costs,
  seconds: number,
  lowest: string,
): Omit<Line, 'ratios'> {
  const times = kinds
    .map((kind) => `${kind} ${ms(percentile(took[kind], 0.5))} / ${ms(percentile(took[kind], 0.99))}`)
    .join(', ')
  const starts = after.starts - before.starts
  const cpu = ((after.cpu - before.cpu) * 1e6) / (perSecond * seconds)
  const costs = `${starts} process starts (${(starts / seconds).toFixed(1)} a second), ${Math.round(cpu)} µs of processor time a request, memory ${mib(before.resident)} to ${mib(after.resident)} (lowest by quarters: ${lowest})`
  return {
    name: manySpacesLine,
    sense: 'none',
    target: 0,
    detail: `p50 / p99: ${times}; ${costs}; ${conflicts} rejected with 409`,
  }
}
