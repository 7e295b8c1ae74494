/**
 * Restores objects from the database that the copy of a node has lost, for example because an admin ran `git repack -a
 * -d` while they were installed.
 */
import { basename } from 'node:path'
import { LRUCache } from 'lru-cache'
import { Sequence } from '../../kernel/turns.js'
import type { Database } from '../../postgres/index.js'
import type { FetchLost } from '../objects/database.js'
import type { PackFolder } from '../repository.js'
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

/** Returns how the repositories of a node fetch their lost objects. `notice` is called with a message for the operator. */
export const lostObjectsFrom =
  (database: Database, notice: (message: string) => void) =>
  (place: PackFolder): FetchLost => {
    const lost = new LostObjects(database, notice, place)
    return (oid, mayBeNowhere) => lost.fetch(oid, mayBeNowhere)
  }

class LostObjects {
  // bound: MAX_VAIN
  readonly #vain = new LRUCache<string, true>({ max: MAX_VAIN, ttl: VAIN_MS })
  readonly #looks = new Sequence()

  constructor(
    readonly database: Database,
    readonly notice: (message: string) => void,
    readonly place: PackFolder,
  ) {}

  /**
   * Restores an object with the other objects of its pack. Returns whether the copy has it now. Objects are restored
   * one at a time. Throws `DatabaseAway`, `PackGone`.
   * @param mayBeNowhere the caller only checks whether the object exists
   */
  fetch(oid: string, mayBeNowhere = false): Promise<boolean> {
    return this.#looks.run(() => this.#look(oid, mayBeNowhere))
  }

  async #look(oid: string, mayBeNowhere: boolean): Promise<boolean> {
    if (this.#vain.has(oid) || (mayBeNowhere && this.#asksInVain())) return false
    const { database, place } = this
    const name = basename(place.path, '.git')
    // The pack of another object may have contained it.
    if (await this.#isHere(oid)) return true
    const having = new Set(await packsWith(database, name, oid))
    if (having.size === 0) {
      this.#vain.set(oid, true)
      return false
    }
    this.notice(
      `${place.path} had lost the object ${oid}: it was deleted on the disk. The server restores it from the database.`,
    )
    const packs = (await listPacks(database, name)).filter(({ id }) => having.has(id))
    await installPacks(database, place, packs)
    return this.#isHere(oid)
  }

  #asksInVain(): boolean {
    this.#vain.purgeStale()
    return this.#vain.size >= MANY_VAIN
  }

  async #isHere(oid: string): Promise<boolean> {
    return (await this.place.writer.absent([oid])).length === 0
  }
}
