import { LRUCache } from 'lru-cache'

/** Repositories that stay open though nobody uses them. */
const MOST_IDLE = 500

/**
 * The repositories that are open, by name, each once. Of those that nobody uses, the least recently asked for is let go when
 * there are too many. One that somebody still holds is found again as long as he does: two openings of one repository
 * would not know of each other's moves and unfinished objects.
 */
export class OpenRepositories<R extends object> {
  // bound: MOST_IDLE
  readonly #recent = new LRUCache<string, Promise<R>>({ max: MOST_IDLE })
  // bound: MOST_IDLE, and those that requests and jobs under way hold
  readonly #held = new Map<string, WeakRef<R>>()
  // bound: those that are being opened for requests and jobs under way
  readonly #opening = new Map<string, Promise<R>>()
  readonly #collected = new FinalizationRegistry<string>((name) => {
    if (this.#held.get(name)?.deref() === undefined) this.#held.delete(name)
  })

  /** The repository of that name, opened where it is not open. */
  get(name: string, open: () => Promise<R>): Promise<R> {
    const known = this.#recent.get(name)
    if (known) return known
    const held = this.#held.get(name)?.deref()
    const opening = held ? Promise.resolve(held) : (this.#opening.get(name) ?? this.#begin(name, open()))
    this.#recent.set(name, opening)
    return opening
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

  /** Takes a repository out; answers it where it was open. */
  async forget(name: string): Promise<R | null> {
    const known = this.#recent.peek(name) ?? this.#opening.get(name)
    this.#recent.delete(name)
    const opened = known ? await known.catch(() => null) : (this.#held.get(name)?.deref() ?? null)
    if (this.#held.get(name)?.deref() === opened) this.#held.delete(name)
    return opened
  }

  /** All that are open. */
  async all(): Promise<R[]> {
    await Promise.allSettled(this.#opening.values())
    return [...this.#held.values()].flatMap((held) => held.deref() ?? [])
  }
}
