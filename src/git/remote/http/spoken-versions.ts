/** Remembers which remotes support protocol 2, so that their capabilities need not be read before each fetch. */
import { LRUCache } from 'lru-cache'

/**
 * The remotes that support protocol 2, by URL without credentials. If a remote no longer supports it, forget it and
 * leave the fetch to Git.
 */
export class ProtocolVersions {
  // bound: 1,000 URLs of at most 2 KiB
  readonly #two = new LRUCache<string, true>({ max: 1000 })

  supportsVersion2(url: string): boolean {
    return this.#two.get(url) === true
  }

  remember(url: string): void {
    this.#two.set(url, true)
  }

  forget(url: string): void {
    this.#two.delete(url)
  }
}
