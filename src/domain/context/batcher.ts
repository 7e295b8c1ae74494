// Batches concurrent writes, so that they share the work of one commit and one disk sync.
import { required } from '../../kernel/defined.js'
import type { Lease } from '../../kernel/lease.js'
import type { Locks } from './locks.js'

/**
 * How long a turn waits for the callers that the previous turn served, in milliseconds since the last of them arrived.
 * They often return at once. Without the wait, they would form a second group that alternates with the others.
 */
const GATHER_MS = 5
/**
 * How long others may join a turn after its start, in milliseconds. The limit keeps the first callers from waiting too
 * Time in milliseconds after the end of a turn during which its size is remembered.
 */
const JOIN_MS = 25
/** Time in milliseconds after the end of a turn during which its size is remembered. */
const RECENT_MS = 50

/** An item that waits for its turn. */
export interface BatchItem {
  /** Called with the error if the lock cannot be acquired or is lost. No effect once the item is settled. */
  reject(error: unknown): void
}

/** The items that one turn of a lock handles. */
export interface Turn<T> {
  /**
   * Returns the next item, including items that arrived during the turn. Null ends the turn; later items get another
   * one.
   */
  next(): Promise<T | null>
}

/** Collects items while the key's lock is held and while a turn runs, so that one turn of the lock handles them all. */
export class Batcher {
  // bound: requests in progress
  readonly #open = new Map<string, OpenTurn>()
  /** Number of items in the last turn of a key. */
  // bound: turns of the last RECENT_MS
  readonly #recent = new Map<string, { items: number; timer: NodeJS.Timeout }>()

  constructor(
    readonly locks: Locks,
    /** Maximum number of items in one turn. */
    readonly maxItems: number,
  ) {}

  /**
   * Adds an item to a turn of a key. `work` receives the turn under the lock and must take all of its items. If `work`
   * rejects, so do the items.
   */
  add<T extends BatchItem>(key: string, item: T, work: (turn: Turn<T>, lease: Lease) => Promise<void>): void {
    const open = this.#open.get(key)
    if (open && open.room > 0) {
      open.add(item)
      return
    }
    const turn: OpenTurn = new OpenTurn(this.maxItems, () => this.#open.get(key) === turn && this.#open.delete(key))
    turn.add(item)
    this.#open.set(key, turn)
    const running = this.locks.run(key, async (lease) => {
      turn.begin(this.#recent.get(key)?.items ?? 0)
      await work(turn as unknown as Turn<T>, lease)
      this.#remember(key, turn.length)
    })
    running.catch((error: unknown) => turn.fail(error))
  }

  #remember(key: string, items: number): void {
    clearTimeout(this.#recent.get(key)?.timer)
    this.#recent.set(key, { items, timer: setTimeout(() => this.#recent.delete(key), RECENT_MS).unref() })
  }
}

/** A turn that still accepts items. */
class OpenTurn implements Turn<BatchItem> {
  // bound: #maxItems
  readonly #items: BatchItem[] = []
  readonly #maxItems: number
  readonly #closed: () => void
  #handled = 0
  #expected = 0
  #joinUntil = 0
  /** Called when an item is added. */
  #added = (): void => {}

  constructor(maxItems: number, closed: () => void) {
    this.#maxItems = maxItems
    this.#closed = closed
  }

  get length(): number {
    return this.#items.length
  }

  get room(): number {
    return this.#maxItems - this.#items.length
  }

  add(item: BatchItem): void {
    this.#items.push(item)
    this.#added()
  }

  /** Rejects all items: the lock was not acquired, or the work failed. */
  fail(error: unknown): void {
    this.#closed()
    for (const item of this.#items) item.reject(error)
  }

  /** Starts the turn, now that the lock is held. `expected` is the likely number of items. */
  begin(expected: number): void {
    this.#expected = Math.min(expected, this.#maxItems)
    this.#joinUntil = performance.now() + JOIN_MS
  }

  async next(): Promise<BatchItem | null> {
    if (this.#handled === this.#items.length && this.#items.length < this.#expected) await this.#gather()
    if (performance.now() > this.#joinUntil) this.#closed()
    if (this.#handled < this.#items.length) return required(this.#items[this.#handled++])
    this.#closed()
    this.#expected = 0
    return null
  }

  /** Waits briefly for another item. */
  async #gather(): Promise<void> {
    const left = Math.min(GATHER_MS, this.#joinUntil - performance.now())
    if (left <= 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, left)
      this.#added = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
