/**
 * The submodules of a revision: entries that refer to a commit of another repository, whose files are not available
 * here.
 */
import { decodePercent, folderOf, normalizePath } from './paths.js'
import type { ReaderEntry } from './types.js'

/** Advice to the author for a target in a submodule. */
export const SUBMODULE_ADVICE =
  'is in a submodule, whose files belong to another repository and are not fetched. Copy the file into this repository, or link to its address on the web'

/** Detects targets in submodules. */
export class Submodules {
  readonly #paths: ReadonlySet<string>
  readonly #longest: number

  constructor(entries: readonly ReaderEntry[]) {
    const paths = new Set<string>()
    let longest = 0
    for (const { mode, path } of entries) {
      if (mode !== '160000') continue
      paths.add(path)
      longest = Math.max(longest, path.length)
    }
    this.#paths = paths
    this.#longest = longest
  }

  /**
   * Whether a target, as written in the file `from`, is a submodule or a path in one. A leading slash refers to the
   * effective root.
   */
  contain(target: string, from: string, root: string): boolean {
    if (this.#paths.size === 0) return false
    const plain = target.trim().replace(/[?#].*$/s, '')
    for (const spelling of [plain, decodePercent(plain)]) {
      const path = spelling === null ? null : normalizePath(spelling, spelling.startsWith('/') ? root : folderOf(from))
      if (path !== null && this.#containsPath(path)) return true
    }
    return false
  }

  #containsPath(path: string): boolean {
    for (let end = path.indexOf('/'); end >= 0 && end <= this.#longest; end = path.indexOf('/', end + 1))
      if (this.#paths.has(path.slice(0, end))) return true
    return this.#paths.has(path) || this.#paths.has(`${path}.md`)
  }
}
