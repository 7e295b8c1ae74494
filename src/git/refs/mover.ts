/** Moves refs by compare-and-swap, as `git update-ref` does. This is the commit point of every write. */
import { errorCode } from '../../kernel/thrown.js'
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isOid } from '../../kernel/ids.js'
import { Sequence } from '../../kernel/turns.js'
import { GitError, RefLocked, StaleRef } from '../errors.js'
import { type Disk, syncPath } from '../objects/disk.js'
import { ConversationLost, type Reader } from '../process/conversation.js'
import type { Pool, Service } from '../process/pool.js'
import type { RefMove } from '../types.js'
import { MoveIntent } from './intent.js'
import { locksInTheWay } from './locks.js'
import { requireRefName } from './name.js'
import type { RefReader } from './reader.js'
import { areSettings, LeftToGit, RefTransaction, type SettingMove } from './transaction.js'

const ZERO = '0'.repeat(40)
const PATIENCE_MS = 2000
/** Maximum number of consecutive attempts that may fail without a blocking lock. */
const UNLOCKED_ATTEMPTS = 4
const MAX_FOLDERS = 32
/** Maximum time without output of `update-ref`, which only waits for the disk, in milliseconds. */
const SILENCE_MS = 30_000

/**
 * Returns the first words of a reason for the reflog. `update-ref` takes its message as an argument, for all moves of
 * the process.
 */
const verbOf = (reason: string): string => /^[a-z][a-z -]{0,60}/i.exec(reason)?.[0].trim() ?? 'move'

function service(verb: string): Service {
  return {
    name: `update-ref ${verb}`,
    args: ['update-ref', '-m', `bindery: ${verb}`, '--stdin'],
    silenceMs: SILENCE_MS,
  }
}

const expectLine =
  (line: string): Reader<void> =>
  (bytes) => {
    if (bytes.length < line.length) return { need: line.length }
    const said = bytes.toString('latin1', 0, line.length)
    return said === line
      ? { used: line.length, answer: undefined }
      : { used: bytes.length, refuse: new GitError(`unexpected output of git update-ref: ${JSON.stringify(said)}`) }
  }
const PREPARED = expectLine('start: ok\nprepare: ok\n')
const COMMITTED = expectLine('commit: ok\n')
const ABORTED = expectLine('abort: ok\n')

function instruction({ ref, from, to }: RefMove): string {
  if (to !== null) return `update ${ref} ${to} ${from ?? ZERO}\n`
  return `${from === null ? 'verify' : 'delete'} ${ref} ${from ?? ZERO}\n`
}

const namesOf = (moves: readonly RefMove[]): string => moves.map(({ ref }) => ref).join(', ')

/**
 * Moves the refs of one repository, one transaction after another. Transactions that only set refs run in this process;
 * others use a long-lived `git update-ref --stdin`.
 */
export class RefMover {
  readonly #intent: MoveIntent
  readonly #turns = new Sequence()
  /** Identities of ref folders whose names and parent folders are durable, by folder. */
  // bound: MAX_FOLDERS
  readonly #rooted = new Map<string, string>()

  constructor(
    readonly repository: string,
    readonly pool: Pool,
    readonly reader: RefReader,
    readonly disk: Disk,
    /** Called with commits that refs now name. */
    readonly named: (commits: readonly string[]) => void,
  ) {
    this.#intent = new MoveIntent(repository)
  }

  /**
   * Makes all `moves` or none. They are durable when the promise resolves. Throws `StaleRef` if a ref is not at its
   * `from`, `RefLocked` if a lock stays for two seconds.
   */
  move(moves: readonly RefMove[], reason: string): Promise<void> {
    for (const { ref, from, to } of moves) {
      requireRefName(ref)
      if ((from !== null && !isOid(from)) || (to !== null && !isOid(to)))
        throw new GitError(`a move of ${ref} needs full commit IDs`)
    }
    return this.#turns.run(async () => {
      await this.#untilDone(moves, verbOf(reason))
      this.named(moves.flatMap(({ to }) => to ?? []))
    })
  }

  /** Runs work that packs refs while no move is in progress. If it is killed, the next start removes its leftovers. */
  packing<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(async () => {
      this.#intent.beginPacking()
      try {
        const result = await work()
        this.#intent.end()
        return result
      } catch (error) {
        this.#intent.abandon()
        throw error
      }
    })
  }

  /** Resolves when no move is in progress. */
  async idle(): Promise<void> {
    await this.#turns.idle()
  }

  /** Removes the locks of an earlier run that was killed. */
  recover(): void {
    this.#intent.recover()
  }

  async #untilDone(moves: readonly RefMove[], verb: string): Promise<void> {
    if (moves.length === 0) return
    let deadline = Date.now() + PATIENCE_MS
    let lost = false
    let unlocked = 0
    for (let attempt = 1; ; attempt++) {
      this.#mustBeFresh(moves)
      try {
        await this.#attempt(moves, verb)
        return await this.#sync(moves)
      } catch (error) {
        if (error instanceof StaleRef) throw error
        if (error instanceof ConversationLost && error.mayBeRunning)
          throw new GitError(
            `${namesOf(moves)} cannot be moved: a Git process hangs and cannot be killed. Restart the server`,
            {
              cause: error,
            },
          )
        // The process may have died after it committed.
        if (this.#isDone(moves)) return await this.#sync(moves)
        this.#mustBeFresh(moves)
        // A hanging process may have used up the time. The move did not happen, so it gets one more try.
        if (error instanceof ConversationLost && !lost) deadline = Date.now() + PATIENCE_MS
        lost ||= error instanceof ConversationLost
        const locks = locksInTheWay(this.repository, moves)
        const late = Date.now() > deadline
        if (late && locks.length > 0) throw new RefLocked(locks, { cause: error })
        // The obstacle may be gone by the time of this check.
        unlocked = locks.length > 0 ? 0 : unlocked + 1
        if (unlocked >= UNLOCKED_ATTEMPTS || (late && unlocked > 1))
          throw new GitError(`${namesOf(moves)} cannot be moved`, { cause: error })
        await sleep(Math.min(10 * attempt, 100) * (0.5 + Math.random()))
      }
    }
  }

  async #attempt(moves: readonly RefMove[], verb: string): Promise<void> {
    try {
      if (areSettings(moves)) return await this.#attemptHere(moves, verb)
    } catch (error) {
      if (!(error instanceof LeftToGit)) throw error
    }
    await this.#attemptByGit(moves, service(verb))
  }

  async #attemptHere(moves: readonly SettingMove[], verb: string): Promise<void> {
    const transaction = new RefTransaction(this.repository, this.disk, this.reader, moves)
    this.#intent.begin(moves)
    try {
      await transaction.lock()
      this.#mustBeFresh(moves)
      await transaction.commit(verb)
    } finally {
      await transaction.release()
      this.#intent.end()
    }
  }

  async #attemptByGit(moves: readonly RefMove[], asked: Service): Promise<void> {
    const lines = moves.map(instruction)
    this.#intent.begin(moves)
    try {
      await this.pool.ask(this.repository, asked, `start\n${lines.join('')}prepare\n`, PREPARED)
      // Read the refs again while Git holds the locks: Git may have read a packed-refs file that was just replaced.
      const stale = this.#findStale(moves)
      await this.pool.ask(this.repository, asked, stale ? 'abort\n' : 'commit\n', stale ? ABORTED : COMMITTED)
      this.#intent.end()
      if (stale) throw stale
    } catch (error) {
      // A process that fails removes its locks. A killed process does not.
      if (error instanceof ConversationLost && error.mayBeRunning) this.#intent.abandon()
      else if (error instanceof ConversationLost && error.killed) this.#intent.endKilled()
      else this.#intent.end()
      throw error
    }
  }

  #mustBeFresh(moves: readonly RefMove[]): void {
    const stale = this.#findStale(moves)
    if (stale) throw stale
  }

  #findStale(moves: readonly RefMove[]): StaleRef | null {
    for (const { ref, from } of moves) {
      const actual = this.reader.head(ref)
      if (actual !== from) return new StaleRef(ref, from, actual)
    }
    return null
  }

  #isDone(moves: readonly RefMove[]): boolean {
    return moves.every(({ ref, from, to }) => from !== to && this.reader.head(ref) === to)
  }

  /**
   * Syncs folders: Git syncs the files of refs, but not their folders. A deletion may also remove folders, and rewrites
   * packed-refs.
   */
  async #sync(moves: readonly RefMove[]): Promise<void> {
    const folders = new Set<string>()
    const rooted = new Map<string, string>()
    for (const { ref, from, to } of moves) {
      folders.add(dirname(ref))
      if (from !== null && to !== null) continue
      const which = this.#identityOf(dirname(ref))
      if (to !== null && which !== null && this.#rooted.get(dirname(ref)) === which) continue
      if (to !== null && which !== null) rooted.set(dirname(ref), which)
      for (let folder = dirname(ref); folder !== '.'; folder = dirname(folder)) folders.add(folder)
      folders.add('.')
    }
    await Promise.all(
      [...folders].map((folder) =>
        syncPath(this.disk, join(this.repository, folder)).catch((error: unknown) => {
          if (errorCode(error) !== 'ENOENT') throw error
        }),
      ),
    )
    if (this.#rooted.size + rooted.size > MAX_FOLDERS) this.#rooted.clear()
    for (const [folder, which] of rooted) this.#rooted.set(folder, which)
  }

  /**
   * Returns an identity that distinguishes a folder from a later folder with the same name. Null if there is none, or
   * the file system does not record creation times.
   */
  #identityOf(folder: string): string | null {
    const stat = statSync(join(this.repository, folder), { bigint: true, throwIfNoEntry: false })
    return stat && stat.birthtimeNs > 0n ? `${stat.ino} ${stat.birthtimeNs}` : null
  }
}
