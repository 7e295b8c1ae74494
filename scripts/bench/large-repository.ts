/**
 * Plays the life of a large repository, step by step: import, first reads and edits, a merge, searches, an export, a clone
 * and a site. Each step is compared with the same work in Git, and the response times of `/healthz` and the memory are
 * watched in the meantime.
 */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { startGitHttp } from '../../test/support/git-http.js'
import { git, gitBytes } from '../../test/support/hermetic-git.js'
import { generateLarge } from './large-content.js'
import { type Line, median, ms, timed } from './measure.js'
import {
  ADMIN_TOKEN,
  call,
  importInto,
  type Json,
  newSpace,
  type ServiceProcess,
  startService,
  startWatch,
} from './processes.js'

export const largeLine = 'large repository'

export interface LargeRun {
  /** The share of 50,000 pages, 5,000 commits and 2 GB of pictures. */
  scale: number
  /** A bare repository to play instead of the generated one. It is generated there if it does not exist. */
  repository: string | null
}

/** Time after the end of a step that is watched with it, in milliseconds: some work follows a response. */
const AFTER_MS = 3000
/** Number of later edits, merges and searches. */
const ROUNDS = 5
const MAX_RATIO = 3

/** The empty repositories that the service and Git push to, and Git's copy of the large one. */
const EXPORTED = ['exported.git', 'pushed.git'] as const
const NATIVE = 'native.git'

/** Settings for packs of more than a gigabyte. */
const ENV = { BINDERY_PACK_LIMIT_BYTES: String(4 * 2 ** 30) }

/** The service and Git's own copy of the repository, side by side. */
interface Play {
  service: ServiceProcess
  space: string
  /** Addresses of the Git server, and of the space as a Git client sees it. */
  remotes: string
  door: string
  /** A bare clone in which Git does the same work. */
  native: string
  /** The IDs and files of some pages. */
  pages: { id: string; file: string; path: string }[]
  /** Measures one step. `git` does the same work in Git. */
  step(name: string, ours: () => Promise<unknown>, git?: () => Promise<unknown>, rounds?: number): Promise<void>
}

/** Plays all steps. `report` receives the line of each step when the step is over. */
export async function largeRepository(dir: string, run: LargeRun, report: (line: Line) => void): Promise<Line[]> {
  const root = join(dir, 'large')
  const source = run.repository ? resolve(run.repository) : join(root, 'large.git')
  const { scale } = run
  const size = { pages: 50_000 * scale, commits: 5_000 * scale, pictureBytes: 2e9 * scale, seed: 45 }
  if (!existsSync(source)) await generateLarge(source, size)
  await mkdir(root, { recursive: true })
  for (const name of EXPORTED) {
    await git(root, ['init', '--quiet', '--bare', name])
    await git(join(root, name), ['config', 'http.receivepack', 'true'])
  }
  const sources = await startGitHttp({ root: join(source, '..') })
  const remotes = await startGitHttp({ root })
  const service = await startService(join(dir, 'large-service'), ENV)
  const watch = await startWatch(service)
  const step: Play['step'] = async (name, ours, native, rounds = 1) => {
    await watch.take()
    const used = service.wholeTime()
    const times: number[] = []
    for (let round = 0; round < rounds; round++) times.push(await timed(ours))
    await setTimeout(AFTER_MS)
    const { healthMs, busyMs, slow, mainBytes, childBytes } = await watch.take()
    const processor = (service.wholeTime() - used) / rounds
    const natives: number[] = []
    for (let round = 0; native && round < rounds; round++) natives.push(await timed(native))
    const seen = `/healthz at most ${ms(healthMs)} (main thread ${ms(busyMs)}), ${slow} over 100 ms; memory ${mb(mainBytes)}, its processes ${mb(childBytes)}`
    report({
      name: `${largeLine}, ${name}`,
      sense: native ? 'most' : 'none',
      target: MAX_RATIO,
      ratios: native ? times.map((time, round) => time / (natives[round] as number)) : [],
      detail: `${ms(median(times))}${native ? ` to ${ms(median(natives))}` : ''}; processor ${ms(processor)}; ${seen}`,
    })
  }
  try {
    const space = await newSpace(service)
    const play: Play = {
      service,
      space,
      remotes: remotes.url,
      door: `${service.url.replace('http://', `http://git:${ADMIN_TOKEN}@`)}/git/${space}.git`,
      native: join(root, NATIVE),
      pages: [],
      step,
    }
    const url = `${sources.url}/${source.split('/').at(-1)}`
    // While Git clones, the service reads the imported pages ahead.
    await play.step(
      'import / git clone --bare',
      () => importInto(service, space, url),
      () => git(dir, ['clone', '--quiet', '--bare', url, play.native]),
    )
    await readAndEdit(play)
    await search(play)
    await leave(play, dir)
    await publish(play)
    return []
  } finally {
    await watch.stop()
    await service.stop()
    await remotes.close()
    await sources.close()
  }
}

const mb = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`

/** Returns some pages with a file, from everywhere in the tree. */
function somePages(tree: Json[]): Play['pages'] {
  const all: Play['pages'] = []
  const visit = (pages: Json[]): void => {
    for (const page of pages) {
      if (page.type === 'document') all.push({ id: page.id, file: page.git.path, path: page.path })
      visit(page.pages ?? [])
    }
  }
  visit(tree)
  return all.filter((_, at) => at % Math.ceil(all.length / 100) === 1)
}

let edition = 0
const pageIn = ({ pages }: Play): Play['pages'][number] => pages[++edition % pages.length] as Play['pages'][number]

/** Reads the tree and a page for the first time, edits, and merges change requests. */
async function readAndEdit(play: Play): Promise<void> {
  const { service, space, native, step } = play
  const base = `/v1/spaces/${space}`
  const tree = (): Promise<{ json: Json }> => call(service, 'GET', `${base}/content/pages`)
  const edit = (under: string) => {
    const { id } = pageIn(play)
    const document = { markdown: `# Edited\n\nEdition ${edition}.\n` }
    return call(service, 'POST', `${under}/content`, { changes: [{ operation: 'update_page', page: id, document }] })
  }
  await step(
    'first tree / git ls-tree, grep of all titles, log of all files',
    async () => (play.pages = somePages((await tree()).json.pages)),
    async () => {
      await gitBytes(native, ['ls-tree', '-r', 'HEAD'])
      await gitBytes(native, ['grep', '-m', '1', '^# ', 'HEAD', '--', '*.md'])
      await gitBytes(native, ['log', '--format=%H %ct', '--name-only', 'HEAD'])
    },
  )
  await step(
    'first page / git cat-file, log of the file',
    () => call(service, 'GET', `${base}/content/page/${play.pages.at(-1)?.id}`),
    async () => {
      await git(native, ['cat-file', 'blob', `HEAD:${play.pages.at(-1)?.file}`])
      await git(native, ['log', '--format=%ct', 'HEAD', '--', String(play.pages.at(-1)?.file)])
    },
  )
  const commit = () => commitIn(native, 'refs/heads/main', pageIn(play).file)
  await step('first edit / git commit', () => edit(base), commit)
  await step('edit / git commit', () => edit(base), commit, ROUNDS)
  await step('tree after an edit', tree)
  const requests: string[] = []
  await step(
    'change request with an edit / git commit',
    async () => {
      const { json } = await call(service, 'POST', `${base}/change-requests`, { subject: 'A change' })
      requests.push(json.id)
      await edit(`${base}/change-requests/${json.id}`)
    },
    () => commitIn(native, `refs/heads/branch-${edition}`, pageIn(play).file),
    ROUNDS,
  )
  const branches = (await git(native, ['for-each-ref', '--format=%(refname)', 'refs/heads/branch-*'])).split('\n')
  // Both sides have changed since the branch was made.
  await edit(base)
  await commit()
  await step(
    'merge / git merge-tree, commit-tree, update-ref',
    () => call(service, 'POST', `${base}/change-requests/${requests.pop()}/merge`),
    () => mergeIn(native, String(branches.pop())),
    ROUNDS,
  )
}

/** Commits a change of one file to a branch without a work tree. */
async function commitIn(native: string, branch: string, file: string): Promise<void> {
  const index = { GIT_INDEX_FILE: join(native, 'commit-index') }
  await git(native, ['read-tree', 'HEAD'], undefined, index)
  const blob = await git(native, ['hash-object', '-w', '--stdin'], `# Edited\n\nEdition ${++edition}.\n`)
  await git(native, ['update-index', '--cacheinfo', `100644,${blob},${file}`], undefined, index)
  const tree = await git(native, ['write-tree'], undefined, index)
  const commit = await git(native, ['commit-tree', tree, '-p', 'HEAD', '-m', 'Change a page'])
  await git(native, ['update-ref', branch, commit])
}

async function mergeIn(native: string, branch: string): Promise<void> {
  const tree = await git(native, ['merge-tree', '--write-tree', 'HEAD', branch])
  const commit = await git(native, ['commit-tree', tree, '-p', 'HEAD', '-p', branch, '-m', 'Merge a change'])
  await git(native, ['update-ref', 'HEAD', commit])
}

const RARE_WORD = 'varomanan'

/** Searches for the first time, until all pages are indexed, and then for several words. */
async function search({ service, space, native, step }: Play): Promise<void> {
  /** Returns whether the result is complete. */
  const find = (word: string): Promise<boolean> =>
    call(service, 'GET', `/v1/spaces/${space}/search?limit=10&query=${word}`).then(({ json }) => json.partial !== true)
  const grep = (word: string): Promise<unknown> =>
    git(native, ['grep', '-i', '-F', '-l', '-e', word, 'HEAD', '--', '*.md'])
  /** Repeats the search until it has a result: a request that has waited for ten seconds gets a 503. */
  const findFirst = async (): Promise<boolean> => {
    for (;;)
      try {
        return await find(RARE_WORD)
      } catch (error) {
        if (!String(error).includes(': 503 ')) throw error
      }
  }
  const started = performance.now()
  let isComplete = false
  await step(
    'first response of a search / git grep',
    async () => {
      isComplete = await findFirst()
    },
    () => grep(RARE_WORD),
  )
  await step('the rest of the index', async () => {
    while (!isComplete) {
      await setTimeout(100)
      isComplete = await find(RARE_WORD)
    }
    console.log(`   all pages were indexed after ${ms(performance.now() - started)}`)
  })
  const words = ['dadufin', 'bocedon', 'page', 'serve', 'fohitopa']
  let at = 0
  const next = (): string => words[at++ % words.length] as string
  await step(
    'search / git grep',
    () => find(next()),
    () => grep(next()),
    ROUNDS,
  )
}

/** Exports to an empty repository, and clones the space. */
async function leave({ service, space, native, remotes, door, step }: Play, dir: string): Promise<void> {
  const body = { url: `${remotes}/${EXPORTED[0]}`, ref: 'refs/heads/main', commitMessage: 'Export the content' }
  await step(
    'export to another remote / git push of one commit',
    async () => {
      await call(service, 'POST', `/v1/spaces/${space}/git/export`, body)
      for (let state = ''; state !== 'success'; await setTimeout(20)) {
        const { json } = await call(service, 'GET', `/v1/spaces/${space}/git/info`)
        state = (json.sync ?? json).state
        if (state === 'failure' || state === 'conflict') throw new Error(`the export failed: ${JSON.stringify(json)}`)
      }
    },
    async () => {
      const commit = await git(native, ['commit-tree', 'HEAD^{tree}', '-m', 'Export the content'])
      await git(native, ['push', '--quiet', `${remotes}/${EXPORTED[1]}`, `${commit}:refs/heads/main`])
    },
  )
  const clone = async (url: string): Promise<void> => {
    const target = join(dir, `clone-${performance.now()}.git`)
    await git(dir, ['clone', '--quiet', '--bare', url, target])
  }
  await step(
    'clone through the Git door / git http-backend',
    () => clone(door),
    () => clone(`${remotes}/${NATIVE}`),
  )
}

/** Publishes a site and reads a page of it. */
async function publish({ service, space, pages, step }: Play): Promise<void> {
  const { json } = await call(service, 'GET', '/v1/orgs')
  const sites = `/v1/orgs/${json.items[0].id}/sites`
  let address = ''
  const read = async (path: string): Promise<void> => {
    const response = await fetch(`${address}/${path}`)
    await response.text()
    if (response.status !== 200) throw new Error(`${address}/${path}: ${response.status}`)
  }
  await step('publication of a site', async () => {
    const made = (await call(service, 'POST', sites, { title: 'Docs', spaces: [space] })).json
    address = (await call(service, 'POST', `${sites}/${made.id}/publish`)).json.urls.published
  })
  await step('first page of the site', () => read(String(pages[40]?.path)))
  let at = 41
  await step('page of the site', () => read(String(pages[at++]?.path)), undefined, ROUNDS)
}
