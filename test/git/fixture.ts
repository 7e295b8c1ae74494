import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type FileChange,
  type Git,
  type OpenOptions,
  openGit,
  type Repository,
  type WriteInput,
} from '../../src/git/index.js'
import { type Disk, disk } from '../../src/git/objects/disk.js'
import type { CommitId, RefName } from '../../src/kernel/ids.js'

export const MAIN = 'refs/heads/main' as RefName
export const person = { name: 'Ada Lovelace', email: 'ada@example.org', seconds: 1_700_000_000, offset: 60 }

export interface Place {
  dir: string
  git: Git
}

/** A service's repositories in a temporary folder. */
export async function makePlace(options: Partial<OpenOptions> = {}): Promise<Place> {
  const dir = mkdtempSync(join(tmpdir(), 'bindery-test-git-'))
  return { dir, git: await openAt(dir, options) }
}

/** The repositories of a folder, even if they are already open. */
export const openAt = (dir: string, options: Partial<OpenOptions> = {}): Promise<Git> =>
  openGit({ reposDir: dir, shared: true, maxBlobBytes: 4 * 1024 * 1024, ...options })

export async function clear(place: Place): Promise<void> {
  await place.git.close()
  rmSync(place.dir, { recursive: true, force: true })
}

/**
 * Returns the IDs of processes that run in a repository and whose command lines contain `word`. Others may end during
 * the search.
 */
export function processesOf(repository: { path: string }, word: string): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,args=']).toString().split('\n')
  return lines.flatMap((line) => {
    const pid = Number(line.trim().split(' ')[0])
    try {
      return line.includes(word) && readlinkSync(`/proc/${pid}/cwd`) === repository.path ? [pid] : []
    } catch {
      return []
    }
  })
}

/** Runs Git as an admin does in the repository. */
export function admin(repository: { path: string }, args: readonly string[], input?: string | Buffer): string {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' }
  const identity = {
    GIT_AUTHOR_NAME: 'Admin',
    GIT_AUTHOR_EMAIL: 'admin@example.org',
    GIT_COMMITTER_NAME: 'Admin',
    GIT_COMMITTER_EMAIL: 'admin@example.org',
  }
  return execFileSync('git', args, {
    cwd: repository.path,
    env: { ...env, ...identity },
    stdio: ['pipe', 'pipe', 'pipe'],
    maxBuffer: 2 ** 28,
    ...(input === undefined ? {} : { input }),
  })
    .toString()
    .replace(/\n$/, '')
}

/** Turns each object of the packs into a loose file, except those in `left`. */
export function unpack(repository: { path: string }, left: readonly string[] = []): void {
  const folder = join(repository.path, 'objects/pack')
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.pack') && !left.includes(one))) {
    const pack = readFileSync(join(folder, name))
    for (const one of [name, name.replace(/pack$/, 'idx')]) unlinkSync(join(folder, one))
    admin(repository, ['unpack-objects', '-q'], pack)
  }
}

/** Returns the files that protect packs from a repack. */
export const keepsOf = (repository: { path: string }): string[] =>
  readdirSync(join(repository.path, 'objects/pack')).filter((name) => name.endsWith('.keep'))

/** Resolves when no pack is protected any more. */
export async function unprotected(repository: { path: string }): Promise<void> {
  while (keepsOf(repository).length > 0) await sleep(5)
}

/** Changes that put texts at paths. */
export const files = (texts: Record<string, string | Uint8Array | null>): FileChange[] =>
  Object.entries(texts).map(([path, text]) =>
    text === null ? { path, delete: true } : { path, content: typeof text === 'string' ? Buffer.from(text) : text },
  )

/** Makes a commit of `texts` on `parents`. */
export const commit = (
  repository: Repository,
  parents: readonly CommitId[],
  texts: Record<string, string | Uint8Array | null>,
  more: Partial<WriteInput> = {},
): Promise<CommitId> =>
  repository.objects.write({
    parents,
    changes: files(texts),
    message: 'Edit',
    author: person,
    committer: person,
    ...more,
  })

/**
 * The disk, with an admin who collects garbage in a repository whenever a file of a pack gets its name: between the
 * two files, and after both.
 */
export function repackedMeanwhile(): { disk: Disk; repacks: number } {
  const repacked = { repacks: 0, disk: { ...disk, rename } }
  async function rename(from: string, to: string): Promise<void> {
    await disk.rename(from, to)
    const [, path] = /^(.+)\/objects\/pack\/.+\.(?:pack|idx)$/.exec(to) ?? []
    if (path === undefined) return
    repacked.repacks++
    admin({ path }, ['gc', '--quiet'])
  }
  return repacked
}
