/** Compares searches in a large space with `git grep` over the same text. */
import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { startGitHttp } from '../../test/support/git-http.js'
import { git } from '../../test/support/hermetic-git.js'
import { commitTo } from '../../test/commits/fixture.js'
import { type Line, median, ms, ratiosOf, timed } from './measure.js'
import { call, importInto, newSpace, startService } from './processes.js'
import { chinese, latin, numbers } from './words.js'

export const searchLine = 'search, 99th percentile at 40,000 sections / git grep'

const PAGES = 4_000
const SECTIONS = 10
const ROUNDS = 5
const QUERIES = 100
const GREPS = 5

function page(index: number): string {
  const next = numbers(index * 7919)
  const han = index % 10 === 0
  const words = (count: number): string =>
    Array.from({ length: count }, () => (han ? chinese : latin)(next)).join(han ? '' : ' ')
  const section = (): string =>
    `## ${words(3)}\n\n${Array.from({ length: 3 }, () => `${words(han ? 45 : 55)}.`).join('\n\n')}`
  return `# ${words(2)}\n\n${Array.from({ length: SECTIONS }, section).join('\n\n')}\n`
}

/** Returns typical queries: words, two words, prefixes of one or more letters, typos, Chinese. */
function queries(round: number): string[] {
  const next = numbers(1 + round * 104_729)
  const kinds: (() => string)[] = [
    () => latin(next),
    () => `${latin(next)} ${latin(next)}`,
    () => latin(next).slice(0, 1 + Math.floor(next() * 4)),
    () => {
      const word = latin(next)
      const at = Math.floor(next() * word.length)
      return word.length < 5 ? word : `${word.slice(0, at)}${word.slice(at + 1)}`
    },
    () => chinese(next),
    () => chinese(next) + chinese(next),
  ]
  return Array.from({ length: QUERIES }, (_, i) => (kinds[i % kinds.length] as () => string)())
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder)
  return (await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size))).reduce(
    (sum, size) => sum + size,
    0,
  )
}

const SMALL = 300
/** Returns the 99th percentile by nearest rank: the smallest value that 99 of a hundred values do not exceed. */
const percentile99 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? 0

/**
 * Compares the slowest hundredth of each round's searches over HTTP with one `git grep` for a word. The first search
 * builds the index.
 */
export async function searches(dir: string): Promise<Line[]> {
  const root = join(dir, 'searches')
  const remotes = await startGitHttp({ root })
  const service = await startService(join(dir, 'searches-data'))
  try {
    const repo = join(root, 'large.git')
    await mkdir(root, { recursive: true })
    await git(root, ['init', '--quiet', '--bare', '--initial-branch=main', 'large.git'])
    const pages = Object.fromEntries(
      Array.from({ length: PAGES }, (_, i) => [`part-${Math.floor(i / SMALL)}/page-${i}.md`, page(i)]),
    )
    const summary = Object.keys(pages).map((path, i) => `* [Page ${i}](${path})`)
    const tree = (await git(repo, ['mktree'], '')).trim()
    await git(repo, ['update-ref', 'refs/heads/main', (await git(repo, ['commit-tree', '-m', 'Begin', tree])).trim()])
    await commitTo(repo, { ...pages, 'SUMMARY.md': `# Table of contents\n\n${summary.join('\n')}\n` })
    await git(repo, ['repack', '-a', '-d', '-q'])
    const space = await newSpace(service)
    await importInto(service, space, `${remotes.url}/large.git`, 'refs/heads/main')
    const search = (query: string): Promise<unknown> =>
      call(service, 'GET', `/v1/spaces/${space}/search?limit=10&query=${encodeURIComponent(query)}`)
    const indexing = await timed(async () => {
      while (
        !(await search('begin').then(
          () => true,
          () => false,
        ))
      );
    })
    const ours: number[] = []
    const greps: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const all = queries(round)
      const times: number[] = []
      for (const query of all) times.push(await timed(() => search(query)))
      ours.push(percentile99(times))
      const own: number[] = []
      for (const word of all.slice(0, GREPS))
        own.push(await timed(() => git(repo, ['grep', '-i', '-F', '-l', '-e', word, 'main']).catch(() => '')))
      greps.push(median(own))
    }
    const bytes = Object.values(pages).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    const size = await sizeOf(join(dir, 'searches-data', 'data', 'search'))
    const detail = `${ms(median(ours))} to ${ms(median(greps))}; ${PAGES * SECTIONS} sections, ${mb(bytes)}; index built in ${ms(indexing)}, ${mb(size)}`
    return [{ name: searchLine, sense: 'most', target: 0.25, ratios: ratiosOf(ours, greps), detail }]
  } finally {
    await service.stop()
    await remotes.close()
  }
}

const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
