import { fileNameOf } from '../file-name.js'
import type { AnyDocument } from '../view.js'
import type { Added, Segment } from './segment.js'

/** What a checkpoint keeps of a group; the records themselves lie in its segments. */
export interface GroupIndex {
  readonly id: string
  readonly version: 1
  /** Records before this one are dropped, though some may still lie in a segment with younger ones. */
  readonly first: number
  /** Position of the next record. */
  readonly next: number
  readonly segments: readonly Segment[]
}

/** One group of a journal: where its records are. */
export class Group {
  readonly folder: string
  segments: readonly Segment[]
  /** Durable in the log, in no segment yet. Replaced, not changed, when some move into a segment: readers go on with what they have. */
  // bound: the log since the last checkpoint
  tail: Added[]
  /** Not durable yet. */
  // bound: transactions under way
  staged: Added[] = []
  /** Records before this position are dropped. */
  first: number

  constructor(journals: string, name: string, group: string, index: GroupIndex | null, tail: Added[]) {
    this.folder = `${journals}/${fileNameOf(name)}/${fileNameOf(group)}`
    this.segments = index?.segments ?? []
    this.tail = tail
    this.#next = index?.next ?? tail[0]?.position ?? 1
    this.first = index?.first ?? this.#next
  }
  /** Position of the next record where there is none in memory. */
  #next: number

  /** Position of the next record, of those that are durable. */
  get next(): number {
    return (this.tail.at(-1)?.position ?? this.#next - 1) + 1
  }
  get stagedNext(): number {
    return (this.staged.at(-1)?.position ?? this.next - 1) + 1
  }
  /** Position of the first record that is kept, where these are added to what is there. */
  firstWith(added: readonly Added[]): number {
    return this.isThere ? this.first : ((this.staged[0] ?? added[0])?.position ?? this.first)
  }
  /** Whether anything durable is known of it. */
  get isThere(): boolean {
    return this.next > 1
  }

  /** The oldest of what was staged is durable. */
  settle(added: Added): void {
    if (!this.isThere) this.first = added.position
    this.staged.shift()
    this.tail.push(added)
  }

  /** Forgets records before a position; they leave the disk with their segments, at checkpoints. Answers how many they were. */
  dropBefore(position: number): number {
    const dropped = Math.max(0, Math.min(position, this.next) - this.first)
    this.first += dropped
    return dropped
  }

  /** What a checkpoint with these segments says. */
  indexOf(id: string, segments: readonly Segment[], next: number): AnyDocument {
    const index: GroupIndex = { id, version: 1, first: this.first, next, segments }
    return index as unknown as AnyDocument
  }

  /** The first `moved` records of the tail lie in segments now. */
  install(segments: readonly Segment[], moved: number): void {
    this.#next = this.next
    this.segments = segments
    this.tail = this.tail.slice(moved)
  }
}
