// The journals of a store: append-only records.
import { dirname } from 'node:path'
import type { Damages } from '../damages.js'
import { StoreDamaged } from '../errors.js'
import { ensureDir, removeFile, replaceFile } from '../file-system.js'
import type { FileSystem } from '../types.js'
import type { AnyDocument } from '../view.js'
import { Group, type GroupIndex } from './group.js'
import { type JournalEntry, readSegment, type Segment, segmentFile, SegmentGone, writeSegments } from './segment.js'

/** Whether a name belongs to a journal instead of a table. */
export const isJournal = (name: string): boolean => name.startsWith('journal-')

/** The result of `flush`: the durable records of a group are in segments. */
interface FlushedGroup {
  /** The content of the group's checkpoint file, which the caller writes. */
  readonly index: AnyDocument
  /** Must be called after that file was written. */
  installed(): void
}

/** All groups of all journals. */
export class Journals {
  // bound: the groups, which are owners of documents
  readonly #groups = new Map<string, Map<string, Group>>()
  /** Files of segments that the next checkpoint no longer refers to. */
  // bound: the groups, and the leftovers of failed checkpoints
  readonly #unused = new Map<string, Set<string>>()

  constructor(
    readonly fs: FileSystem,
    /** The folder with the segments. */
    readonly dir: string,
    /** Groups whose checkpoints are damaged: reads and writes of them throw. */
    private readonly groupDamages?: Damages,
  ) {}

  /** Adds a group that was found at start. */
  load(name: string, group: string, index: GroupIndex | null, tail: JournalEntry[]): void {
    this.#of(name).set(group, new Group(this.dir, name, group, index, tail))
  }

  /** Replaces segments of a group before its first use. The next checkpoint deletes their files. */
  replaceSegments(name: string, id: string, segments: readonly Segment[]): void {
    const group = this.group(name, id)
    const kept = new Set(segments.map((one) => segmentFile(group.folder, one)))
    for (const one of group.segments) {
      const file = segmentFile(group.folder, one)
      if (!kept.has(file)) this.#forget(name, id, file)
    }
    group.segments = segments
  }

  #of(name: string): Map<string, Group> {
    let groups = this.#groups.get(name)
    if (!groups) this.#groups.set(name, (groups = new Map()))
    return groups
  }

  /** Returns a group; an empty one if it does not exist yet. Throws `StoreDamaged` if its checkpoint is damaged. */
  group(name: string, group: string): Group {
    this.groupDamages?.checkOwner(name, group)
    return this.find(name, group) ?? new Group(this.dir, name, group, null, [])
  }

  find(name: string, group: string): Group | undefined {
    return this.#groups.get(name)?.get(group)
  }

  /** Stages a record after the others of its group. Its position must be the next one. */
  stage(name: string, group: string, added: JournalEntry): void {
    const found = this.group(name, group)
    this.#of(name).set(group, found)
    found.staged.push(added)
  }

  /** Undoes everything that is not durable. */
  unstage(): void {
    for (const groups of this.#groups.values()) {
      for (const [name, group] of groups) {
        group.staged = []
        if (!group.isThere) groups.delete(name)
      }
    }
  }

  hasGroup(name: string, group: string): boolean {
    return this.find(name, group)?.isThere ?? false
  }

  /** Returns the number of groups with records, or that had records, per journal. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const [name, groups] of this.#groups) {
      const there = [...groups.values()].filter((group) => group.isThere).length
      if (there > 0) counts[name] = there
    }
    return counts
  }

  /** Returns the names of the groups of a journal. */
  names(name: string): string[] {
    return [...(this.#groups.get(name) ?? [])].filter(([, group]) => group.isThere).map(([group]) => group)
  }

  /**
   * Writes the durable records into segments, which are read only after `installed`. The caller must read `seq` in the
   * same step.
   */
  async flush(name: string, id: string): Promise<FlushedGroup> {
    const group = this.group(name, id)
    const { tail, next } = group
    const moved = tail.length
    const young = tail.slice(0, moved).filter(({ position }) => position >= group.first)
    const kept = group.segments.filter(({ last }) => last >= group.first)
    const before = group.segments
    if (young.length > 0) await ensureDir(this.fs, group.folder, dirname(this.dir))
    const segments = await writeSegments(this.fs, group.folder, kept, young)
    if (young.length > 0) await this.fs.syncDir(group.folder)
    return {
      index: group.indexOf(id, segments, next),
      installed: () => {
        group.install(segments, moved)
        for (const one of before) if (!segments.includes(one)) this.#forget(name, id, segmentFile(group.folder, one))
      },
    }
  }

  /**
   * Reads all segments, and returns a line for each that is missing or damaged. A segment with one flipped bit is
   * replaced by the intact one.
   */
  async damages(): Promise<string[]> {
    const found: string[] = []
    for (const groups of this.#groups.values())
      for (const { folder, segments } of groups.values())
        for (const segment of segments) {
          const path = segmentFile(folder, segment)
          const repair = async (at: number, intact: Buffer): Promise<void> => {
            await replaceFile(this.fs, path, intact)
            found.push(`${path} had a flipped bit at byte ${at}, which is corrected.`)
          }
          await readSegment(this.fs, folder, segment, repair).catch((thrown: unknown) => {
            if (!(thrown instanceof StoreDamaged || thrown instanceof SegmentGone)) throw thrown
            found.push(thrown instanceof StoreDamaged ? thrown.message : `${thrown.message} is missing`)
          })
        }
    return found
  }

  #forget(name: string, group: string, file: string): void {
    const key = JSON.stringify([name, group])
    const files = this.#unused.get(key)
    if (files) files.add(file)
    else this.#unused.set(key, new Set([file]))
  }

  /** Removes files that the checkpoint of a group no longer refers to. That checkpoint must be durable. */
  async tidy(name: string, group: string): Promise<void> {
    const key = JSON.stringify([name, group])
    const files = this.#unused.get(key)
    if (!files) return
    for (const file of files) {
      await removeFile(this.fs, file)
      files.delete(file)
    }
    this.#unused.delete(key)
  }
}
