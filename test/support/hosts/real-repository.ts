/**
 * Puts a real bare repository behind a stand-in. Its branches and commits come from Git, and Git merges its pull
 * requests.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { git, hermeticEnv } from '../hermetic-git.js'
import type { FakeCommit, FakePull, FakeRepository } from './repository.js'

export type MergeMethod = 'merge' | 'squash' | 'rebase'

const FORMAT = '%H%x1f%P%x1f%an <%ae>%x1f%aI%x1f%B%x1e'

/** Gives a stand-in the branches and commits of the repository at `path`. */
export function backBy(repository: FakeRepository, path: string): void {
  const run = (...args: string[]): string => {
    try {
      return execFileSync('git', args, {
        cwd: path,
        env: hermeticEnv,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    } catch {
      return ''
    }
  }
  const log = (from: string, most: number): FakeCommit[] =>
    run('log', '--first-parent', `--max-count=${most}`, `--format=${FORMAT}`, from, '--')
      .split('\x1e')
      .map((one) => one.trim().split('\x1f'))
      .filter((parts) => parts.length === 5)
      .map(([sha = '', parents = '', author = '', date = '', message = '']) => ({
        sha,
        parents: parents.split(' ').filter(Boolean),
        author,
        date,
        message,
      }))
  // A commit never changes, and starting a process from one that contains a whole service takes ten milliseconds.
  const known = new Map<string, FakeCommit[]>()
  const logOf = (sha: string, most: number): FakeCommit[] => {
    const key = `${sha} ${most}`
    const found = known.get(key) ?? log(sha, most)
    if (found.length > 0) known.set(key, found)
    return found
  }
  const headOf = (branch: string): string | undefined => headIn(path, `refs/heads/${branch}`)
  repository.commits = { log: (from, most) => logOf(headOf(from) ?? from, most), find: (sha) => logOf(sha, 1)[0] }
  repository.branches.get = (name) => {
    const sha = headOf(name)
    return sha === undefined ? undefined : { sha }
  }
  repository.branches.has = (name) => headOf(name) !== undefined
}

/** Reads the commit of a ref from the files of a repository. */
function headIn(path: string, ref: string): string | undefined {
  const loose = textOf(join(path, ref)).trim()
  if (loose !== '') return loose
  const line = textOf(join(path, 'packed-refs'))
    .split('\n')
    .find((one) => one.endsWith(` ${ref}`))
  return line?.slice(0, 40)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The file does not exist, or a folder has this name.
    return ''
  }
}

/** Merges a pull request as hosts do. */
export async function mergePull(
  repository: FakeRepository,
  path: string,
  pull: FakePull,
  method: MergeMethod,
): Promise<void> {
  const own = repository.commitsOf(pull)
  await inClone(path, async (dir) => {
    // Hosts put an added file where its branch has it, also if the base branch moved the folder.
    await git(dir, ['config', 'merge.directoryRenames', 'false'])
    await git(dir, ['checkout', '--quiet', pull.base])
    if (method === 'merge')
      await git(dir, ['merge', '--quiet', '--no-ff', '-m', `Merge pull request #${pull.number}`, `origin/${pull.head}`])
    if (method === 'squash') {
      await git(dir, ['merge', '--quiet', '--squash', `origin/${pull.head}`])
      await git(dir, ['commit', '--quiet', '-m', `${pull.title} (#${pull.number})`])
    }
    if (method === 'rebase') {
      await git(dir, ['checkout', '--quiet', '-b', 'rebased', `origin/${pull.head}`])
      await git(dir, ['rebase', '--quiet', '--force-rebase', `origin/${pull.base}`])
    }
    await git(dir, ['push', '--quiet', 'origin', `HEAD:refs/heads/${pull.base}`])
  })
  const tip = await git(path, ['rev-parse', `refs/heads/${pull.base}`])
  Object.assign(pull, {
    state: 'merged',
    commits: own,
    mergedAt: '2026-05-02T10:00:00Z',
    [method === 'merge' ? 'merge' : 'squash']: tip.trim(),
  })
}

/** Works in a temporary clone. */
async function inClone(path: string, work: (dir: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'bindery-clone-'))
  try {
    await git(dir, ['clone', '--quiet', path, '.'])
    await work(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
