import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateRepository } from './generated.js'
import { interleaved, type Line, median, ratiosOf } from './measure.js'
import { ADMIN_TOKEN, type Answers, call, importInto, newSpace, pageIds, type Server, startBare, startLoad, startService } from './processes.js'

const PAGE_BARE = 'page read / bare Koa'
const PAGE_CONSTANT = 'page read / constant handler'
const TREE = 'pages tree / bare Koa'
const TREE_KNOWN = 'pages tree 304 / bare Koa'
/** The lines made here. */
export const readLines = [PAGE_BARE, PAGE_CONSTANT, TREE, TREE_KNOWN]

const ROUNDS = 5
const SECONDS = 2
const CONNECTIONS = 20

type Load = Awaited<ReturnType<typeof startLoad>>

interface Rate {
  perSecond: number
  /** Microseconds of the server's processor time per request. */
  cpu: number
}

async function rate(server: Server, load: Load, paths: string[], headers: Record<string, string>, status: string): Promise<Rate> {
  const before = await server.cpu()
  const perSecond = await load.load({
    url: server.url,
    paths,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...headers },
    seconds: SECONDS,
    connections: CONNECTIONS,
    status,
  })
  return { perSecond, cpu: ((await server.cpu()) - before) / (perSecond * SECONDS) }
}

/** Measures the same requests on several servers in turn. */
async function compare<K extends string>(servers: Record<K, Server>, load: Load, paths: string[], headers: Record<string, string> = {}, status = '200') {
  const cpu = Object.fromEntries(Object.keys(servers).map((name) => [name, [] as number[]])) as Record<K, number[]>
  for (const server of Object.values<Server>(servers)) await rate(server, load, paths, headers, status)
  const perSecond = await interleaved(
    ROUNDS,
    Object.fromEntries(
      Object.entries<Server>(servers).map(([name, server]) => [
        name,
        async () => {
          const found = await rate(server, load, paths, headers, status)
          cpu[name as K].push(found.cpu)
          return found.perSecond
        },
      ]),
    ) as Record<K, () => Promise<number>>,
  )
  const line = (name: string, ours: K, against: K, target: number): Line => ({
    name,
    sense: 'least',
    target,
    ratios: ratiosOf(perSecond[ours], perSecond[against]),
    detail:
      `requests/s ${Math.round(median(perSecond[ours]))} to ${Math.round(median(perSecond[against]))}, ` +
      `processor time ${median(cpu[ours]).toFixed(0)} µs to ${median(cpu[against]).toFixed(0)} µs (ratio ${median(ratiosOf(cpu[against], cpu[ours])).toFixed(2)})`,
  })
  return line
}

/** Reads at 1,000 pages: a random page, the tree of pages, and the tree that the client has already. */
export async function reads(dir: string, wanted: (name: string) => boolean): Promise<Line[]> {
  const repository = join(dir, 'reads.git')
  await generateRepository(repository, 1000, 30)
  const home = join(dir, 'reads')
  let service = await startService(home)
  const space = await newSpace(service)
  await importInto(service, space, `file://${repository}`)
  const pages = (await pageIds(service, space)).map((id) => `/v1/spaces/${space}/content/page/${id}`)
  await service.stop()
  await cp(home, join(dir, 'constant'), { recursive: true })
  service = await startService(home)
  const tree = `/v1/spaces/${space}/content/pages`
  const answers: Answers = {}
  for (const path of [tree, ...pages]) {
    const { text, etag } = await call(service, 'GET', path)
    answers[path] = { body: text, etag }
  }
  await writeFile(join(dir, 'answers.json'), JSON.stringify(answers))
  const constant = await startService(join(dir, 'constant'), answers[pages[500] as string]?.body as string)
  const bare = await startBare(join(dir, 'answers.json'))
  const load = await startLoad()
  const shuffled = pages
    .map((path, i) => ({ path, at: (i * 7919) % pages.length }))
    .sort((a, b) => a.at - b.at)
    .map(({ path }) => path)
  const lines: Line[] = []
  try {
    if (wanted(PAGE_BARE) || wanted(PAGE_CONSTANT)) {
      const line = await compare({ service, constant, bare }, load, shuffled)
      lines.push(line(PAGE_BARE, 'service', 'bare', 0.35), line(PAGE_CONSTANT, 'service', 'constant', 0.8))
    }
    if (wanted(TREE)) lines.push((await compare({ service, bare }, load, [tree]))(TREE, 'service', 'bare', 0.35))
    if (wanted(TREE_KNOWN)) {
      const headers = { 'if-none-match': answers[tree]?.etag as string }
      lines.push((await compare({ service, bare }, load, [tree], headers, '304'))(TREE_KNOWN, 'service', 'bare', 0.35))
    }
  } finally {
    for (const one of [service, constant, bare, load]) await one.stop()
  }
  return lines
}
