/** New objects of merges that no Git process needs yet. They stay in memory, so that they need no files. */
import type { EncodedObject, ObjectType } from './hash.js'

/** Maximum number of bytes of these objects in all repositories together. */
const MAX_BYTES = 8 * 1024 * 1024

export interface HeldObject {
  type: ObjectType
  object: EncodedObject
}

/** The objects that one repository holds in memory, by object ID. */
export type HeldByName = Map<string, HeldObject>

interface Batch {
  into: HeldByName
  objects: readonly HeldObject[]
  bytes: number
  /** Time of addition, in milliseconds since 1970. */
  at: number
}

/** The held objects of all repositories, oldest first. */
export class HeldObjects {
  // bound: MAX_BYTES, and the time that objects are held
  readonly #batches = new Set<Batch>()
  #bytes = 0

  /** @param heldMs minimum time that objects are held, in milliseconds */
  constructor(readonly heldMs: number) {}

  /** Holds objects in `into`. Returns false if there is no room. */
  hold(into: HeldByName, objects: readonly HeldObject[]): boolean {
    const now = Date.now()
    for (const batch of this.#batches) {
      if (now - batch.at < this.heldMs) break
      this.#drop(batch)
    }
    const bytes = objects.reduce((sum, { object }) => sum + object.content.length, 0)
    if (this.#bytes + bytes > MAX_BYTES) return false
    for (const one of objects) into.set(one.object.oid, one)
    this.#batches.add({ into, objects, bytes, at: now })
    this.#bytes += bytes
    return true
  }

  /** Releases the objects in `into` that are among `objects`. */
  release(into: HeldByName, objects: readonly HeldObject[]): void {
    const gone = new Set(objects)
    for (const batch of this.#batches)
      if (batch.into === into && batch.objects.every((one) => gone.has(one) || into.get(one.object.oid) !== one))
        this.#drop(batch)
  }

  #drop(batch: Batch): void {
    this.#batches.delete(batch)
    this.#bytes -= batch.bytes
    // If the object was held again since then, it belongs to the later batch.
    for (const one of batch.objects) if (batch.into.get(one.object.oid) === one) batch.into.delete(one.object.oid)
  }
}
