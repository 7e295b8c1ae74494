/** Reads bare repositories, and works in a clone as people do. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { git, gitBytes } from '../../support/hermetic-git.js'
import { linesOf, type Lines } from './pages.js'

/** A tree in the form that the story uses. */
export interface Snapshot {
  files: ReadonlyMap<string, string>
  lines: Lines
  /** Path and blob of every file: equal for equal trees. */
  tree: string
}

export const EMPTY: Snapshot = { files: new Map(), lines: new Map(), tree: '' }
const MAX_CACHED = 200
const MAX_HISTORY = 1000

/** A bare repository whose refs and trees are read. */
export class Bare {
  readonly #trees = new Map<string, Snapshot>()
  readonly #blobs = new Map<string, string>()
  #history = { head: '', commits: new Set<string>() }

  constructor(readonly path: string) {}

  git(...args: string[]): Promise<string> {
    return git(this.path, args)
  }

  /** Branches and their heads. The files are read directly, because the story reads them several times per step. */
  async heads(): Promise<Map<string, string>> {
    const packed = await readFile(join(this.path, 'packed-refs'), 'utf8').catch(() => '')
    const lines = packed.split('\n').map((line) => /^([0-9a-f]{40}) refs\/heads\/(.+)$/.exec(line))
    const heads = new Map(lines.flatMap((found) => (found ? [[found[2] as string, found[1] as string]] : [])))
    const folder = join(this.path, 'refs/heads')
    for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
      const commit = (await readFile(join(folder, name), 'utf8').catch(() => '')).trim()
      if (/^[0-9a-f]{40}$/.test(commit)) heads.set(name, commit)
    }
    return heads
  }

  /** Whether a commit is one of the newest in the history of a head. */
  async contains(head: string, commit: string): Promise<boolean> {
    if (this.#history.head !== head) {
      const commits = (await this.git('rev-list', `--max-count=${MAX_HISTORY}`, head)).split('\n')
      this.#history = { head, commits: new Set(commits) }
    }
    return this.#history.commits.has(commit)
  }

  async at(commit: string): Promise<Snapshot> {
    const cached = this.#trees.get(commit)
    if (cached) return cached
    const entries = (await this.git('ls-tree', '-r', commit)).split('\n').filter((line) => line !== '')
    const files = entries.map((line) => ({
      path: line.slice(line.indexOf('\t') + 1),
      blob: line.split(/[ \t]/)[2] as string,
    }))
    await this.#read(files.map(({ blob }) => blob).filter((blob) => !this.#blobs.has(blob)))
    const texts = new Map(files.map(({ path, blob }) => [path, this.#blobs.get(blob) as string]))
    const snapshot = { files: texts, lines: linesOf(texts), tree: entries.join('\n') }
    if (this.#trees.size >= MAX_CACHED) this.#trees.clear()
    this.#trees.set(commit, snapshot)
    return snapshot
  }

  async #read(blobs: readonly string[]): Promise<void> {
    if (blobs.length === 0) return
    if (this.#blobs.size > MAX_CACHED * 50) this.#blobs.clear()
    const read = await gitBytes(this.path, ['cat-file', '--batch'], blobs.map((blob) => `${blob}\n`).join(''))
    let at = 0
    for (const blob of blobs) {
      const start = read.indexOf('\n', at) + 1
      const size = Number(read.toString('latin1', at, start).trim().split(' ')[2])
      this.#blobs.set(blob, read.toString('utf8', start, start + size))
      at = start + size + 1
    }
  }
}

/** A clone of the remote in which people commit. Its dates depend only on the number of commands. */
export class Clone {
  #seconds = 1_700_000_000

  constructor(readonly dir: string) {}

  git = (...args: string[]): Promise<string> => {
    const date = `${++this.#seconds} +0000`
    return git(this.dir, args, undefined, { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date })
  }

  /**
   * Checks out a branch of the remote, runs `work`, and pushes its commits. If a command fails (a conflict, or nothing
   * to commit), nothing is pushed.
   * @returns whether it pushed
   */
  async on(branch: string, work: (run: Clone['git']) => Promise<void>): Promise<boolean> {
    await this.git('fetch', '--quiet', '--prune', 'origin')
    await this.git('checkout', '--quiet', '--force', '--detach', `origin/${branch}`)
    await this.git('clean', '--quiet', '-fd')
    const before = await this.git('rev-parse', 'HEAD')
    try {
      await work(this.git)
    } catch (error) {
      if (!/^git (merge|revert|cherry-pick|rebase|commit)\b/.test((error as Error).message)) throw error
      await Promise.all(
        ['MERGE_HEAD', 'REVERT_HEAD', 'CHERRY_PICK_HEAD'].map((ref) => this.git('update-ref', '-d', ref)),
      )
      await this.git('rebase', '--quit').catch(() => '')
      await this.git('reset', '--quiet', '--hard', before)
      return false
    }
    if ((await this.git('rev-parse', 'HEAD')) === before) return false
    await this.git('push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`)
    return true
  }
}
