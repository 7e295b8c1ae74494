/** Measures reading markdown: block trees, and the first complete read after an import. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import MarkdownIt from 'markdown-it'
import type { parseDocument as parse } from '../../src/content/blocks/parse.js'
import { startGitHttp } from '../../test/support/git-http.js'
import { git } from '../../test/support/hermetic-git.js'
import { built } from './built.js'
import { generateRepository, richText } from './generated.js'
import { interleaved, type Line, median, ms, ratiosOf, timed } from './measure.js'
import { call, importInto, newSpace, startService } from './processes.js'

export const blockTreesLine = 'block trees / markdown-it'
export const firstReadLine = 'first read of 3,000 pages / git archive and markdown-it'
/**
 * The shapes of real repositories: a program with a long history and few pages, and many pages with a shorter history.
 */
const HISTORIES = [
  { pages: 84, commits: 9_620, code: 2_500 },
  { pages: 6_571, commits: 2_857, code: 0 },
]
const historyLine = ({ pages, commits }: { pages: number; commits: number }): string =>
  `first read of ${pages.toLocaleString('en')} pages and ${commits.toLocaleString('en')} commits / git log --raw and markdown-it`
const restartLine = 'that read after a restart / the read before it'
export const historyLines = [...HISTORIES.map(historyLine), restartLine]

const PAGES = 3_000
const ROUNDS = 5
const markdownIt = new MarkdownIt({ html: true, linkify: true })

/**
 * Compares block trees of all kinds of pages with a plain parse of the same texts by markdown-it, in processor time.
 */
export async function blockTrees(): Promise<Line[]> {
  const [{ parseDocument }] = await built<[{ parseDocument: typeof parse }]>('content/blocks/parse.ts')
  const texts = Array.from({ length: 400 }, (_, i) => richText(i))
  const processor = (work: (text: string) => unknown) => async (): Promise<number> => {
    const started = process.cpuUsage()
    for (const text of texts) work(text)
    const { user, system } = process.cpuUsage(started)
    return (user + system) / 1000
  }
  const sides = {
    ours: processor((text) => parseDocument(text)),
    bare: processor((text) => markdownIt.parse(text, {})),
  }
  // Warm up: in a running service, both functions have been optimized.
  await interleaved(8, sides)
  const found = await interleaved(9, sides)
  const detail = `${ms(median(found.ours))} to ${ms(median(found.bare))} of processor time for ${texts.join('').length} characters`
  return [{ name: blockTreesLine, sense: 'most', target: 1.75, ratios: ratiosOf(found.ours, found.bare), detail }]
}

/**
 * Compares the first read of a revision's tree, files and diagnostics with `git archive` to a pipe and a plain parse of
 * its pages. Each round has its own repository, so that no page is known from an earlier round.
 */
export async function firstReads(dir: string): Promise<Line[]> {
  const root = join(dir, 'first-reads')
  const remotes = await startGitHttp({ root })
  const service = await startService(join(dir, 'first-reads-data'))
  const health: number[] = []
  try {
    const read = async (round: number): Promise<number> => {
      const name = `edition-${round}.git`
      await generateRepository(join(root, name), PAGES, 1, 1_000 * (round + 1))
      const space = await newSpace(service)
      await importInto(service, space, `${remotes.url}/${name}`, 'refs/heads/main')
      return whileAsking(service.url, health, () => timed(() => call(service, 'GET', `/v1/spaces/${space}/content`)))
    }
    const bare = async (round: number): Promise<number> => {
      const name = join(root, `edition-${round}.git`)
      await generateRepository(name, PAGES, 1, 1_000 * (round + 1)).catch(() => undefined)
      const texts = (await git(name, ['grep', '-h', '-e', '', 'main', '--', '*.md'])).split('\n---\n')
      return timed(async () => {
        await promisify(execFile)('git', ['archive', '--format=tar', 'main'], {
          cwd: name,
          encoding: 'buffer',
          maxBuffer: 2 ** 30,
        })
        for (const text of texts) markdownIt.parse(text, {})
      })
    }
    const ours: number[] = []
    const baseline: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await read(round))
      baseline.push(await bare(round))
    }
    const p99 = [...health].sort((a, b) => a - b)[Math.floor(health.length * 0.99)] ?? 0
    const detail = `${ms(median(ours))} to ${ms(median(baseline))}; /healthz during the read: 99th percentile ${ms(p99)}`
    return [{ name: firstReadLine, sense: 'most', target: 3, ratios: ratiosOf(ours, baseline), detail }]
  } finally {
    await service.stop()
    await remotes.close()
  }
}

/**
 * Compares the first read of a revision's page tree without metadata with `git log --raw` of the whole history and a
 * plain parse of the pages. The tree contains the dates of all files, so the history has many commits. After a restart,
 * none of it must be read again.
 */
export async function longHistories(dir: string): Promise<Line[]> {
  const root = join(dir, 'long-histories')
  const remotes = await startGitHttp({ root })
  const lines: Line[] = []
  const restarts: number[] = []
  try {
    for (const shape of HISTORIES) {
      const ours: number[] = []
      const baseline: number[] = []
      const health: number[] = []
      for (let round = 0; round < 3; round++) {
        const name = `history-${shape.pages}-${round}.git`
        const path = join(root, name)
        await generateRepository(path, shape.pages, shape.commits, 100_000 * (round + 1), shape.code)
        const data = join(dir, `long-histories-data-${shape.pages}-${round}`)
        let service = await startService(data)
        const space = await newSpace(service)
        await importInto(service, space, `${remotes.url}/${name}`, 'refs/heads/main')
        const read = (): Promise<number> =>
          timed(() => call(service, 'GET', `/v1/spaces/${space}/content/pages?metadata=false`))
        const first = await whileAsking(service.url, health, read)
        await service.stop()
        service = await startService(data)
        const again = await read()
        await service.stop()
        const texts = (await git(path, ['grep', '-h', '-e', '', 'main', '--', '*.md'])).split('\n---\n')
        baseline.push(
          await timed(async () => {
            await promisify(execFile)('git', ['log', '--raw', 'main'], {
              cwd: path,
              encoding: 'buffer',
              maxBuffer: 2 ** 30,
            })
            for (const text of texts) markdownIt.parse(text, {})
          }),
        )
        ours.push(first)
        restarts.push(again / first)
      }
      const slowest = Math.max(...health)
      const detail = `${ms(median(ours))} to ${ms(median(baseline))}; /healthz during the read: at most ${ms(slowest)}`
      lines.push({ name: historyLine(shape), sense: 'most', target: 3, ratios: ratiosOf(ours, baseline), detail })
    }
  } finally {
    await remotes.close()
  }
  return [...lines, { name: restartLine, sense: 'most', target: 0.5, ratios: restarts, detail: 'both shapes' }]
}

/** Runs work while /healthz is requested every few milliseconds, and adds the duration of each response. */
async function whileAsking<T>(url: string, into: number[], work: () => Promise<T>): Promise<T> {
  let over = false
  const asking = (async () => {
    while (!over) {
      into.push(await timed(async () => (await fetch(`${url}/healthz`)).text()))
      await setTimeout(5)
    }
  })()
  try {
    return await work()
  } finally {
    over = true
    await asking
  }
}
