/**
 * Measures the published sites: cached pages of a public, a counting and an adaptive site compared with bare Koa, with few and
 * with many connections; the first rendering of a page, and the share of the main thread in it; the time from a
 * merge to the first byte; the response times for a hidden and a missing page; and the outputs for programs:
 * markdown, the complete text and the sitemap; and pages whose readers may suggest changes.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { Agent, request } from 'undici'
import { git } from '../../test/support/hermetic-git.js'
import { generateRepository, pageText } from './generated.js'
import { interleaved, type Line, median, ms, ratiosOf } from './measure.js'
import {
  type Answers,
  call,
  importInto,
  type Json,
  newSpace,
  type Server,
  type ServiceProcess,
  startBare,
  startLoad,
  startService,
} from './processes.js'

const PUBLIC = 'site page / bare Koa, requests'
const COUNTED = 'page with provenance of a site that counts readers / bare Koa, requests'
const CROWD = 'site page, 1,000 connections / bare Koa, requests'
const ADAPTIVE = 'adaptive site page / bare Koa, requests'
const FIRST = 'first rendering of a page, 10,000 pages / 100 ms'
const MAIN = 'main thread of a first rendering, 10,000 pages / 5 ms'
const HIDDEN = 'hidden page / absent page, time'
const MARKDOWN = 'markdown of a page / bare Koa, requests'
const FULL = 'memory while llms-full.txt of 3,000 pages is read, later / earlier rounds'
const SUGGESTIONS = 'first rendering of a page with suggestions / without'
const SITEMAP = 'sitemap of 100,000 pages / 1 s'
const PAST = 'first reading of a page as it was, 10,000 pages / 100 ms'
const SINCE = 'changes since a commit over the cached page, 10,000 pages / 50 ms'
const MERGE = 'merge to first byte, 10,000 pages, 64 readers / 1 s'
export const siteLines = [
  PUBLIC,
  COUNTED,
  CROWD,
  ADAPTIVE,
  FIRST,
  MAIN,
  PAST,
  SINCE,
  MERGE,
  HIDDEN,
  MARKDOWN,
  FULL,
  SUGGESTIONS,
  SITEMAP,
]

const ROUNDS = 5
/** Number of pages that are read before first renderings are measured, so that all code is compiled. */
const WARM = 100
const SECONDS = 2
const READERS = 64
const MERGES = 40
/** Numbers of hidden pages, and of times that each is read. */
const HIDDEN_PAGES = 50
const HIDDEN_READS = 20
/** Number of times that all readers read the complete text. */
const FULL_ROUNDS = 8
const CONNECTIONS = { BINDERY_MAX_CONNECTIONS: '5000', BINDERY_MAX_CONNECTIONS_PER_ADDRESS: '5000' }
/** The headers of a browser, whose reads count. */
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', 'sec-fetch-dest': 'document' }
const agent = new Agent({ connections: READERS + 8, keepAliveTimeout: 60_000 })

interface BenchSite {
  service: ServiceProcess
  space: string
  /** The site in the API. */
  base: string
  /** Its address, without a slash at the end. */
  address: string
  origin: string
  paths: string[]
  /** The repository that it was imported from. */
  repository: string
}

/** Starts a service with a published site of many pages. */
async function openSite(dir: string, pages: number, settings: object = {}): Promise<BenchSite> {
  const name = `site-${pages}-${Object.keys(settings).join('-')}`
  const repository = join(dir, `${name}.git`)
  await generateRepository(repository, pages, 5)
  const service = await startService(join(dir, name), CONNECTIONS)
  const space = await newSpace(service)
  await importInto(service, space, `file://${repository}`)
  const { json } = await call(service, 'GET', '/v1/orgs')
  const sites = `/v1/orgs/${json.items[0].id}/sites`
  const made = (await call(service, 'POST', sites, { title: 'Docs', spaces: [space] })).json
  const base = `${sites}/${made.id}`
  if (Object.keys(settings).length > 0) await call(service, 'PATCH', base, settings)
  const address = new URL((await call(service, 'POST', `${base}/publish`)).json.urls.published)
  const tree = (await call(service, 'GET', `/v1/spaces/${space}/content/pages`)).json.pages as Json[]
  const under = (some: Json[]): string[] =>
    some.flatMap((page) => [
      ...(page.type === 'document' ? [`${address.pathname}/${page.path}`] : []),
      ...under(page.pages ?? []),
    ])
  return {
    service,
    space,
    base,
    address: address.href,
    origin: address.origin,
    paths: under(tree).slice(1),
    repository,
  }
}

/** Starts a service with a published site of sections with this number of pages each. */
async function openSections(
  dir: string,
  sections: number,
  pages: number,
): Promise<Pick<BenchSite, 'service' | 'address'>> {
  const repository = join(dir, `sections-${pages}.git`)
  await generateRepository(repository, pages, 5)
  const service = await startService(join(dir, `sections-${pages}`), CONNECTIONS)
  const { json } = await call(service, 'GET', '/v1/orgs')
  const sites = `/v1/orgs/${json.items[0].id}/sites`
  const base = `${sites}/${(await call(service, 'POST', sites, { title: 'Docs', spaces: [] })).json.id}`
  for (let section = 1; section <= sections; section++) {
    const spaceId = await newSpace(service)
    await importInto(service, spaceId, `file://${repository}`)
    await call(service, 'POST', `${base}/sections`, { spaceId, title: `Section ${section}` })
  }
  return { service, address: (await call(service, 'POST', `${base}/publish`)).json.urls.published }
}

async function read(url: string, headers: Record<string, string> = {}): Promise<{ text: string; etag: string }> {
  const { statusCode, body, headers: got } = await request(url, { dispatcher: agent, headers })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${url}: ${statusCode}`)
  return { text, etag: String(got.etag) }
}

/** Measures the same pages alternately on the site and on bare Koa. */
async function compared(
  dir: string,
  site: BenchSite,
  lines: readonly { name: string; target: number; connections: number }[],
  headers: Record<string, string> = {},
): Promise<Line[]> {
  const answers: Answers = {}
  for (const path of site.paths) {
    const { text, etag } = await read(site.origin + path, headers)
    answers[path] = { body: text, etag }
  }
  const file = join(dir, 'site-answers.json')
  await writeFile(file, JSON.stringify(answers))
  const [bare, load] = [await startBare(file), await startLoad()]
  const found: Line[] = []
  try {
    for (const { name, target, connections } of lines) {
      const rate = (url: string) => (): Promise<number> =>
        load.load({ url, paths: site.paths, headers, seconds: SECONDS, connections, status: '200' })
      const sides = { site: rate(site.origin), bare: rate(bare.url) }
      for (const warm of Object.values(sides)) await warm()
      const perSecond = await interleaved(ROUNDS, sides)
      const detail = `${Math.round(median(perSecond.site))}/s to ${Math.round(median(perSecond.bare))}/s`
      found.push({ name, sense: 'least', target, ratios: ratiosOf(perSecond.site, perSecond.bare), detail })
    }
  } finally {
    await bare.stop()
    await load.stop()
  }
  return found
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] as number

async function elapsed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Reads pages for the first time, and measures the duration of each and its time on the main thread. */
async function firstRenderings({ service, origin, paths }: BenchSite): Promise<Line[]> {
  for (const path of paths.slice(0, WARM)) await read(origin + path)
  const times: number[] = []
  const main: number[] = []
  for (const path of paths.slice(WARM, WARM + 300)) {
    const before = service.mainThread()
    times.push(await elapsed(() => read(origin + path)))
    main.push(service.mainThread() - before)
  }
  const detail = (values: number[]) =>
    `median ${ms(median(values))}, 90 % ${ms(percentile(values, 0.9))}, 99 % ${ms(percentile(values, 0.99))}`
  const first = { name: FIRST, ratios: [percentile(times, 0.99) / 100], detail: detail(times) }
  const share = { name: MAIN, ratios: [percentile(main, 0.9) / 5], detail: detail(main) }
  return [first, share].map((line) => ({ ...line, sense: 'most', target: 1 }))
}

/** Number of pages that are changed, and read as they were and with their changes. */
const PAST_PAGES = 200

/** Reads changed pages as they were, and with the changes since then, both for the first time. */
async function history({ service, base, space, origin, address, repository }: BenchSite): Promise<Line[]> {
  await call(service, 'PATCH', base, { pastVersions: true, changesSince: true })
  const first = (await git(repository, ['rev-list', '--max-parents=0', 'main'])).trim()
  const tree = (await call(service, 'GET', `/v1/spaces/${space}/content/pages`)).json.pages as Json[]
  const all = tree.flatMap((group) => group.pages ?? []).slice(0, PAST_PAGES)
  const changes = all.map(({ id }, index) => {
    return { operation: 'update_page', page: id, document: { markdown: pageText(index, 1_000) } }
  })
  for (let at = 0; at < changes.length; at += 50)
    await call(service, 'POST', `/v1/spaces/${space}/content`, { changes: changes.slice(at, at + 50) })
  const root = new URL(address).pathname
  const [start, ...others] = all.map(({ path }) => path as string)
  // The first reader waits for the page tree of the commit.
  const opening = await elapsed(() => read(`${origin}${root}/${start}?since=${first}`))
  const times = { past: [] as number[], more: [] as number[], again: [] as number[] }
  for (const path of others) {
    const page = `${origin}${root}/${path}`
    await read(page)
    const cached = await elapsed(() => read(page))
    const since = () => elapsed(() => read(`${page}?since=${first}`))
    times.more.push((await since()) - cached)
    times.again.push((await since()) - cached)
    times.past.push(await elapsed(() => read(`${origin}${root}/~/at/${first}/${path}`)))
  }
  const detail = (values: number[]) =>
    `median ${ms(median(values))}, 90 % ${ms(percentile(values, 0.9))}, 99 % ${ms(percentile(values, 0.99))}; the first reader of the commit ${ms(opening)}`
  const repeated = `; the same again: median ${ms(median(times.again))}, 99 % ${ms(percentile(times.again, 0.99))}`
  return [
    { name: PAST, sense: 'most', target: 1, ratios: [percentile(times.past, 0.99) / 100], detail: detail(times.past) },
    {
      name: SINCE,
      sense: 'most',
      target: 1,
      ratios: [percentile(times.more, 0.99) / 50],
      detail: detail(times.more) + repeated,
    },
  ]
}

/** Reads addresses of hidden and missing pages alternately. Their response times must not differ. */
async function hiddenPages({ service, space, origin, paths }: BenchSite): Promise<Line> {
  const page = (index: number) => ({
    operation: 'insert_page',
    title: `Note ${index}`,
    condition: 'visitor.claims.unsigned.never',
    document: { markdown: `# Note ${index}\n\nText.\n` },
  })
  const numbers = Array.from({ length: HIDDEN_PAGES }, (_, index) => 1_001 + 2 * index)
  await call(service, 'POST', `/v1/spaces/${space}/content`, { changes: numbers.map(page) })
  const base = origin + (paths[0] as string).split('/').slice(0, 3).join('/')
  const time = (index: number): Promise<number> =>
    elapsed(async () => {
      const { statusCode, body } = await request(`${base}/note-${index}`, { dispatcher: agent })
      await body.text()
      if (statusCode !== 404) throw new Error(`note ${index}: ${statusCode}`)
    })
  for (const index of numbers) await time(index)
  const hidden: number[] = []
  const absent: number[] = []
  for (let round = 0; round < HIDDEN_READS; round++)
    for (const index of numbers) {
      // Each comes first in half of the rounds.
      if (round % 2 === 0) hidden.push(await time(index))
      absent.push(await time(index + 1))
      if (round % 2 === 1) hidden.push(await time(index))
    }
  const [one, other] = [median(hidden), median(absent)]
  const detail = `${ms(one)} to ${ms(other)}, ${hidden.length} requests each; 90 % ${ms(percentile(hidden, 0.9))} to ${ms(percentile(absent, 0.9))}`
  return { name: HIDDEN, sense: 'most', target: 1.05, ratios: [one / other], detail }
}

/** Merges change requests while readers load other pages, and reads each changed page at once. */
async function merges({ service, space, origin, paths }: BenchSite): Promise<Line> {
  let going = true
  const reading = Array.from({ length: READERS }, async (_, reader) => {
    for (let at = reader; going; at += READERS) await read(origin + paths[(at * 7919) % paths.length])
  })
  const requests = `/v1/spaces/${space}/change-requests`
  const { json } = await call(service, 'GET', `/v1/spaces/${space}/content/pages`)
  const group = json.pages.find((one: Json) => one.type === 'group')
  const page = group.pages[0]
  const path = paths.find((one) => one.endsWith(`/${page.path}`)) as string
  const times: number[] = []
  for (let round = 0; round < MERGES; round++) {
    const { id } = (await call(service, 'POST', requests, { subject: `Round ${round}` })).json
    const document = { markdown: `# Page\n\nText of round ${round}.\n` }
    await call(service, 'POST', `${requests}/${id}/content`, {
      changes: [{ operation: 'update_page', page: page.id, document }],
    })
    await call(service, 'POST', `${requests}/${id}/merge`)
    times.push(
      await elapsed(async () => {
        const { text } = await read(origin + path)
        if (!text.includes(`round ${round}.`)) throw new Error(`round ${round} was not published`)
      }),
    )
  }
  going = false
  await Promise.all(reading)
  const detail = `median ${ms(median(times))}, slowest of ${MERGES} ${ms(Math.max(...times))}`
  return { name: MERGE, sense: 'most', target: 1, ratios: [Math.max(...times) / 1000], detail }
}

/** Returns the memory of a process in bytes. */
async function memoryOf({ url }: Server): Promise<number> {
  const { text } = await read(`${url}/metrics`)
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1])
}

/**
 * Reads all parts of the complete text repeatedly with several readers at once. A memory leak would grow from the
 * first to the last rounds.
 */
async function completeTexts({ service, address }: BenchSite): Promise<Line> {
  const readAll = async (): Promise<number> => {
    let bytes = 0
    for (let next = `${address}/llms-full.txt`; next !== ''; ) {
      const { text } = await read(next)
      bytes += Buffer.byteLength(text)
      next = /^Continued in (\S+)$/m.exec(text)?.[1] ?? ''
    }
    return bytes
  }
  const first = await elapsed(readAll)
  const most: number[] = []
  let bytes = 0
  for (let round = 0; round < FULL_ROUNDS; round++) {
    most.push(0)
    const watching = setInterval(() => {
      void memoryOf(service).then((now) => {
        most[round] = Math.max(most[round] ?? 0, now)
      })
    }, 100)
    const sizes = await Promise.all(Array.from({ length: 8 }, readAll))
    clearInterval(watching)
    bytes += sizes.reduce((sum, one) => sum + one, 0)
  }
  const mib = (size: number): string => `${Math.round(size / 1024 / 1024)} MiB`
  const half = FULL_ROUNDS / 2
  const [early, late] = [Math.max(...most.slice(0, half)), Math.max(...most.slice(half))]
  const detail = `${mib(early)} to ${mib(late)} (${most.map(mib).join(', ')}) while 8 readers get ${mib(bytes)}; the first one took ${ms(first)}`
  return { name: FULL, sense: 'most', target: 1.1, ratios: [late / early], detail }
}

/** Compares the first renderings of pages while readers may suggest changes, and while they may not. */
async function suggestions({ service, base, origin, paths }: BenchSite): Promise<Line> {
  const times: Record<'members' | 'off', number[]> = { members: [], off: [] }
  const bytes = { members: 0, off: 0 }
  const batch = 10
  for (let at = 0; at + 2 * batch <= paths.length; at += 2 * batch)
    for (const [half, mode] of (['members', 'off'] as const).entries()) {
      await call(service, 'PATCH', base, { suggestions: mode })
      // The first request after a change of the site pays for it.
      await read(origin + (paths[0] as string))
      for (const path of paths.slice(at + half * batch, at + (half + 1) * batch))
        times[mode].push(await elapsed(async () => void (bytes[mode] += (await read(origin + path)).text.length)))
    }
  const [one, other] = [median(times.members), median(times.off)]
  const size = (sum: number): string => `${Math.round(sum / times.off.length)} characters`
  const detail = `${ms(one)} to ${ms(other)}, ${times.off.length} pages each; ${size(bytes.members)} to ${size(bytes.off)}`
  return { name: SUGGESTIONS, sense: 'most', target: 1.25, ratios: [one / other], detail }
}

/** Reads the sitemap of many pages: its index and all of its files. */
async function sitemaps({ service, address }: Pick<BenchSite, 'service' | 'address'>): Promise<Line> {
  const readAll = async (): Promise<number> => {
    const { text: index } = await read(`${address}/sitemap.xml`)
    let urls = 0
    for (const [, file = ''] of index.matchAll(/<loc>([^<]*)<\/loc>/g))
      urls += (await read(file)).text.match(/<url>/g)?.length ?? 0
    return urls
  }
  const first = await elapsed(readAll)
  const times: number[] = []
  const before = await service.cpu()
  let urls = 0
  for (let round = 0; round < ROUNDS; round++)
    times.push(
      await elapsed(async () => {
        urls = await readAll()
      }),
    )
  const cpu = ((await service.cpu()) - before) / 1000 / ROUNDS
  const detail = `median ${ms(median(times))}, ${ms(cpu)} of processor time, for ${urls} addresses; the first one ${ms(first)}`
  return { name: SITEMAP, sense: 'most', target: 1, ratios: times.map((time) => time / 1000), detail }
}

/** Measures the published sites. */
export async function publishedSites(dir: string, wanted: (name: string) => boolean): Promise<Line[]> {
  const lines: Line[] = []
  const on = async <S extends { service: Server }>(
    open: Promise<S>,
    work: (site: S) => Promise<Line[]>,
  ): Promise<void> => {
    const site = await open
    try {
      lines.push(...(await work(site)))
    } finally {
      await site.service.stop()
    }
  }
  if (wanted(PUBLIC) || wanted(CROWD))
    await on(openSite(dir, 300), (site) =>
      compared(
        dir,
        site,
        [
          { name: PUBLIC, target: 0.6, connections: 20 },
          { name: CROWD, target: 0.6, connections: 1_000 },
        ].filter(({ name }) => wanted(name)),
      ),
    )
  if (wanted(COUNTED))
    await on(openSite(dir, 300, { provenance: { enabled: true }, statistics: { enabled: true } }), (site) =>
      compared(dir, site, [{ name: COUNTED, target: 0.5, connections: 20 }], BROWSER),
    )
  if (wanted(ADAPTIVE) || wanted(HIDDEN))
    await on(openSite(dir, 300, { adaptiveContent: { enabled: true } }), async (site) => [
      ...(wanted(ADAPTIVE)
        ? await compared(dir, site, [{ name: ADAPTIVE, target: 0.3, connections: 20 }], {
            cookie: `bindery-claims=${encodeURIComponent('{"isBeta":true}')}`,
          })
        : []),
      ...(wanted(HIDDEN) ? [await hiddenPages(site)] : []),
    ])
  if (wanted(MARKDOWN))
    await on(openSite(dir, 300), (site) =>
      compared(dir, { ...site, paths: site.paths.map((path) => `${path}.md`) }, [
        { name: MARKDOWN, target: 0.6, connections: 20 },
      ]),
    )
  if (wanted(SUGGESTIONS)) await on(openSite(dir, 600), async (site) => [await suggestions(site)])
  if (wanted(FULL)) await on(openSite(dir, 3_000), async (site) => [await completeTexts(site)])
  if (wanted(SITEMAP)) await on(openSections(dir, 5, 20_000), async (site) => [await sitemaps(site)])
  if (wanted(PAST) || wanted(SINCE)) await on(openSite(dir, 10_000), history)
  if (wanted(FIRST) || wanted(MAIN) || wanted(MERGE))
    await on(openSite(dir, 10_000), async (site) => [
      ...(wanted(FIRST) || wanted(MAIN) ? await firstRenderings(site) : []),
      ...(wanted(MERGE) ? [await merges(site)] : []),
    ])
  return lines
}
