// Gathers writes that come at the same time, so that they share one commit's work and one sync of the disk.
import type { Lease } from '../../kernel/lease.js'
import type { Locks } from './locks.js'

/**
 * How long a turn waits for those who were served by the one before it, in milliseconds since the last of them came: they often come back at
 * once, and would otherwise get a turn of their own, in turns with the others.
 */
const GATHER_MS = 5
/** For so long after it began, others may join a turn, in milliseconds: who came first is to be served as well. */
const JOIN_MS = 25
/** How long it is remembered how many a turn served, in milliseconds after its end. */
const RECENT_MS = 50

/** Something that waits for its turn. */
export interface Waiting {
  /** Called with the error if the lock cannot be had, or is lost; without effect once the item is settled. */
  reject(error: unknown): void
}

/** The items that one turn of a lock handles. */
export interface Turn<T> {
  /** The next item, which may have come while the others were handled. Null at the end: what comes later gets another turn. */
  next(): Promise<T | null>
}

/** Collects items while a key's lock is held by others, and while the first of them are handled, so that one turn of the lock handles them all. */
export class Batcher {
  // bound: requests in progress
  readonly #open = new Map<string, OpenTurn>()
  /** How many items the last turn of a key had. */
  // bound: turns of the last RECENT_MS
  readonly #recent = new Map<string, { items: number; timer: NodeJS.Timeout }>()

  constructor(
    readonly locks: Locks,
    /** Most items in one turn. */
    readonly maxItems: number,
  ) {}

  /** Adds an item to a turn of a key. `work` gets the turn, under the lock, and must take all of its items; if it rejects, they are rejected. */
  add<T extends Waiting>(key: string, item: T, work: (turn: Turn<T>, lease: Lease) => Promise<void>): void {
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

/** A turn that still takes items. */
class OpenTurn implements Turn<Waiting> {
  // bound: #most
  readonly #items: Waiting[] = []
  readonly #most: number
  readonly #closed: () => void
  #handled = 0
  #expected = 0
  #joinUntil = 0
  /** Called when an item is added. */
  #added = (): void => {}

  constructor(most: number, closed: () => void) {
    this.#most = most
    this.#closed = closed
  }

  get length(): number {
    return this.#items.length
  }

  get room(): number {
    return this.#most - this.#items.length
  }

  add(item: Waiting): void {
    this.#items.push(item)
    this.#added()
  }

  /** The lock cannot be had, or the work failed. */
  fail(error: unknown): void {
    this.#closed()
    for (const item of this.#items) item.reject(error)
  }

  /** The lock is held now. `expected`: how many items are likely to come. */
  begin(expected: number): void {
    this.#expected = Math.min(expected, this.#most)
    this.#joinUntil = performance.now() + JOIN_MS
  }

  async next(): Promise<Waiting | null> {
    if (this.#handled === this.#items.length && this.#items.length < this.#expected) await this.#gather()
    if (performance.now() > this.#joinUntil) this.#closed()
    if (this.#handled < this.#items.length) return this.#items[this.#handled++] as Waiting
    this.#closed()
    this.#expected = 0
    return null
  }

  /** Waits for another item, but not for long. */
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
