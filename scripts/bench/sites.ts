/**
 * Measures the published sites: kept pages of a public and of an adaptive site next to bare Koa with the same bytes,
 * with few and with many connections; the first rendering of a page; and the time from a merge to the first byte.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { Agent, request } from 'undici'
import { generateRepository } from './generated.js'
import { interleaved, type Line, median, ms, ratiosOf } from './measure.js'
import {
  type Answers,
  call,
  importInto,
  type Json,
  newSpace,
  type Server,
  startBare,
  startLoad,
  startService,
} from './processes.js'

const PUBLIC = 'site page / bare Koa, requests'
const CROWD = 'site page, 1,000 connections / bare Koa, requests'
const ADAPTIVE = 'adaptive site page / bare Koa, requests'
const FIRST = 'first rendering of a page, 10,000 pages / 100 ms'
const MERGE = 'merge to first byte, 10,000 pages, 64 readers / 1 s'
export const siteLines = [PUBLIC, CROWD, ADAPTIVE, FIRST, MERGE]

const ROUNDS = 5
const SECONDS = 2
const READERS = 64
const MERGES = 40
const CONNECTIONS = { BINDERY_MAX_CONNECTIONS: '5000', BINDERY_MAX_CONNECTIONS_PER_ADDRESS: '5000' }
const agent = new Agent({ connections: READERS + 8, keepAliveTimeout: 60_000 })

interface BenchSite {
  service: Server
  space: string
  /** The site in the API. */
  base: string
  origin: string
  paths: string[]
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
  return { service, space, base, origin: address.origin, paths: under(tree).slice(1) }
}

async function read(url: string, headers: Record<string, string> = {}): Promise<{ text: string; etag: string }> {
  const { statusCode, body, headers: got } = await request(url, { dispatcher: agent, headers })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${url}: ${statusCode}`)
  return { text, etag: String(got.etag) }
}

/** Measures the same pages on the site and on bare Koa in turn. */
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

async function firstRenderings({ origin, paths }: BenchSite): Promise<Line> {
  await read(origin + (paths[0] as string))
  const times: number[] = []
  for (const path of paths.slice(1, 301)) times.push(await elapsed(() => read(origin + path)))
  const detail = `median ${ms(median(times))}, 99 % ${ms(percentile(times, 0.99))}`
  return { name: FIRST, sense: 'most', target: 1, ratios: [percentile(times, 0.99) / 100], detail }
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

/** Measures the published sites. */
export async function publishedSites(dir: string, wanted: (name: string) => boolean): Promise<Line[]> {
  const lines: Line[] = []
  const on = async (open: Promise<BenchSite>, work: (site: BenchSite) => Promise<Line[]>): Promise<void> => {
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
  if (wanted(ADAPTIVE))
    await on(openSite(dir, 300, { adaptiveContent: { enabled: true } }), (site) =>
      compared(dir, site, [{ name: ADAPTIVE, target: 0.3, connections: 20 }], {
        cookie: `bindery-claims=${encodeURIComponent('{"isBeta":true}')}`,
      }),
    )
  if (wanted(FIRST) || wanted(MERGE))
    await on(openSite(dir, 10_000), async (site) => [
      ...(wanted(FIRST) ? [await firstRenderings(site)] : []),
      ...(wanted(MERGE) ? [await merges(site)] : []),
    ])
  return lines
}
