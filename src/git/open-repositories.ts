// Keeps repositories open between requests.
import { LRUCache } from 'lru-cache'

/** Maximum number of unused open repositories. */
const MAX_IDLE = 500

/**
 * The open repositories by name. If there are too many, the least recently used one is dropped. If a dropped repository
 * is still in use, `get` returns it instead of opening it a second time: two openings of one repository would not see
 * each other's ref moves and unfinished objects.
 */
export class OpenRepositories<R extends object> {
  // bound: MAX_IDLE
  readonly #recent = new LRUCache<string, Promise<R>>({ max: MAX_IDLE })
  // bound: MAX_IDLE, and those in use by requests and jobs
  readonly #held = new Map<string, WeakRef<R>>()
  // bound: those that are being opened for requests and jobs
  readonly #opening = new Map<string, Promise<R>>()
  readonly #collected = new FinalizationRegistry<string>((name) => {
    if (this.#held.get(name)?.deref() === undefined) this.#held.delete(name)
  })

  /** Returns the repository with this name. Calls `open` if it is not open. */
  get(name: string, open: () => Promise<R>): Promise<R> {
    const known = this.#recent.get(name)
    if (known) return known
    const held = this.#held.get(name)?.deref()
    const opening = held ? Promise.resolve(held) : (this.#opening.get(name) ?? this.#begin(name, open()))
    this.#recent.set(name, opening)
    return opening
  }

  /** Returns the repository if it is open. */
  find(name: string): R | undefined {
    return this.#held.get(name)?.deref()
  }

  #begin(name: string, opened: Promise<R>): Promise<R> {
    const opening = opened.then((repository) => {
      this.#held.set(name, new WeakRef(repository))
      this.#collected.register(repository, name)
      return repository
    })
    this.#opening.set(name, opening)
    const done = (): void => void (this.#opening.get(name) === opening && this.#opening.delete(name))
    opening.then(done, () => {
      done()
      if (this.#recent.peek(name) === opening) this.#recent.delete(name)
    })
    return opening
  }

  /** Drops a repository, and returns it if it was open. */
  async forget(name: string): Promise<R | null> {
    const known = this.#recent.peek(name) ?? this.#opening.get(name)
    this.#recent.delete(name)
    const opened = known ? await known.catch(() => null) : (this.#held.get(name)?.deref() ?? null)
    if (this.#held.get(name)?.deref() === opened) this.#held.delete(name)
    return opened
  }

  /** Returns all open repositories. */
  async all(): Promise<R[]> {
    await Promise.allSettled(this.#opening.values())
    return [...this.#held.values()].flatMap((held) => held.deref() ?? [])
  }
}
