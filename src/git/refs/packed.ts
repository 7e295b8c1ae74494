import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../objects/disk.js'

const RACY_MS = 1000
const none: ReadonlyMap<string, string> = new Map()

function parse(text: string): Map<string, string> {
  const refs = new Map<string, string>()
  for (const line of text.split('\n')) {
    if (line.length > 41 && line[40] === ' ' && line[0] !== '#' && line[0] !== '^') refs.set(line.slice(41), line.slice(0, 40))
  }
  return refs
}

/** The `packed-refs` file of one repository, read again when its stat changes. */
export class PackedRefs {
  readonly #path: string
  #stamp = ''
  #refs: ReadonlyMap<string, string> = none

  constructor(repository: string) {
    this.#path = join(repository, 'packed-refs')
  }

  read(): ReadonlyMap<string, string> {
    try {
      const before = this.#stat()
      if (before.stamp === this.#stamp) return this.#refs
      const refs = parse(readFileSync(this.#path, 'latin1'))
      const after = this.#stat()
      this.#refs = refs
      // A file as young as the clock is coarse may be replaced by another with the same stat: not to be relied on yet.
      this.#stamp = before.stamp === after.stamp && Date.now() - after.changedMs > RACY_MS ? after.stamp : ''
      return refs
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      this.#stamp = ''
      return none
    }
  }

  #stat(): { stamp: string; changedMs: number } {
    const stat = statSync(this.#path, { bigint: true })
    return { stamp: `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`, changedMs: Number(stat.ctimeNs / 1_000_000n) }
  }
}
