/** Reads objects from the database again that the copy of a node has lost, such as by an administrator's `git repack -a -d` while they were installed. */
import { LRUCache } from 'lru-cache'
import type { Copy, NodeServices } from './copy.js'
import { installPacks } from './install-packs.js'
import { listPacks, packsWith } from './stored-packs.js'

/** Objects that the database did not have either are not looked for again at once. */
const MAX_VAIN = 1000
const VAIN_MS = 10_000
/** So many of them in that time, and questions whether there is a commit are not taken to the database: a sync may ask for thousands that are only at its remote. */
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
   * Makes the copy have an object, with those of its pack. Returns whether it has it now. One is looked for at a time. Throws `DatabaseAway`, `PackGone`.
   * @param mayBeNowhere it was only asked whether there is one
   */
  fetch(oid: string, mayBeNowhere = false): Promise<boolean> {
    const turn = this.#last.then(() => this.#look(oid, mayBeNowhere))
    this.#last = turn.catch(() => {})
    return turn
  }

  async #look(oid: string, mayBeNowhere: boolean): Promise<boolean> {
    if (this.#vain.has(oid) || (mayBeNowhere && this.#asksInVain())) return false
    const { parts } = this.copy.disk
    // The pack of another one may have brought it.
    if (await this.#isHere(oid)) return true
    const { database, notice } = this.services
    const having = new Set(await packsWith(database, this.copy.name, oid))
    if (having.size === 0) {
      this.#vain.set(oid, true)
      return false
    }
    notice(
      `${this.copy.path} had lost the object ${oid}: somebody deleted it there. It is read from the database again.`,
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
