/** Remembers which remotes were found to speak protocol 2: they need not be asked again before each fetch. */
import { LRUCache } from 'lru-cache'

/** By URL without credentials. Whoever finds that one speaks otherwise now forgets it, and leaves the fetch to Git. */
export class SpokenVersions {
  // bound: 1,000 URLs of at most 2 KiB
  readonly #two = new LRUCache<string, true>({ max: 1000 })

  isTwo(url: string): boolean {
    return this.#two.get(url) === true
  }

  remember(url: string): void {
    this.#two.set(url, true)
  }

  forget(url: string): void {
    this.#two.delete(url)
  }
}
