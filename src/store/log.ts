// The log of transactions, and the functions that read it at start.
import { isRefusedWrite } from '../disk/folder-watch.js'
import { StoreDamaged, StoreTooNew } from './errors.js'
import { ensureDir, listDir, openForAppending, replaceFile, TEMPORARY } from './file-system.js'
import { encodeFrame, scanFrame } from './frame.js'
import type { FileSystem, OpenFile } from './types.js'
import type { AnyDocument } from './view.js'

/** A change of one checkpoint file: the one for the table `c` and the owner `o`. */
export type Operation =
  | { c: string; o: string; put: AnyDocument }
  | { c: string; o: string; remove: string }
  /** A new record of the journal `c` in the group `o`, at position `n`, with time `t`. */
  | { c: string; o: string; n: number; t: string; add: object }

/** One committed transaction. */
interface TransactionRecord {
  readonly ops: readonly Operation[]
  /** The number of the migration, if the transaction is one. */
  readonly migrated?: number
}

/** The transactions of one append, numbered starting with `seq`. Either all or none of them are on the disk. */
export interface Batch {
  readonly seq: number
  readonly transactions: readonly TransactionRecord[]
  /** Checkpoint files, as [table, owner], that did not exist before this batch. */
  readonly fresh: readonly (readonly [string, string])[]
}

const LOG_FORMAT = 2
const SUFFIX = '.log'
const segmentName = (first: number): string => `${String(first).padStart(16, '0')}${SUFFIX}`

/**
 * Returns the segments of the log, oldest first. `first` is the number of the first transaction that a segment may
 * contain.
 */
export async function listSegments(fs: FileSystem, dir: string): Promise<{ path: string; first: number }[]> {
  const names = (await listDir(fs, dir)).filter((name) => /^\d{16}\.log$/.test(name))
  return names.map((name) => ({ path: `${dir}/${name}`, first: Number.parseInt(name, 10) }))
}

const headOf = (first: number): Buffer => encodeFrame(JSON.stringify({ bindery: 'log', format: LOG_FORMAT, first }))

/** Creates a segment durably. */
export async function createSegment(fs: FileSystem, dir: string, first: number): Promise<void> {
  await ensureDir(fs, dir)
  await replaceFile(fs, `${dir}/${segmentName(first)}`, headOf(first))
  await fs.syncDir(dir)
}

/**
 * Reads a segment. `good` is the end of its last complete batch. Anything after it in the newest segment was never
 * acknowledged. `flipped` contains the positions of bits that were corrected. Throws `StoreDamaged` for anything other
 * than that and an interrupted last write.
 */
export async function readSegment(
  fs: FileSystem,
  path: string,
  first: number,
): Promise<{ batches: Batch[]; good: number; size: number; flipped: number[] }> {
  const bytes = await fs.readFile(path)
  const batches: Batch[] = []
  const flipped: number[] = []
  let next = first
  let offset = 0
  for (;;) {
    const found = scanFrame(bytes, offset)
    if (found.kind === 'end' && offset > 0) break
    if (found.kind === 'torn' && offset > 0) break
    if (found.kind !== 'frame') {
      const reason = found.kind === 'damaged' ? found.what : 'it ends in the middle of a record'
      throw new StoreDamaged(path, offset, reason, toRestore(offset))
    }
    const payload: Batch & { format?: number; first?: number } = JSON.parse(found.payload)
    if (offset === 0) {
      if ((payload.format ?? 0) > LOG_FORMAT) throw new StoreTooNew(path, `the log has format ${payload.format}`)
      if (payload.first !== first)
        throw new StoreDamaged(path, 0, `it starts with transaction ${payload.first}, not ${first}: it was renamed`)
    } else {
      if (payload.seq !== next) throw new StoreDamaged(path, offset, `transaction ${next} is missing`)
      batches.push(payload)
      next += payload.transactions.length
    }
    if (found.flipped !== undefined) flipped.push(found.flipped)
    offset = found.next
  }
  return { batches, good: offset, size: bytes.length, flipped }
}

/** Returns the advice for a log that is intact up to `offset`. */
export const toRestore = (offset: number): string =>
  `restore the whole folder of the store from a backup; nothing has been changed; the file is intact up to byte ${offset}`

/** The newest segment at start: its path, its first transaction, its intact length and its size in bytes. */
export interface NewestSegment {
  readonly path: string
  readonly first: number
  readonly good: number
  readonly size: number
}

function unlessRefusedWrite(thrown: unknown): void {
  if (!isRefusedWrite(thrown)) throw thrown
}

/** The log, open for appending. */
export class Log {
  readonly #fs: FileSystem
  readonly #dir: string
  #file: OpenFile
  #length: number
  #nextSeq: number
  #segmentFirst: number
  /** Whether a failed append may have left a partial batch after the intact end. */
  #mustCut = false
  /**
   * Whether the name of the newest segment may not be durable yet. Nothing in the segment is durable before its name
   * is.
   */
  #mustSyncDir = false

  private constructor(fs: FileSystem, dir: string, file: OpenFile, { good, first }: NewestSegment, nextSeq: number) {
    this.#fs = fs
    this.#dir = dir
    this.#file = file
    this.#length = good
    this.#segmentFirst = first
    this.#nextSeq = nextSeq
  }

  /** Opens the newest segment, and truncates it to its intact end. */
  static async open(fs: FileSystem, dir: string, segment: NewestSegment, nextSeq: number): Promise<Log> {
    const file = await openForAppending(fs, segment.path)
    const log = new Log(fs, dir, file, segment, nextSeq)
    try {
      // On a disk that cannot be written, the next append truncates the segment.
      if (segment.size > segment.good) await log.#cut().catch(unlessRefusedWrite)
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
  /** Size of the newest segment in bytes. */
  get length(): number {
    return this.#length
  }
  /** Whether the newest segment contains no transaction. */
  get isFresh(): boolean {
    return this.#segmentFirst === this.#nextSeq
  }

  /**
   * Appends transactions (JSON texts of `TransactionRecord`) with one write and one sync. If it throws, none of them is
   * in the log: a partial write is removed at once, or before the next append.
   */
  async append(transactions: readonly string[], fresh: Batch['fresh']): Promise<void> {
    if (this.#mustCut) await this.#cut()
    await this.#syncName()
    const frame = encodeFrame(
      `{"seq":${this.#nextSeq},"fresh":${JSON.stringify(fresh)},"transactions":[${transactions.join(',')}]}`,
    )
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
   * Starts a new segment, which is durable when the promise resolves. If the current segment contains no transaction,
   * it stays. If it throws, the log continues in one of the two. The new file is opened before it gets its name, and is
   * used from then on, so that nothing can fail in between. If the rename happened although the system reported a
   * failure, the new segment stays empty, and a start ignores it.
   */
  async rotate(): Promise<void> {
    if (this.#mustCut) await this.#cut()
    if (!this.isFresh) await this.#beginSegment()
    await this.#syncName()
  }

  async #beginSegment(): Promise<void> {
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
    // Everything in it was synced, so an error of `close` does not matter.
    await former.close().catch(() => undefined)
  }

  async #syncName(): Promise<void> {
    if (!this.#mustSyncDir) return
    await this.#fs.syncDir(this.#dir)
    this.#mustSyncDir = false
  }

  /** Removes the segments before transaction `seq`. */
  async dropBefore(seq: number): Promise<void> {
    for (const { path, first } of await listSegments(this.#fs, this.#dir))
      if (first < seq && first !== this.#segmentFirst) await this.#fs.unlink(path)
  }

  /** Returns the size of all segments in bytes. */
  async bytes(): Promise<number> {
    let bytes = 0
    for (const { path } of await listSegments(this.#fs, this.#dir)) bytes += await this.#fs.size(path)
    return bytes
  }

  async close(): Promise<void> {
    // Otherwise, a transaction that was reported as failed could count at the next start.
    if (this.#mustCut) await this.#cut().catch(() => undefined)
    await this.#file.close()
  }
}
