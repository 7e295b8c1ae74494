import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startGitHttp } from '../../test/support/git-http.js'
import { git } from '../../test/support/hermetic-git.js'
import { generateRepository, pageText } from './generated.js'
import { interleaved, type Line, median, ms, ratiosOf, timed } from './measure.js'
import { ADMIN_TOKEN, call, importInto, newSpace, startService } from './processes.js'

const PAGES = 10_000
const CLONES = 7
const PUSHES = 15

export const doorLines = [
  'clone from a space / git http-backend',
  'push of one page to a change request / to a bare repository',
] as const

/** Compares the Git door at 10,000 pages with Git's own HTTP server on the same repository. */
export async function gitDoor(dir: string): Promise<Line[]> {
  const root = join(dir, 'door-remotes')
  await generateRepository(join(root, 'docs.git'), PAGES, 10)
  const remotes = await startGitHttp({ root })
  const service = await startService(join(dir, 'door'))
  try {
    const space = await newSpace(service)
    await importInto(service, space, `file://${join(root, 'docs.git')}`)
    await git(join(root, 'docs.git'), ['config', 'http.receivepack', 'true'])
    const sides = {
      ours: `${service.url.replace('http://', `http://git:${ADMIN_TOKEN}@`)}/git/${space}.git`,
      native: `${remotes.url}/docs.git`,
    }
    await call(service, 'POST', `/v1/spaces/${space}/change-requests`, { subject: 'Pushes' })
    const found = await interleaved(CLONES, {
      ours: (round) => cloneOf(dir, sides.ours, `ours-${round}`),
      native: (round) => cloneOf(dir, sides.native, `native-${round}`),
    })
    const pushed = await pushes(dir, sides)
    const line = (name: string, target: number, { ours, native }: typeof found): Line => ({
      name,
      sense: 'most',
      target,
      ratios: ratiosOf(ours, native),
      detail: `${ms(median(ours))} to ${ms(median(native))}`,
    })
    return [line(doorLines[0], 1.15, found), line(doorLines[1], 3, pushed)]
  } finally {
    await service.stop()
    await remotes.close()
  }
}

async function cloneOf(dir: string, url: string, name: string): Promise<number> {
  const target = join(dir, name)
  const took = await timed(() => git(dir, ['clone', '--quiet', '--bare', url, target]))
  await rm(target, { recursive: true })
  return took
}

/** Pushes commits that change one page, each on top of the last one. */
async function pushes(
  dir: string,
  sides: { ours: string; native: string },
): Promise<{ ours: number[]; native: number[] }> {
  const clone = join(dir, 'pusher.git')
  await git(dir, ['clone', '--quiet', '--bare', sides.native, clone])
  const [path] = (await git(clone, ['ls-tree', '-r', '--name-only', 'HEAD']))
    .split('\n')
    .filter((name) => name.endsWith('.md') && name !== 'SUMMARY.md')
  const heads = { ours: await git(clone, ['rev-parse', 'HEAD']), native: await git(clone, ['rev-parse', 'HEAD']) }
  const refs = { ours: 'refs/heads/change-requests/1', native: 'refs/heads/pushed' }
  const push =
    (side: 'ours' | 'native') =>
    async (round: number): Promise<number> => {
      const text = Buffer.from(pageText(round + 1, round + (side === 'ours' ? 1000 : 2000)))
      const blob = await git(clone, ['hash-object', '-w', '--stdin'], text)
      const index = { GIT_INDEX_FILE: join(dir, `index-${side}`) }
      await git(clone, ['read-tree', heads[side]], undefined, index)
      await git(clone, ['update-index', '--cacheinfo', `100644,${blob},${path}`], undefined, index)
      const tree = await git(clone, ['write-tree'], undefined, index)
      heads[side] = await git(clone, ['commit-tree', tree, '-p', heads[side], '-m', 'Change a page'])
      return timed(() => git(clone, ['push', '--quiet', sides[side], `${heads[side]}:${refs[side]}`]))
    }
  await interleaved(2, { ours: push('ours'), native: push('native') })
  return interleaved(PUSHES, { ours: (round) => push('ours')(round + 2), native: (round) => push('native')(round + 2) })
}
