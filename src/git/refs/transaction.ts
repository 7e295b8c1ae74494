/** Sets refs without a Git process, by Git's own protocol: lock file, comparison, rename. */
import { appendFileSync, closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { GitError } from '../errors.js'
import { type Disk, errorCode } from '../objects/disk.js'
import type { RefMove } from '../types.js'
import type { RefReader } from './reader.js'

const ZERO = '0'.repeat(40)
const COMMITTER = 'Bindery <bindery@localhost>'
/** Lock files that are open and synced at a time. */
const TOGETHER = 64
const LOGGED = /^(?:HEAD$|refs\/(?:heads|remotes|notes)\/)/

/** What is to be done is left to Git: nothing was changed. */
export class LeftToGit extends GitError {}
/** Another process holds a lock. */
class LockHeld extends GitError {}

/** A move that gives a ref a value. */
export type SettingMove = RefMove & { to: string }

/** Whether moves only give refs a value that they do not have. Deletions write packed-refs again: they are Git's. */
export const areSettings = (moves: readonly RefMove[]): moves is SettingMove[] =>
  moves.every(({ from, to }) => to !== null && to !== from)

/**
 * One transaction on the refs of a repository, as git-update-ref(1) makes it: all lock files first, each with its new value, synced;
 * then the comparison, which nobody can invalidate while the locks are held; the reflogs; and each lock file renamed to its ref. The
 * caller syncs the folders. What is unusual is left to Git.
 */
export class RefTransaction {
  readonly #moves: SettingMove[]
  /** Lock files that exist and are ours. */
  #locks: string[] = []
  #config = ''
  /** The ref that HEAD names. */
  #head = ''

  constructor(
    readonly repository: string,
    readonly disk: Disk,
    readonly reader: RefReader,
    moves: readonly SettingMove[],
  ) {
    this.#moves = [...moves].sort((a, b) => (a.ref < b.ref ? -1 : 1))
  }

  /** Takes the locks. Throws `LockHeld`, and `LeftToGit` for what is done better by Git; then no lock is left. */
  async lock(): Promise<void> {
    this.#config = readFileSync(join(this.repository, 'config'), 'utf8')
    if (/sharedrepository|refstorage|\binclude/i.test(this.#config))
      throw new LeftToGit('the repository has settings of its own')
    try {
      for (let at = 0; at < this.#moves.length; at += TOGETHER)
        await this.#takeAll(this.#moves.slice(at, at + TOGETHER))
      for (const move of this.#moves) this.#mustBePlain(move)
      this.#mustNotHoldHead()
    } catch (error) {
      await this.release()
      throw error
    }
  }

  /**
   * Git takes the lock of HEAD too when the branch that it names moves, so that nobody writes its reflog anew meanwhile. That reflog gets its line at
   * once, in one call, so here it is enough that nobody holds the lock.
   */
  #mustNotHoldHead(): void {
    this.#head = /^ref: (.*)/.exec(readFileSync(join(this.repository, 'HEAD'), 'utf8'))?.[1] ?? ''
    const lock = join(this.repository, 'HEAD.lock')
    if (this.#moves.some(({ ref }) => ref === this.#head) && existsSync(lock)) throw new LockHeld(`${lock} exists`)
  }

  /** Removes the locks that are left. */
  async release(): Promise<void> {
    for (const path of this.#locks.splice(0)) await this.disk.unlink(path).catch(() => {})
  }

  /** Makes the moves. Between two of them it may fail, as Git may. */
  async commit(reason: string): Promise<void> {
    try {
      this.#writeLogs(reason)
      for (const { ref } of this.#moves) {
        const path = join(this.repository, ref)
        await this.disk.rename(`${path}.lock`, path)
        this.#locks = this.#locks.filter((lock) => lock !== `${path}.lock`)
      }
    } finally {
      await this.release()
    }
  }

  /** Makes the lock files of moves, then syncs all of them at the same time: the file system writes its journal once for them. */
  async #takeAll(moves: readonly SettingMove[]): Promise<void> {
    const files: number[] = []
    try {
      for (const { ref, to } of moves) files.push(await this.#take(ref, `${to}\n`))
      // No file is closed while another one is still synced.
      const failed = (await Promise.allSettled(files.map((file) => this.disk.fsync(file)))).find(
        ({ status }) => status === 'rejected',
      )
      if (failed) throw (failed as PromiseRejectedResult).reason
    } finally {
      for (const file of files) await this.disk.close(file)
    }
  }

  /** Makes the lock file of a ref and writes its content. Returns its descriptor, which the caller closes. */
  async #take(ref: string, content: string): Promise<number> {
    const path = join(this.repository, `${ref}.lock`)
    const file = await this.#create(path, ref)
    this.#locks.push(path)
    try {
      await this.disk.write(file, Buffer.from(content))
      return file
    } catch (error) {
      await this.disk.close(file)
      throw error
    }
  }

  async #create(path: string, ref: string): Promise<number> {
    // Whoever deletes the last ref of a folder may remove the folder in between.
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.disk.open(path, 'wx', 0o644)
      } catch (error) {
        if (errorCode(error) === 'EEXIST') throw new LockHeld(`${path} exists`, { cause: error })
        if (errorCode(error) !== 'ENOENT' || attempt > 3)
          throw new LeftToGit(`${path} cannot be made`, { cause: error })
      }
      await this.#makeFolders(dirname(ref))
    }
  }

  async #makeFolders(folder: string): Promise<void> {
    const parts = folder.split('/')
    for (let depth = 2; depth <= parts.length; depth++)
      await this.disk.mkdir(join(this.repository, ...parts.slice(0, depth))).catch((cause: unknown) => {
        throw new LeftToGit(`${folder} cannot be made`, { cause })
      })
  }

  /** Throws `LeftToGit` if a ref is symbolic, or if a folder or another ref is where it would be. */
  #mustBePlain({ ref, from }: SettingMove): void {
    const there = lstatSync(join(this.repository, ref), { throwIfNoEntry: false })
    if (there && (!there.isFile() || this.reader.isSymbolic(ref))) throw new LeftToGit(`${ref} is not a plain ref`)
    if (from === null && this.reader.collides(ref)) throw new LeftToGit(`${ref} is also the folder of another ref`)
  }

  /** Reflogs, by the rules of `core.logAllRefUpdates` for a bare repository. Git does not sync them either. */
  #writeLogs(reason: string): void {
    const setting = /^\s*logallrefupdates\s*(?:=\s*(\w+))?/im.exec(this.#config)
    const wanted = setting ? (setting[1] ?? 'true').toLowerCase() : 'false'
    for (const { ref, from, to } of this.#moves) {
      const line = `${from ?? ZERO} ${to} ${COMMITTER} ${Math.floor(Date.now() / 1000)} +0000\tbindery: ${reason}\n`
      for (const name of ref === this.#head ? [ref, 'HEAD'] : [ref]) this.#writeLog(name, line, wanted)
    }
  }

  #writeLog(name: string, line: string, wanted: string): void {
    const path = join(this.repository, 'logs', name)
    const made = wanted === 'always' || (['true', 'yes', 'on', '1'].includes(wanted) && LOGGED.test(name))
    try {
      if (appendIfThere(path, line) || !made) return
      mkdirSync(dirname(path), { recursive: true })
      appendFileSync(path, line)
    } catch (cause) {
      throw new LeftToGit(`${path} cannot be written`, { cause })
    }
  }
}

/** Appends to a file. Returns false if there is none. */
function appendIfThere(path: string, text: string): boolean {
  let file: number
  try {
    file = openSync(path, constants.O_WRONLY | constants.O_APPEND)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return false
  }
  try {
    appendFileSync(file, text)
  } finally {
    closeSync(file)
  }
  return true
}
