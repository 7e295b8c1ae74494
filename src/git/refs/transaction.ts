/** Sets refs without a Git process, using Git's own protocol: lock file, comparison, rename. */
import { errorCode } from '../../kernel/thrown.js'
import { appendFileSync, closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { GitError } from '../errors.js'
import type { Disk } from '../objects/disk.js'
import type { RefMove } from '../types.js'
import type { RefReader } from './reader.js'

const ZERO = '0'.repeat(40)
const COMMITTER = 'Bindery <bindery@localhost>'
/** Maximum number of lock files that are open and synced at the same time. */
const TOGETHER = 64
const LOGGED = /^(?:HEAD$|refs\/(?:heads|remotes|notes)\/)/

/** The operation is left to Git. Nothing was changed. */
export class LeftToGit extends GitError {}
/** Another process holds a lock. */
class LockHeld extends GitError {}

/** A move that sets a ref to a value. */
export type SettingMove = RefMove & { to: string }

/** Whether all moves set refs to a new value. Deletions rewrite packed-refs, so they are left to Git. */
export const areSettings = (moves: readonly RefMove[]): moves is SettingMove[] =>
  moves.every(({ from, to }) => to !== null && to !== from)

/**
 * One transaction on the refs of a repository, with the steps of git-update-ref(1). It creates all lock files with the
 * new values and syncs them. It then compares the refs; while the locks are held, no process can invalidate the
 * comparison. Finally, it writes the reflogs, and renames each lock file to its ref. The caller syncs the folders.
 * Unusual cases are left to Git.
 */
export class RefTransaction {
  readonly #moves: SettingMove[]
  /** Existing lock files of this transaction. */
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

  /**
   * Takes the locks. Throws `LockHeld`, and `LeftToGit` for cases that Git handles better. On failure, no lock is left.
   */
  async lock(): Promise<void> {
    this.#config = readFileSync(join(this.repository, 'config'), 'utf8')
    if (/sharedrepository|refstorage|\binclude/i.test(this.#config))
      throw new LeftToGit('the repository has custom settings')
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
   * Throws `LockHeld` if another process locks HEAD. If the branch that HEAD names moves, Git also takes the lock of
   * HEAD, so that no other process rewrites its reflog. Here, the line is appended to that reflog in a single call, so
   * it is enough that the lock is free.
   */
  #mustNotHoldHead(): void {
    this.#head = /^ref: (.*)/.exec(readFileSync(join(this.repository, 'HEAD'), 'utf8'))?.[1] ?? ''
    const lock = join(this.repository, 'HEAD.lock')
    if (this.#moves.some(({ ref }) => ref === this.#head) && existsSync(lock)) throw new LockHeld(`${lock} exists`)
  }

  /** Removes the remaining locks. */
  async release(): Promise<void> {
    for (const path of this.#locks.splice(0)) await this.disk.unlink(path).catch(() => {})
  }

  /** Makes the moves. Like Git, it may fail between two of them. */
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

  /**
   * Creates the lock files of moves, then syncs all of them at the same time, so that the file system writes its
   * journal once.
   */
  async #takeAll(moves: readonly SettingMove[]): Promise<void> {
    const files: number[] = []
    try {
      for (const { ref, to } of moves) files.push(await this.#take(ref, `${to}\n`))
      // Do not close any file while another one is still being synced.
      const failed = (await Promise.allSettled(files.map((file) => this.disk.fsync(file)))).find(
        (sync): sync is PromiseRejectedResult => sync.status === 'rejected',
      )
      if (failed) throw failed.reason
    } finally {
      for (const file of files) await this.disk.close(file)
    }
  }

  /** Creates the lock file of a ref and writes its content. Returns its descriptor, which the caller closes. */
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
    // A process that deletes the last ref of a folder may remove the folder in between.
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.disk.open(path, 'wx', 0o644)
      } catch (error) {
        if (errorCode(error) === 'EEXIST') throw new LockHeld(`${path} exists`, { cause: error })
        if (errorCode(error) !== 'ENOENT' || attempt > 3) throw new LeftToGit(`cannot create ${path}`, { cause: error })
      }
      await this.#makeFolders(dirname(ref))
    }
  }

  async #makeFolders(folder: string): Promise<void> {
    const parts = folder.split('/')
    for (let depth = 2; depth <= parts.length; depth++)
      await this.disk.mkdir(join(this.repository, ...parts.slice(0, depth))).catch((cause: unknown) => {
        throw new LeftToGit(`cannot create ${folder}`, { cause })
      })
  }

  /** Throws `LeftToGit` if a ref is symbolic, or if a folder or another ref blocks its path. */
  #mustBePlain({ ref, from }: SettingMove): void {
    const there = lstatSync(join(this.repository, ref), { throwIfNoEntry: false })
    if (there && (!there.isFile() || this.reader.isSymbolic(ref))) throw new LeftToGit(`${ref} is not a plain ref`)
    if (from === null && this.reader.collides(ref)) throw new LeftToGit(`${ref} is also the folder of another ref`)
  }

  /** Writes reflogs according to `core.logAllRefUpdates` for a bare repository. Like Git, it does not sync them. */
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
      throw new LeftToGit(`cannot write ${path}`, { cause })
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
