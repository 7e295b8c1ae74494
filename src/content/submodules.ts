/** The submodules of a revision: entries that name a commit of another repository, whose files are not here. */
import { decodePercent, folderOf, normalizePath } from './paths.js'
import type { ReaderEntry } from './types.js'

/** What an author can do about a target that lies in a submodule. */
export const SUBMODULE_ADVICE =
  'leads into a submodule, whose files belong to another repository and are not fetched. Copy the file into this repository, or link to its address on the web'

/** Tells which targets lie in a submodule. */
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

  /** Whether a target, as written in the file `from`, names a submodule or something in one. A leading slash means the effective root. */
  hold(target: string, from: string, root: string): boolean {
    if (this.#paths.size === 0) return false
    const plain = target.trim().replace(/[?#].*$/s, '')
    for (const spelling of [plain, decodePercent(plain)]) {
      const path = spelling === null ? null : normalizePath(spelling, spelling.startsWith('/') ? root : folderOf(from))
      if (path !== null && this.#holdsPath(path)) return true
    }
    return false
  }

  #holdsPath(path: string): boolean {
    for (let end = path.indexOf('/'); end >= 0 && end <= this.#longest; end = path.indexOf('/', end + 1))
      if (this.#paths.has(path.slice(0, end))) return true
    return this.#paths.has(path) || this.#paths.has(`${path}.md`)
  }
}
