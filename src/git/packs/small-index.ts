/** The index of a small pack, held in memory: to find that a pack does not have an object then needs no open file. */
const OID_BYTES = 20
/** From here on, an offset is the place of a longer one. */
const LONG = 2 ** 31

export class SmallIndex {
  /** Packs with more objects have their index read from the disk. */
  static readonly MAX_OBJECTS = 256

  /**
   * @param checksum of the pack to which it belongs
   * @param names of its objects, in order, 20 bytes each
   * @param offsets of their entries
   */
  constructor(
    readonly checksum: string,
    readonly names: Buffer,
    readonly offsets: Uint32Array,
  ) {}

  /** About how much memory it takes. */
  get bytes(): number {
    return 300 + this.names.length + this.offsets.byteLength
  }

  /** Where the pack has an object; null if it does not have it, 'far' if its file has to say. */
  find(oid: Buffer): number | null | 'far' {
    let [low, high] = [0, this.offsets.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const order = oid.compare(this.names, middle * OID_BYTES, (middle + 1) * OID_BYTES)
      if (order === 0) {
        const offset = this.offsets[middle] as number
        return offset < LONG ? offset : 'far'
      }
      if (order < 0) high = middle
      else low = middle + 1
    }
    return null
  }
}
