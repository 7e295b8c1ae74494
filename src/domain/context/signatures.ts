/** The results of checks of commit signatures. A check starts a process, so it runs in the background, once per commit. */
import { LRUCache } from 'lru-cache'
import type { CommitSignature } from '../../model/index.js'
import { overlay } from '../../kernel/overlay.js'
import type { Recording } from '../../kernel/recording.js'

/** Maximum number of results in memory. The least recently used ones are dropped. */
const MAX_KNOWN = 20_000
/** Maximum number of checks that run at once, and that wait. Further ones are left to the next reader. */
const MAX_RUNNING = 2
const MAX_WAITING = 500

/** The results of checks, by commit and list of allowed signers. */
export class Signatures {
  // bound: MAX_KNOWN
  readonly #known = new LRUCache<string, CommitSignature>({ max: MAX_KNOWN })
  // bound: MAX_RUNNING + MAX_WAITING, and the requests that wait for a check
  readonly #checks = new Map<string, Promise<CommitSignature>>()
  // bound: the same
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** Returns the result of an earlier check; null if there is none. */
  known(key: string): CommitSignature | null {
    return this.#known.get(key) ?? null
  }

  /** Starts a check in the background unless it is known or too many wait. A failure is left to the next reader. */
  request(key: string, check: () => Promise<CommitSignature>): void {
    if (this.#known.has(key) || this.#waiting.length >= MAX_WAITING) return
    this.check(key, check).catch(() => {})
  }

  /** Returns the result of a check, which other requests for the same commit share. Fails as the check does. */
  check(key: string, check: () => Promise<CommitSignature>): Promise<CommitSignature> {
    const known = this.#known.get(key)
    if (known) return Promise.resolve(known)
    const started = this.#checks.get(key) ?? this.#run(key, check).finally(() => this.#checks.delete(key))
    this.#checks.set(key, started)
    return started
  }

  /** Waits until no check is running. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#checks.values())
  }

  async #run(key: string, check: () => Promise<CommitSignature>): Promise<CommitSignature> {
    if (this.#running >= MAX_RUNNING) await new Promise<void>((go) => this.#waiting.push(go))
    this.#running++
    try {
      const found = await check()
      this.#known.set(key, found)
      return found
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }
}

/** Returns the results as a response reads them: it is made again when a result that it missed is known. */
export const recordedSignatures = (signatures: Signatures, recording: Recording): Signatures =>
  overlay(() => signatures, {
    known: (key) => {
      const read = () => signatures.known(key)?.state ?? null
      recording.recordValue(`signature ${key}`, read(), read)
      return signatures.known(key)
    },
  })
