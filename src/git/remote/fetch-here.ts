/** Fetches a ref over HTTP without a Git process but the one that checks the pack. Whatever is not plainly well is left to Git, which also explains it. */
import { resolve } from 'node:path'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { GitError, RemoteError } from '../errors.js'
import type { FetchLimits } from '../types.js'
import type { Connection, HttpSession, LocalRepository } from './connection.js'
import { LeftToGit } from './http/left-to-git.js'
import { headOf, packOf, requireVersion2 } from './http/protocol.js'
import { type PackIndexing, startIndexPack } from './index-pack.js'
import { openQuarantine, type Quarantine } from './quarantine.js'
import { type GitRun, type GitSetting, withEnv } from './run.js'
import { maxUnpackMs, tooCostly } from './unpacking.js'

/** Git does not accept the pack. */
export class PackRefused extends GitError {
  constructor(readonly run: GitRun) {
    super('git index-pack does not accept the pack')
  }
}

/** A fetch that failed after so many bytes of a pack is not begun again by Git. */
const FINAL_BYTES = 1024 * 1024
/** Bytes that arrive between two notes of how many they are. */
const NOTED_BYTES = 1024 * 1024

/** What a fetch brought. */
export interface Arrived {
  head: CommitId
  /** Holds what arrived; the caller removes it. Null: nothing is new. */
  quarantine: Quarantine | null
  /** Whether it is known that all the head contains is there, in the quarantine or the repository. */
  whole: boolean
}

interface Order {
  local: LocalRepository
  ref: RefName
  limits: FetchLimits
  /** The error for a remote that sends too much. */
  tooLarge: () => RemoteError
}

/**
 * Fetches into a new quarantine. Returns null if Git has to do it. Throws `PackRefused`, and `RemoteError` 'too-large', 'timeout', 'cancelled',
 * 'unreachable'.
 */
export async function fetchHere(connection: Connection, order: Order): Promise<Arrived | null> {
  const { known, unrelated, timeoutMs } = order.limits
  // Without a commit that both have, Git finds out what is common.
  if (known === undefined && !unrelated) return null
  try {
    const session = connection.openHttp(timeoutMs)
    return session && (await fetchIn(session, new Arrival(connection.git, order, session)))
  } catch (error) {
    if (error instanceof LeftToGit) return null
    throw error
  }
}

async function fetchIn(session: HttpSession, arrival: Arrival): Promise<Arrived> {
  try {
    return await arrival.receive()
  } catch (error) {
    await arrival.discard()
    session.requireOpen()
    if (!(error instanceof LeftToGit)) throw error
    const { spoken, address } = session.http.place
    spoken.forget(address.url)
    if (arrival.received <= FINAL_BYTES) throw error
    throw new RemoteError('unreachable', 'The connection to the remote broke off; try again later.', { cause: error })
  } finally {
    session.close()
  }
}

/** A fetch under way. */
class Arrival {
  received = 0
  #quarantine: Promise<Quarantine> | null = null
  #indexing: Promise<PackIndexing> | null = null

  constructor(
    readonly git: GitSetting,
    readonly order: Order,
    readonly session: HttpSession,
  ) {}

  async receive(): Promise<Arrived> {
    const { local, ref, limits } = this.order
    const { http } = this.session
    await requireVersion2(http)
    const head = await headOf(http, ref)
    if (head === limits.known) return { head, quarantine: null, whole: true }
    // The process starts while the remote makes the pack.
    const opening = openQuarantine(resolve(local.path))
    this.#quarantine = opening
    this.#indexing = opening.then(({ env }) => startIndexPack(withEnv(this.git, env), this.session.signal))
    this.#indexing.catch(() => {})
    for await (const piece of packOf(http, head, limits.known ?? null)) await this.#take(piece)
    const code = await this.#indexed()
    const quarantine = await opening
    if ((await quarantine.bytes()) > limits.maxPackBytes) throw this.order.tooLarge()
    return { head, quarantine, whole: code === 0 }
  }

  async #take(piece: Buffer): Promise<void> {
    const { limits, tooLarge } = this.order
    const before = this.received
    this.received += piece.length
    if (this.received > limits.maxPackBytes) throw tooLarge()
    if (Math.floor(before / NOTED_BYTES) !== Math.floor(this.received / NOTED_BYTES)) limits.received?.(this.received)
    const indexing = await (this.#indexing as Promise<PackIndexing>)
    // It ends early for an object that it refuses.
    if (!(await indexing.write(piece))) await this.#indexed()
  }

  /** Waits for the end of the process; returns its exit code. Throws `PackRefused`, `RemoteError` 'too-large'. */
  async #indexed(): Promise<0 | 1> {
    const indexing = await (this.#indexing as Promise<PackIndexing>)
    const limitMs = maxUnpackMs(this.received)
    let late = false
    const timer = setTimeout(() => {
      late = true
      void indexing.kill()
    }, limitMs)
    const run = await indexing.end().finally(() => clearTimeout(timer))
    if (late) throw tooCostly(`${Math.ceil(limitMs / 1000)} s`, 'what the remote sent')
    this.session.requireOpen()
    if (run.code !== 0 && run.code !== 1) throw new PackRefused(run)
    return run.code
  }

  /** Ends the process, and deletes what arrived. */
  async discard(): Promise<void> {
    const indexing = await this.#indexing?.catch(() => null)
    await indexing?.kill()
    const quarantine = await this.#quarantine?.catch(() => null)
    await quarantine?.remove()
  }
}
