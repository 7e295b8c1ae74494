// Reads `packed-refs`, and detects when it changes.
import { errorCode } from '../../kernel/thrown.js'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BoundedCache } from '../../kernel/memory-budget.js'

/** Age in milliseconds below which a changed file may be replaced by another one with the same times. */
const RACY_MS = 1000

/** The content of a `packed-refs` file. */
interface ParsedRefs {
  readonly refs: ReadonlyMap<string, string>
  /** All parent folders of refs, so that a new ref need not be compared with all others. */
  readonly folders: ReadonlySet<string>
}

const none: ParsedRefs = { refs: new Map(), folders: new Set() }

function parse(text: string): ParsedRefs {
  const refs = new Map<string, string>()
  const folders = new Set<string>()
  for (const line of text.split('\n')) {
    if (line.length <= 41 || line[40] !== ' ' || line[0] === '#' || line[0] === '^') continue
    const name = line.slice(41)
    refs.set(name, line.slice(0, 40))
    for (let folder = dirname(name); folder !== '.' && !folders.has(folder); folder = dirname(folder))
      folders.add(folder)
  }
  return { refs, folders }
}

/** The content of a `packed-refs` file, with a stamp of its inode, size and times. */
export interface ReadRefs extends ParsedRefs {
  readonly stamp: string
}

/**
 * The `packed-refs` file of one repository. It is read again when its stamp changes, or its content was evicted from
 * the cache.
 */
export class PackedRefs {
  readonly #path: string

  constructor(
    repository: string,
    /** The cache, by path; absent = none. */
    readonly kept?: BoundedCache<ReadRefs>,
  ) {
    this.#path = join(repository, 'packed-refs')
  }

  /** Returns the packed refs by name. */
  read(): ReadonlyMap<string, string> {
    return this.#parsed().refs
  }

  /** Whether a packed ref is below this name, or this name is below a packed ref. */
  collides(ref: string): boolean {
    const { refs, folders } = this.#parsed()
    if (folders.has(ref)) return true
    for (let above = dirname(ref); above !== 'refs' && above !== '.'; above = dirname(above))
      if (refs.has(above)) return true
    return false
  }

  #parsed(): ParsedRefs {
    try {
      const before = this.#stat()
      if (before === null) return none
      const known = this.kept?.get(this.#path)
      if (known?.stamp === before.stamp) return known
      const parsed = parse(readFileSync(this.#path, 'latin1'))
      const after = this.#stat()
      if (after?.stamp === before.stamp && Date.now() - after.changedMs > RACY_MS)
        this.kept?.set(this.#path, { stamp: after.stamp, ...parsed })
      return parsed
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      return none
    }
  }

  /** Returns the stamp and change time of the file. Null if there is no such file. */
  #stat(): { stamp: string; changedMs: number } | null {
    const stat = statSync(this.#path, { bigint: true, throwIfNoEntry: false })
    return stat === undefined
      ? null
      : {
          stamp: `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`,
          changedMs: Number(stat.ctimeNs / 1_000_000n),
        }
  }
}
