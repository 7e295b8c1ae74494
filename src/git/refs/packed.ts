import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BoundedCache } from '../../kernel/memory-budget.js'
import { errorCode } from '../objects/disk.js'

/** A file changed this recently may be replaced by another one with the same times. */
const RACY_MS = 1000
const none: ReadonlyMap<string, string> = new Map()

function parse(text: string): Map<string, string> {
  const refs = new Map<string, string>()
  for (const line of text.split('\n')) {
    if (line.length > 41 && line[40] === ' ' && line[0] !== '#' && line[0] !== '^') refs.set(line.slice(41), line.slice(0, 40))
  }
  return refs
}

/** The content of a `packed-refs` file, with a stamp of its inode, size and times. */
export interface ReadRefs {
  readonly stamp: string
  readonly refs: ReadonlyMap<string, string>
}

/** The `packed-refs` file of one repository. It is read again when its stamp changes, or its content was evicted from the cache. */
export class PackedRefs {
  readonly #path: string

  constructor(
    repository: string,
    /** The cache, by path; absent = none. */
    readonly kept?: BoundedCache<ReadRefs>,
  ) {
    this.#path = join(repository, 'packed-refs')
  }

  read(): ReadonlyMap<string, string> {
    try {
      const before = this.#stat()
      const known = this.kept?.get(this.#path)
      if (known?.stamp === before.stamp) return known.refs
      const refs = parse(readFileSync(this.#path, 'latin1'))
      const after = this.#stat()
      if (before.stamp === after.stamp && Date.now() - after.changedMs > RACY_MS) this.kept?.set(this.#path, { stamp: after.stamp, refs })
      return refs
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      return none
    }
  }

  #stat(): { stamp: string; changedMs: number } {
    const stat = statSync(this.#path, { bigint: true })
    return { stamp: `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`, changedMs: Number(stat.ctimeNs / 1_000_000n) }
  }
}
