/**
 * Records the files of a folder, such as the working tree of a team's repository, as a tree of a repository of the
 * service. The folder and its `.git` are only read: the index is a file next to the service's repository.
 */
import { spawn } from 'node:child_process'
import { lstat, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { MAX_PATH_BYTES } from '../../kernel/file-names.js'
import type { TreeId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import { GitError } from '../errors.js'
import { gitOptions, hermeticEnvironment } from '../process/environment.js'

/** Maximum duration of one Git command in milliseconds. */
const MAX_COMMAND_MS = 120_000
/** Maximum size of a list of file names in bytes. */
const MAX_LIST_BYTES = 256 * 1024 * 1024
/** Options of `git ls-files` for the files that `git add --all` would include. */
const FILES = ['--cached', '--others', '--exclude-standard']
/** The placeholder commit for a submodule. Its files belong to another repository, so its real commit is not needed. */
const SOME_COMMIT = '1'.repeat(40)

/** Limits of a folder. They are those of an import. */
export interface TreeLimits {
  maxFiles: number
  maxFolderEntries: number
  maxBlobBytes: number
  maxBytes: number
}

/** A recorded folder. */
export interface RecordedTree {
  tree: TreeId
  /** Sentences about files that are left out. */
  leftOut: string[]
}

/** A listed file, or a submodule. */
interface Listed {
  files: string[]
  submodules: string[]
  leftOut: string[]
}

/** One folder, recorded again after each change. */
export class WorkingTree {
  #before: ReadonlySet<string> = new Set()

  private constructor(
    /** The folder, without symbolic links. */
    readonly folder: string,
    /** The root of the Git repository that contains the folder; null if there is none. */
    readonly root: string | null,
    private readonly scratch: string,
    private readonly index: string,
    private readonly limits: TreeLimits,
  ) {}

  /**
   * Opens a folder.
   * @param scratch the bare repository of the service that receives the objects
   * @param index path of an index file that does not exist yet
   */
  static async open(folder: string, scratch: string, index: string, limits: TreeLimits): Promise<WorkingTree> {
    const real = await realpath(folder)
    const found = await run(real, ['rev-parse', '--show-toplevel'], readOnly).catch(() => null)
    const root = found === null ? null : await realpath(found.toString().replace(/\n$/, '')).catch(() => null)
    const tree = new WorkingTree(real, root, scratch, index, limits)
    // If the repository ignores the folder, its ignore rules do not apply.
    if (root === null || (await tree.#list(FILES)).size > 0) return tree
    return new WorkingTree(real, null, scratch, index, limits)
  }

  /** Returns the ignored files and folders, for a watcher: paths below the folder, folders with a trailing slash. */
  async ignored(): Promise<Set<string>> {
    return this.#list(['--others', '--ignored', '--exclude-standard', '--directory'])
  }

  /** Writes the current files as a tree. Throws `GitError` if they exceed a limit or cannot be read. */
  async record(): Promise<RecordedTree> {
    const { files, submodules, leftOut } = await this.#listed()
    const names = new Set([...files, ...submodules])
    // A path that is no longer listed may still exist if it is now ignored.
    if ([...this.#before].some((path) => !names.has(path))) await rm(this.index, { force: true })
    await this.#run(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], joined(files))
    if (submodules.length > 0)
      await this.#run(
        ['update-index', '--add', '--replace', '-z', '--index-info'],
        joined(submodules.map((path) => `160000 ${SOME_COMMIT} 0\t${path}`)),
      )
    this.#before = names
    return { tree: (await this.#run(['write-tree', '--missing-ok'])).toString().trim() as TreeId, leftOut }
  }

  async #listed(): Promise<Listed> {
    const found: Listed = { files: [], submodules: [], leftOut: [] }
    const entries = new Map<string, number>()
    const slices = new Slices()
    let bytes = 0
    for (const path of await this.#list(FILES)) {
      if (slices.due) await slices.rest()
      if (path.endsWith('/')) {
        found.leftOut.push(`${path} is left out: it is another Git repository.`)
        continue
      }
      if (path.includes('\ufffd') || Buffer.byteLength(path) > MAX_PATH_BYTES) {
        found.leftOut.push(`${path.slice(0, 200)} is left out: its name is too long or not UTF-8.`)
        continue
      }
      const stats = await lstat(join(this.folder, path)).catch(() => null)
      if (stats?.isDirectory()) found.submodules.push(path)
      if (!stats?.isFile() && !stats?.isSymbolicLink()) continue
      if (stats.size > this.limits.maxBlobBytes) {
        found.leftOut.push(`${path} is left out: it has more than ${this.limits.maxBlobBytes} bytes.`)
        continue
      }
      found.files.push(path)
      bytes += stats.size
      this.#check(path, bytes, found.files.length, entries)
    }
    return found
  }

  /** Throws `GitError` if the files so far exceed a limit. */
  #check(path: string, bytes: number, files: number, entries: Map<string, number>): void {
    const { maxFiles, maxFolderEntries, maxBytes } = this.limits
    if (files > maxFiles)
      throw new GitError(`${this.folder} has more than ${maxFiles} files. Choose a smaller folder, or ignore files.`)
    if (bytes > maxBytes)
      throw new GitError(`${this.folder} has more than ${maxBytes} bytes. Choose a smaller folder, or ignore files.`)
    const above = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    const count = (entries.get(above) ?? 0) + 1
    entries.set(above, count)
    if (count > maxFolderEntries)
      throw new GitError(
        `The folder ${above === '' ? this.folder : above} has more than ${maxFolderEntries} files. Divide it into smaller folders.`,
      )
  }

  async #list(what: readonly string[]): Promise<Set<string>> {
    const env = this.root === null ? this.#ownEnvironment() : readOnly
    const listed = await run(this.folder, ['ls-files', '-z', ...what], env)
    return new Set(
      listed
        .toString()
        .split('\0')
        .filter((path) => path !== ''),
    )
  }

  #run(args: readonly string[], input?: Buffer): Promise<Buffer> {
    return run(this.folder, args, this.#ownEnvironment(), input)
  }

  #ownEnvironment(): NodeJS.ProcessEnv {
    return { ...readOnly, GIT_DIR: this.scratch, GIT_WORK_TREE: this.folder, GIT_INDEX_FILE: this.index }
  }
}

const joined = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\0`).join(''))

/** The environment for commands that read the team's repository. */
const readOnly: NodeJS.ProcessEnv = hermeticEnvironment('/nonexistent')

/** The configuration of the team's repository must not start programs. The objects need not survive a power cut. */
const OPTIONS = [
  ...gitOptions.filter((option) => option !== '--git-dir=.'),
  ...['core.fsmonitor=false', 'core.untrackedCache=false', 'core.autocrlf=false', 'core.safecrlf=false'].flatMap(
    (setting) => ['-c', setting],
  ),
  ...['-c', 'core.fsync=none', '-c', 'core.precomposeUnicode=true'],
]

/** Runs a Git command and returns its output. Throws `GitError`. */
async function run(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv, input?: Buffer): Promise<Buffer> {
  const child = spawn('git', [...OPTIONS, ...args], { cwd, env, timeout: MAX_COMMAND_MS, killSignal: 'SIGKILL' })
  const ended = new Promise<number | null>((done, failed) => child.once('close', done).once('error', failed))
  // A command that fails early does not read its input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  let length = 0
  child.stdout.on('data', (piece: Buffer) => {
    length += piece.length
    if (length > MAX_LIST_BYTES) child.kill('SIGKILL')
  })
  const outputs = Promise.all([buffer(child.stdout), text(child.stderr)])
  const code = await ended.catch((cause: Error) => {
    throw new GitError(`git cannot be started: ${cause.message}. Install Git.`, { cause })
  })
  const [stdout, stderr] = await outputs
  if (code !== 0) throw new GitError(`git ${args[0]} failed in ${cwd}: ${stderr.trim() || 'it was stopped'}`)
  return stdout
}
