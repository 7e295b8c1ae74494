/**
 * Restores objects from the database that the copy of a node has lost, for example because an admin ran `git repack -a
 * -d` while they were installed.
 */
import { LRUCache } from 'lru-cache'
import type { Copy, NodeServices } from './copy.js'
import { installPacks } from './install-packs.js'
import { listPacks, packsWith } from './stored-packs.js'

/**
 * Maximum number of remembered objects that the database did not have either, and how long they are remembered in
 * milliseconds.
 */
const MAX_VAIN = 1000
const VAIN_MS = 10_000
/**
 * After this number of misses in `VAIN_MS`, existence checks no longer query the database. A sync may check thousands
 * of commits that only its remote has.
 */
const MANY_VAIN = 20

export class LostObjects {
  // bound: MAX_VAIN
  readonly #vain = new LRUCache<string, true>({ max: MAX_VAIN, ttl: VAIN_MS })
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    readonly services: NodeServices,
    readonly copy: Copy,
  ) {}

  /**
   * Restores an object with the other objects of its pack. Returns whether the copy has it now. Objects are restored
   * one at a time. Throws `DatabaseAway`, `PackGone`.
   * @param mayBeNowhere the caller only checks whether the object exists
   */
  fetch(oid: string, mayBeNowhere = false): Promise<boolean> {
    const turn = this.#last.then(() => this.#look(oid, mayBeNowhere))
    this.#last = turn.catch(() => {})
    return turn
  }

  async #look(oid: string, mayBeNowhere: boolean): Promise<boolean> {
    if (this.#vain.has(oid) || (mayBeNowhere && this.#asksInVain())) return false
    const { parts } = this.copy.disk
    // The pack of another object may have contained it.
    if (await this.#isHere(oid)) return true
    const { database, notice } = this.services
    const having = new Set(await packsWith(database, this.copy.name, oid))
    if (having.size === 0) {
      this.#vain.set(oid, true)
      return false
    }
    notice(
      `${this.copy.path} had lost the object ${oid}: it was deleted on the disk. The server restores it from the database.`,
    )
    await installPacks(
      database,
      parts,
      (await listPacks(database, this.copy.name)).filter(({ id }) => having.has(id)),
    )
    return this.#isHere(oid)
  }

  #asksInVain(): boolean {
    this.#vain.purgeStale()
    return this.#vain.size >= MANY_VAIN
  }

  async #isHere(oid: string): Promise<boolean> {
    return (await this.copy.disk.parts.writer.absent([oid])).length === 0
  }
}
