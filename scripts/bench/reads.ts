/**
 * Compares reads of a page, of a page that the client already has, and of the page tree with bare Koa and the same
 * bytes.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateRepository } from './generated.js'
import { interleaved, type Line, median, ratiosOf } from './measure.js'
import {
  ADMIN_TOKEN,
  type Answers,
  call,
  importInto,
  newSpace,
  pageIds,
  type Server,
  startBare,
  startLoad,
  startService,
} from './processes.js'

const PAGE = 'page read'
const PAGE_AND_WRITES = 'page read during 20 document writes a second'
const PAGE_KNOWN = 'page read 304'
const TREE = 'pages tree, 10,000 pages'
const TREE_KNOWN = 'pages tree 304, 10,000 pages'
const LIST = 'list of 100 spaces'
const COMMENTS = 'list of 100 comments'
const REQUESTS = 'list of 100 change requests'
const LIST_PATHS: Record<string, (space: string, organization: string) => string> = {
  [LIST]: (_, organization) => `/v1/orgs/${organization}/spaces?limit=100`,
  [COMMENTS]: (space) => `/v1/spaces/${space}/comments?limit=100`,
  [REQUESTS]: (space) => `/v1/spaces/${space}/change-requests?limit=100`,
}
const LIST_LENGTH = 100
const TARGETS: Record<string, number> = { [TREE_KNOWN]: 0.6, [LIST]: 0.6, [COMMENTS]: 0.6, [REQUESTS]: 0.6 }
const TARGET = 0.5

const linesOf = (name: string) => ({
  requests: `${name} / bare Koa, requests`,
  time: `${name} / bare Koa, processor time`,
})
/** The lines of this file. */
export const readLines = [PAGE, PAGE_AND_WRITES, PAGE_KNOWN, TREE, TREE_KNOWN, ...Object.keys(LIST_PATHS)].flatMap(
  (name) => Object.values(linesOf(name)),
)

const ROUNDS = 5
const SECONDS = 2
const CONNECTIONS = 20
/**
 * Fewer connections for large responses: the unread responses of one caller may take at most half of the memory for all
 * responses.
 */
const LARGE_CONNECTIONS = 4
const WRITES_PER_SECOND = 20

interface Rate {
  perSecond: number
  /** The server's processor time per request, in microseconds. */
  cpu: number
}

/** The compared servers: the service, and bare Koa with the same responses. */
interface Sides {
  service: Server
  bare: Server
  load: Awaited<ReturnType<typeof startLoad>>
}

interface ReadLoad {
  paths: string[]
  headers?: Record<string, string>
  status?: string
  connections?: number
  /** Starts concurrent work in the service during its rounds. The returned function ends it. */
  beside?: () => Promise<() => Promise<void>>
}

async function rate(
  server: Server,
  load: Sides['load'],
  { paths, headers = {}, status = '200', connections = CONNECTIONS }: ReadLoad,
): Promise<Rate> {
  const before = await server.cpu()
  const authorization = `Bearer ${ADMIN_TOKEN}`
  const asked = {
    url: server.url,
    paths,
    headers: { authorization, ...headers },
    seconds: SECONDS,
    connections,
    status,
  }
  const perSecond = await load.load(asked)
  return { perSecond, cpu: ((await server.cpu()) - before) / (perSecond * SECONDS) }
}

/** Measures the same requests on both servers in turn: the rate, and the cost of each request. */
async function compare(name: string, { service, bare, load }: Sides, asked: ReadLoad): Promise<Line[]> {
  const cpu = { service: [] as number[], bare: [] as number[] }
  const run = async (side: 'service' | 'bare'): Promise<number> => {
    const stop = side === 'service' ? await asked.beside?.() : undefined
    const found = await rate(side === 'service' ? service : bare, load, asked)
    await stop?.()
    cpu[side].push(found.cpu)
    return found.perSecond
  }
  for (const side of ['service', 'bare'] as const) await run(side)
  cpu.service = []
  cpu.bare = []
  const perSecond = await interleaved(ROUNDS, { service: () => run('service'), bare: () => run('bare') })
  const titles = linesOf(name)
  const common = { sense: 'least', target: TARGETS[name] ?? TARGET } as const
  return [
    {
      ...common,
      name: titles.requests,
      ratios: ratiosOf(perSecond.service, perSecond.bare),
      detail: `${Math.round(median(perSecond.service))}/s to ${Math.round(median(perSecond.bare))}/s`,
    },
    {
      ...common,
      name: titles.time,
      ratios: ratiosOf(cpu.bare, cpu.service),
      detail: `${median(cpu.service).toFixed(1)} µs to ${median(cpu.bare).toFixed(1)} µs for a request`,
    },
  ]
}

/** Keeps changing the title of another space, as users do while pages are read. */
async function writeMeanwhile(service: Server, space: string): Promise<() => Promise<void>> {
  let going = true
  let made = 0
  const writing = (async () => {
    const started = performance.now()
    while (going) {
      await call(service, 'PATCH', `/v1/spaces/${space}`, { title: `Elsewhere ${++made}` })
      const due = started + (made * 1000) / WRITES_PER_SECOND
      await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())))
    }
  })()
  return async () => {
    going = false
    await writing
  }
}

/** Measures lists with a hundred entries, one of them with every response from the cache of complete responses. */
async function compareLists(dir: string, asks: (name: string) => boolean): Promise<Line[]> {
  const home = join(dir, 'reads-lists')
  const service = await startService(home)
  const space = await newSpace(service)
  for (let i = 1; i < LIST_LENGTH; i++) await newSpace(service)
  for (let i = 0; i < LIST_LENGTH; i++) {
    await call(service, 'POST', `/v1/spaces/${space}/change-requests`, { subject: `Change ${i}` })
    await call(service, 'POST', `/v1/spaces/${space}/comments`, { body: { markdown: `Comment ${i}` } })
  }
  const [{ id: organization }] = (await call(service, 'GET', '/v1/orgs')).json.items
  const paths = Object.entries(LIST_PATHS).map(([name, path]) => ({ name, path: path(space, organization) }))
  const sides = await sidesOf(
    dir,
    'lists',
    service,
    paths.map(({ path }) => path),
  )
  try {
    const lines: Line[] = []
    for (const { name, path } of paths)
      if (asks(name))
        lines.push(...(await compare(name, sides.sides, { paths: [path], connections: LARGE_CONNECTIONS })))
    return lines
  } finally {
    await sides.stop()
  }
}

/** Starts bare Koa with the service's responses to these paths, and the load. */
async function sidesOf(dir: string, name: string, service: Server, paths: readonly string[]) {
  const answers: Answers = {}
  for (const path of paths) {
    const { text, etag } = await call(service, 'GET', path)
    answers[path] = { body: text, etag }
  }
  const file = join(dir, `answers-${name}.json`)
  await writeFile(file, JSON.stringify(answers))
  const sides: Sides = { service, bare: await startBare(file), load: await startLoad() }
  const stop = async (): Promise<void> => {
    for (const one of Object.values<{ stop(): Promise<void> }>({ ...sides })) await one.stop()
  }
  return { sides, stop, etagOf: (path: string) => answers[path]?.etag as string }
}

/** Prepares a service with a space of `pages` pages, and bare Koa with the service's responses to all reads of them. */
async function prepared(dir: string, pages: number, each: boolean) {
  const repository = join(dir, `reads-${pages}.git`)
  await generateRepository(repository, pages, 30)
  const home = join(dir, `reads-${pages}`)
  const importing = await startService(home)
  const [space, other] = [await newSpace(importing), await newSpace(importing)]
  await importInto(importing, space, `file://${repository}`)
  const ids = each ? await pageIds(importing, space) : []
  await importing.stop()
  const service = await startService(home)
  const tree = `/v1/spaces/${space}/content/pages`
  // Use another order than that of the tree.
  const paths = ids
    .map((id, index) => ({ path: `/v1/spaces/${space}/content/page/${id}`, at: (index * 7919) % ids.length }))
    .sort((a, b) => a.at - b.at)
  const sides = await sidesOf(dir, `${pages}`, service, [tree, ...paths.map((one) => one.path)])
  return { ...sides, tree, pages: paths.map((one) => one.path), other }
}

/**
 * Measures reads at 1,000 pages (random pages with and without concurrent writes, and a page that the client has), and
 * the tree of 10,000 pages.
 */
export async function reads(dir: string, wanted: (name: string) => boolean): Promise<Line[]> {
  const asks = (name: string): boolean => Object.values(linesOf(name)).some(wanted)
  const lines: Line[] = []
  if (asks(PAGE) || asks(PAGE_AND_WRITES) || asks(PAGE_KNOWN)) {
    const { sides, pages, other, etagOf, stop } = await prepared(dir, 1000, true)
    const known = pages[500] as string
    try {
      if (asks(PAGE)) lines.push(...(await compare(PAGE, sides, { paths: pages })))
      if (asks(PAGE_AND_WRITES))
        lines.push(
          ...(await compare(PAGE_AND_WRITES, sides, {
            paths: pages,
            beside: () => writeMeanwhile(sides.service, other),
          })),
        )
      if (asks(PAGE_KNOWN))
        lines.push(
          ...(await compare(PAGE_KNOWN, sides, {
            paths: [known],
            headers: { 'if-none-match': etagOf(known) },
            status: '304',
          })),
        )
    } finally {
      await stop()
    }
  }
  if (asks(TREE) || asks(TREE_KNOWN)) {
    const { sides, tree, etagOf, stop } = await prepared(dir, 10_000, false)
    try {
      if (asks(TREE)) lines.push(...(await compare(TREE, sides, { paths: [tree], connections: LARGE_CONNECTIONS })))
      if (asks(TREE_KNOWN))
        lines.push(
          ...(await compare(TREE_KNOWN, sides, {
            paths: [tree],
            headers: { 'if-none-match': etagOf(tree) },
            status: '304',
          })),
        )
    } finally {
      await stop()
    }
  }
  if (Object.keys(LIST_PATHS).some(asks)) lines.push(...(await compareLists(dir, asks)))
  return lines
}
