/** The index of a small pack, held in memory: checking that a pack does not have an object then needs no open file. */
import { required } from '../../kernel/defined.js'
const OID_BYTES = 20
/** Minimum value that is not an offset, but the position of a longer offset. */
const LONG = 2 ** 31

export class SmallIndex {
  /** Maximum number of objects. The indexes of larger packs are read from the disk. */
  static readonly MAX_OBJECTS = 256

  /**
   * @param checksum the checksum of the pack
   * @param names the sorted IDs of its objects, 20 bytes each
   * @param offsets the offsets of their entries
   */
  constructor(
    readonly checksum: string,
    readonly names: Buffer,
    readonly offsets: Uint32Array,
  ) {}

  /** Approximate memory in bytes. */
  get bytes(): number {
    return 300 + this.names.length + this.offsets.byteLength
  }

  /** Returns the offset of an object; null if the pack does not have it, 'far' if the index file must be read. */
  find(oid: Buffer): number | null | 'far' {
    let [low, high] = [0, this.offsets.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const order = oid.compare(this.names, middle * OID_BYTES, (middle + 1) * OID_BYTES)
      if (order === 0) {
        const offset = required(this.offsets[middle])
        return offset < LONG ? offset : 'far'
      }
      if (order < 0) high = middle
      else low = middle + 1
    }
    return null
  }
}
