// The part of a journal's group of records that is in memory.
import { fileNameOf } from '../file-name.js'
import type { AnyDocument } from '../view.js'
import type { JournalEntry, Segment } from './segment.js'

/** The checkpoint of a group. The records themselves are in its segments. */
export interface GroupIndex {
  readonly id: string
  readonly version: 1
  /** Position of the first record that was not dropped. A segment may still contain earlier records. */
  readonly first: number
  /** Position of the next record. */
  readonly next: number
  readonly segments: readonly Segment[]
}

/** One group of a journal, and the locations of its records. */
export class Group {
  readonly folder: string
  segments: readonly Segment[]
  /**
   * Records that are durable in the log but not in a segment yet. When some of them move into a segment, this becomes a
   * new list: readers keep the old one.
   */
  // bound: the log since the last checkpoint
  tail: JournalEntry[]
  /** Records that are not durable yet. */
  // bound: transactions in progress
  staged: JournalEntry[] = []
  /** Records before this position were dropped. */
  first: number

  constructor(journals: string, name: string, group: string, index: GroupIndex | null, tail: JournalEntry[]) {
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
  /** Returns the position of the first record, including staged records and `added`. */
  firstWith(added: readonly JournalEntry[]): number {
    return this.isThere ? this.first : ((this.staged[0] ?? added[0])?.position ?? this.first)
  }
  /** Whether the group has, or had, durable records. */
  get isThere(): boolean {
    return this.next > 1
  }

  /** Records that the oldest staged record is durable. */
  settle(added: JournalEntry): void {
    if (!this.isThere) this.first = added.position
    this.staged.shift()
    this.tail.push(added)
  }

  /** Drops the records before a position, and returns their number. A checkpoint deletes their segments later. */
  dropBefore(position: number): number {
    const dropped = Math.max(0, Math.min(position, this.next) - this.first)
    this.first += dropped
    return dropped
  }

  /** Returns the document of a checkpoint with these segments. */
  indexOf(id: string, segments: readonly Segment[], next: number): AnyDocument {
    const index: GroupIndex = { id, version: 1, first: this.first, next, segments }
    return index as unknown as AnyDocument
  }

  /** Switches to new segments, which contain the first `moved` records of the tail. */
  install(segments: readonly Segment[], moved: number): void {
    this.#next = this.next
    this.segments = segments
    this.tail = this.tail.slice(moved)
  }
}
