// One group of records of a journal, as far as it is in memory.
import { fileNameOf } from '../file-name.js'
import type { AnyDocument } from '../view.js'
import type { Added, Segment } from './segment.js'

/** The checkpoint of a group; the records themselves are in its segments. */
export interface GroupIndex {
  readonly id: string
  readonly version: 1
  /** Records before this one were dropped, although a segment with later ones may still contain some. */
  readonly first: number
  /** Position of the next record. */
  readonly next: number
  readonly segments: readonly Segment[]
}

/** One group of a journal: where its records are. */
export class Group {
  readonly folder: string
  segments: readonly Segment[]
  /** Records that are durable in the log but in no segment yet. When some move into a segment, this becomes a new list: readers keep the old one. */
  // bound: the log since the last checkpoint
  tail: Added[]
  /** Records that are not durable yet. */
  // bound: transactions under way
  staged: Added[] = []
  /** Records before this position were dropped. */
  first: number

  constructor(journals: string, name: string, group: string, index: GroupIndex | null, tail: Added[]) {
    this.folder = `${journals}/${fileNameOf(name)}/${fileNameOf(group)}`
    this.segments = index?.segments ?? []
    this.tail = tail
    this.#next = index?.next ?? tail[0]?.position ?? 1
    this.first = index?.first ?? this.#next
  }
  /** The position after the last record in the segments. */
  #next: number

  /** The position after the last durable record. */
  get next(): number {
    return (this.tail.at(-1)?.position ?? this.#next - 1) + 1
  }
  get stagedNext(): number {
    return (this.staged.at(-1)?.position ?? this.next - 1) + 1
  }
  /** The position of the first record, also counting staged records and `added`. */
  firstWith(added: readonly Added[]): number {
    return this.isThere ? this.first : ((this.staged[0] ?? added[0])?.position ?? this.first)
  }
  /** Whether it has, or had, durable records. */
  get isThere(): boolean {
    return this.next > 1
  }

  /** The oldest staged record is durable now. */
  settle(added: Added): void {
    if (!this.isThere) this.first = added.position
    this.staged.shift()
    this.tail.push(added)
  }

  /** Drops the records before a position, and returns how many. A checkpoint deletes their segments later. */
  dropBefore(position: number): number {
    const dropped = Math.max(0, Math.min(position, this.next) - this.first)
    this.first += dropped
    return dropped
  }

  /** The document that a checkpoint with these segments contains. */
  indexOf(id: string, segments: readonly Segment[], next: number): AnyDocument {
    const index: GroupIndex = { id, version: 1, first: this.first, next, segments }
    return index as unknown as AnyDocument
  }

  /** Uses new segments, which contain the first `moved` records of the tail. */
  install(segments: readonly Segment[], moved: number): void {
    this.#next = this.next
    this.segments = segments
    this.tail = this.tail.slice(moved)
  }
}
