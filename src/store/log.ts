import { StoreDamaged, StoreTooNew } from './errors.js'
import { ensureDir, listDir, replaceFile } from './file-system.js'
import { encodeFrame, scanFrame } from './frame.js'
import type { FileSystem, OpenFile } from './types.js'
import type { AnyDocument } from './view.js'

/** What a transaction did to one checkpoint file: a document now in it, or one no longer in it. */
export type Operation = { c: string; o: string; put: AnyDocument } | { c: string; o: string; remove: string }

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
  /** Checkpoint files, as [collection, owner], that held nothing before this batch. */
  readonly fresh: readonly (readonly [string, string])[]
}

const LOG_FORMAT = 1
const SUFFIX = '.log'
const segmentName = (first: number): string => `${String(first).padStart(16, '0')}${SUFFIX}`

/** The segments in a folder, oldest first, by the number of the first transaction each may hold. */
export async function listSegments(fs: FileSystem, dir: string): Promise<{ path: string; first: number }[]> {
  const names = (await listDir(fs, dir)).filter((name) => /^\d{16}\.log$/.test(name))
  return names.map((name) => ({ path: `${dir}/${name}`, first: Number.parseInt(name, 10) }))
}

/** Begins a segment; it is on the disk, under its name, when this resolves. */
export async function createSegment(fs: FileSystem, dir: string, first: number): Promise<{ path: string; length: number }> {
  const path = `${dir}/${segmentName(first)}`
  const head = encodeFrame(JSON.stringify({ bindery: 'log', format: LOG_FORMAT, first }))
  await ensureDir(fs, dir)
  await replaceFile(fs, path, head)
  await fs.syncDir(dir)
  return { path, length: head.length }
}

/**
 * Reads a segment. `good` is where its last whole batch ends; what lies behind it was never acknowledged. Throws
 * `StoreDamaged` for anything but an unfinished last write, and for that too unless `last`.
 */
export async function readSegment(fs: FileSystem, path: string, first: number, last: boolean): Promise<{ batches: Batch[]; good: number; size: number }> {
  const bytes = await fs.readFile(path)
  const batches: Batch[] = []
  let next = first
  let offset = 0
  for (;;) {
    const found = scanFrame(bytes, offset)
    if (found.kind === 'end' && offset > 0) break
    if (found.kind === 'torn' && last && offset > 0) break
    if (found.kind !== 'frame') {
      const what = found.kind === 'damaged' ? found.what : 'it ends in the middle of a record'
      throw new StoreDamaged(path, offset, what, `${backup}; what stands before byte ${offset} is good`)
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

const backup = 'restore the whole folder of the store from a backup; nothing has been changed'

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
    if (segment.size > segment.good) await log.#cut()
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

  /** Goes on in a new segment. When this throws, the present one is still in use. */
  async rotate(): Promise<void> {
    if (this.#mustCut) await this.#cut()
    const { path, length } = await createSegment(this.#fs, this.#dir, this.#nextSeq)
    const file = await this.#fs.open(path, 'append')
    const former = this.#file
    this.#file = file
    this.#length = length
    this.#segmentFirst = this.#nextSeq
    await former.close()
  }

  /** Removes the segments that hold nothing from transaction `seq` on. */
  async dropBefore(seq: number): Promise<void> {
    for (const { path, first } of await listSegments(this.#fs, this.#dir)) if (first < seq && first !== this.#segmentFirst) await this.#fs.unlink(path)
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}
