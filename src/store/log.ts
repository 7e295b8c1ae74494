import { StoreDamaged, StoreTooNew } from './errors.js'
import { ensureDir, listDir, replaceFile, TEMPORARY } from './file-system.js'
import { encodeFrame, scanFrame } from './frame.js'
import type { FileSystem, OpenFile } from './types.js'
import type { AnyDocument } from './view.js'

/** What a transaction did to one checkpoint file: a document now in it, or one no longer in it. */
export type Operation =
  | { c: string; o: string; put: AnyDocument }
  | { c: string; o: string; remove: string }
  /** A record of the journal `c`, in the group `o`, at the position `n`, of the time `t`. */
  | { c: string; o: string; n: number; t: string; add: object }

/** One committed transaction. */
export interface TransactionRecord {
  readonly ops: readonly Operation[]
  /** The migration that this transaction is. */
  readonly migrated?: number
}

/** What was written with one append: transactions numbered from `seq` on; all of them are on the disk, or none. */
export interface Batch {
  readonly seq: number
  readonly transactions: readonly TransactionRecord[]
  /** Checkpoint files, as [table, owner], that held nothing before this batch. */
  readonly fresh: readonly (readonly [string, string])[]
}

const LOG_FORMAT = 2
const SUFFIX = '.log'
const segmentName = (first: number): string => `${String(first).padStart(16, '0')}${SUFFIX}`

/** The segments in a folder, oldest first, by the number of the first transaction each may hold. */
export async function listSegments(fs: FileSystem, dir: string): Promise<{ path: string; first: number }[]> {
  const names = (await listDir(fs, dir)).filter((name) => /^\d{16}\.log$/.test(name))
  return names.map((name) => ({ path: `${dir}/${name}`, first: Number.parseInt(name, 10) }))
}

const headOf = (first: number): Buffer => encodeFrame(JSON.stringify({ bindery: 'log', format: LOG_FORMAT, first }))

/** Begins a segment; it is on the disk, under its name, when this resolves. */
export async function createSegment(fs: FileSystem, dir: string, first: number): Promise<void> {
  await ensureDir(fs, dir)
  await replaceFile(fs, `${dir}/${segmentName(first)}`, headOf(first))
  await fs.syncDir(dir)
}

/**
 * Reads a segment. `good` is where its last whole batch ends; what lies behind it, in the newest segment, was never
 * acknowledged. Throws `StoreDamaged` for anything but an unfinished last write.
 */
export async function readSegment(fs: FileSystem, path: string, first: number): Promise<{ batches: Batch[]; good: number; size: number }> {
  const bytes = await fs.readFile(path)
  const batches: Batch[] = []
  let next = first
  let offset = 0
  for (;;) {
    const found = scanFrame(bytes, offset)
    if (found.kind === 'end' && offset > 0) break
    if (found.kind === 'torn' && offset > 0) break
    if (found.kind !== 'frame') {
      const what = found.kind === 'damaged' ? found.what : 'it ends in the middle of a record'
      throw new StoreDamaged(path, offset, what, toRestore(offset))
    }
    const payload = JSON.parse(found.payload) as Batch & { format?: number; first?: number }
    if (offset === 0) {
      if ((payload.format ?? 0) > LOG_FORMAT) throw new StoreTooNew(path, `the log has format ${payload.format}`)
      if (payload.first !== first) throw new StoreDamaged(path, 0, `it begins with transaction ${payload.first}, not ${first}: it was renamed`)
    } else {
      if (payload.seq !== next) throw new StoreDamaged(path, offset, `transaction ${next} is missing`)
      batches.push(payload)
      next += payload.transactions.length
    }
    offset = found.next
  }
  return { batches, good: offset, size: bytes.length }
}

/** What to do about a log that is good up to `offset`. */
export const toRestore = (offset: number): string =>
  `restore the whole folder of the store from a backup; nothing has been changed; what stands before byte ${offset} is good`

/** The log, open for appending. */
export class Log {
  readonly #fs: FileSystem
  readonly #dir: string
  #file: OpenFile
  #length: number
  #nextSeq: number
  #segmentFirst: number
  /** A failed append may have left part of a batch behind the good end. */
  #mustCut = false
  /** The name of the newest segment may not be on the disk yet: nothing in it counts before it is. */
  #mustSyncDir = false

  private constructor(fs: FileSystem, dir: string, file: OpenFile, length: number, segmentFirst: number, nextSeq: number) {
    this.#fs = fs
    this.#dir = dir
    this.#file = file
    this.#length = length
    this.#segmentFirst = segmentFirst
    this.#nextSeq = nextSeq
  }

  /** Opens the newest segment, `length` bytes of which are good; what lies behind is cut. */
  static async open(fs: FileSystem, dir: string, segment: { path: string; first: number; good: number; size: number }, nextSeq: number): Promise<Log> {
    const file = await fs.open(segment.path, 'append')
    const log = new Log(fs, dir, file, segment.good, segment.first, nextSeq)
    try {
      if (segment.size > segment.good) await log.#cut()
    } catch (thrown) {
      await file.close().catch(() => undefined)
      throw thrown
    }
    return log
  }

  /** The number of the last durable transaction. */
  get lastSeq(): number {
    return this.#nextSeq - 1
  }
  /** Size of the newest segment, in bytes. */
  get length(): number {
    return this.#length
  }
  /** Whether the newest segment holds no transaction. */
  get isFresh(): boolean {
    return this.#segmentFirst === this.#nextSeq
  }

  /**
   * Appends transactions (JSON texts of `TransactionRecord`) in one write and one sync. When this throws, none of them is in the log: what was
   * written is cut at once, or else before the next append.
   */
  async append(transactions: readonly string[], fresh: Batch['fresh']): Promise<void> {
    if (this.#mustCut) await this.#cut()
    await this.#syncName()
    const frame = encodeFrame(`{"seq":${this.#nextSeq},"fresh":${JSON.stringify(fresh)},"transactions":[${transactions.join(',')}]}`)
    try {
      await this.#file.append(frame)
      await this.#file.datasync()
    } catch (thrown) {
      this.#mustCut = true
      await this.#cut().catch(() => undefined)
      throw thrown
    }
    this.#length += frame.length
    this.#nextSeq += transactions.length
  }

  async #cut(): Promise<void> {
    this.#mustCut = true
    await this.#file.truncate(this.#length)
    await this.#file.datasync()
    this.#mustCut = false
  }

  /**
   * Goes on in a new segment, which is on the disk when this resolves; where the present one holds no transaction yet, it
   * is that one. When this throws, either goes on: the new one from the moment that it has its name, and it was open before,
   * so that nothing can fail between the two. One that got its name though the system said it did not stays empty, and a
   * start passes over it.
   */
  async rotate(): Promise<void> {
    if (this.#mustCut) await this.#cut()
    if (!this.isFresh) await this.#goOnInNew()
    await this.#syncName()
  }

  async #goOnInNew(): Promise<void> {
    const path = `${this.#dir}/${segmentName(this.#nextSeq)}`
    const head = headOf(this.#nextSeq)
    const file = await this.#fs.open(path + TEMPORARY, 'create')
    try {
      await file.append(head)
      await file.datasync()
      await this.#fs.rename(path + TEMPORARY, path)
    } catch (thrown) {
      await file.close().catch(() => undefined)
      throw thrown
    }
    const former = this.#file
    this.#file = file
    this.#length = head.length
    this.#segmentFirst = this.#nextSeq
    this.#mustSyncDir = true
    // All in it was synced: what closing it says changes nothing.
    await former.close().catch(() => undefined)
  }

  async #syncName(): Promise<void> {
    if (!this.#mustSyncDir) return
    await this.#fs.syncDir(this.#dir)
    this.#mustSyncDir = false
  }

  /** Removes the segments that hold nothing from transaction `seq` on. */
  async dropBefore(seq: number): Promise<void> {
    for (const { path, first } of await listSegments(this.#fs, this.#dir)) if (first < seq && first !== this.#segmentFirst) await this.#fs.unlink(path)
  }

  async close(): Promise<void> {
    // What a refused transaction left must not count at the next start, where that can be helped.
    if (this.#mustCut) await this.#cut().catch(() => undefined)
    await this.#file.close()
  }
}
