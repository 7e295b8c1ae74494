/**
 * Fetches a ref over HTTP. The only Git process checks the pack. Any unusual case is left to Git, which also explains
 * errors.
 */
import { required } from '../../kernel/defined.js'
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

/** The error for a pack that Git rejects. */
export class PackRefused extends GitError {
  constructor(readonly run: GitRun) {
    super('git index-pack rejected the pack')
  }
}

/** Number of received pack bytes after which a failed fetch is not repeated by Git. */
const FINAL_BYTES = 1024 * 1024
/** Number of bytes between two progress reports. */
const NOTED_BYTES = 1024 * 1024

/** The result of a fetch. */
export interface ReceivedFetch {
  head: CommitId
  /** Contains the received objects; the caller removes it. Null: nothing is new. */
  quarantine: Quarantine | null
  /** Whether everything that the head needs is known to be in the quarantine or the repository. */
  whole: boolean
}

interface Order {
  local: LocalRepository
  ref: RefName
  limits: FetchLimits
  /** Returns the error for a remote that sends too much. */
  tooLarge: () => RemoteError
}

/**
 * Fetches into a new quarantine. Returns null if Git must do it. Throws `PackRefused`, and `RemoteError` 'too-large',
 * 'timeout', 'cancelled', 'unreachable'.
 */
export async function fetchHere(connection: Connection, order: Order): Promise<ReceivedFetch | null> {
  const { known, unrelated, timeoutMs } = order.limits
  // Without a known common commit, Git must negotiate.
  if (known === undefined && !unrelated) return null
  try {
    const session = connection.openHttp(timeoutMs)
    return session && (await fetchIn(session, new Arrival(connection.git, order, session)))
  } catch (error) {
    if (error instanceof LeftToGit) return null
    throw error
  }
}

async function fetchIn(session: HttpSession, arrival: Arrival): Promise<ReceivedFetch> {
  try {
    return await arrival.receive()
  } catch (error) {
    await arrival.discard()
    session.requireOpen()
    if (!(error instanceof LeftToGit)) throw error
    const { protocolVersions, address } = session.http.place
    protocolVersions.forget(address.url)
    if (arrival.received <= FINAL_BYTES) throw error
    throw new RemoteError('unreachable', 'The connection to the remote was interrupted. Try again later.', {
      cause: error,
    })
  } finally {
    session.close()
  }
}

/** A fetch in progress. */
class Arrival {
  received = 0
  #quarantine: Promise<Quarantine> | null = null
  #indexing: Promise<PackIndexing> | null = null

  constructor(
    readonly git: GitSetting,
    readonly order: Order,
    readonly session: HttpSession,
  ) {}

  async receive(): Promise<ReceivedFetch> {
    const { local, ref, limits } = this.order
    const { http } = this.session
    await requireVersion2(http)
    const head = await headOf(http, ref)
    if (head === limits.known) return { head, quarantine: null, whole: true }
    // Start the process while the remote prepares the pack.
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
    const indexing = await required(this.#indexing)
    // The process ends early if it rejects an object.
    if (!(await indexing.write(piece))) await this.#indexed()
  }

  /** Waits for the process to end and returns its exit code. Throws `PackRefused`, `RemoteError` 'too-large'. */
  async #indexed(): Promise<0 | 1> {
    const indexing = await required(this.#indexing)
    const limitMs = maxUnpackMs(this.received)
    let late = false
    const timer = setTimeout(() => {
      late = true
      void indexing.kill()
    }, limitMs)
    const run = await indexing.end().finally(() => clearTimeout(timer))
    if (late) throw tooCostly(`${Math.ceil(limitMs / 1000)} s`, 'the data from the remote')
    this.session.requireOpen()
    if (run.code !== 0 && run.code !== 1) throw new PackRefused(run)
    return run.code
  }

  /** Ends the process, and deletes the received data. */
  async discard(): Promise<void> {
    const indexing = await this.#indexing?.catch(() => null)
    await indexing?.kill()
    const quarantine = await this.#quarantine?.catch(() => null)
    await quarantine?.remove()
  }
}
