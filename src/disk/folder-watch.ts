/** Checks whether folders can be written: whether their disk has room, and whether the process has permission. */
import { required } from '../kernel/defined.js'
import { errorCode } from '../kernel/thrown.js'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder that cannot be written. */
export interface UnwritableFolder {
  /** The setting of the folder, such as `BINDERY_DATA_DIR`. */
  setting: string
  path: string
  /** The condition in plain words, such as "its disk is full". */
  problem: string
  /** Whether the cause is a full disk or an exhausted quota, so that deleting files helps. */
  isFull: boolean
}

const FULL = ['ENOSPC', 'EDQUOT']
const PROBE_BYTES = 256 * 1024
/**
 * Time for which a result is reused, in milliseconds: a client that repeats a failing request must not increase the
 * load.
 */
const RESULT_MS = 2_000
const PROBLEMS: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full',
  EDQUOT: 'its disk quota is used up',
  EROFS: 'its file system is read-only',
  EACCES: 'the server has no permission to write there',
  EPERM: 'the server has no permission to write there',
  EIO: 'its disk reports errors',
}
/** An error of the disk during a read concerns one file. It does not mean that the folder cannot be written. */
const READS: ReadonlySet<string | undefined> = new Set(['read', 'stat', 'lstat', 'scandir', 'readlink', undefined])

/** A disk is nearly full below this part of its size, and below this number of bytes. */
const LOW_PART = 0.05
const LOW_BYTES = 2 * 1024 ** 3

/** The room on a disk, in bytes. */
interface DiskRoom {
  free: number
  size: number
  isLow: boolean
}

/** A folder whose disk is nearly full. */
export interface LowFolder extends DiskRoom {
  setting: string
}

/** Returns the room on the disk of a folder. Throws `ENOENT` if the folder does not exist. */
export async function roomOf(path: string): Promise<DiskRoom> {
  const { bavail, blocks, bsize } = await statfs(path)
  const [free, size] = [bavail * bsize, blocks * bsize]
  return { free, size, isLow: free < Math.min(LOW_BYTES, size * LOW_PART) }
}

/** SQLite error codes which mean that SQLite cannot write, because of the disk or of permissions. */
const SQLITE_REFUSED = /^SQLITE_(FULL|READONLY|IOERR_WRITE|CANTOPEN)/

/** Returns the operating system's write error in an error or one of its causes; null = none. */
function refusalIn(thrown: unknown): NodeJS.ErrnoException | null {
  // bound: the causes of an error
  const seen = new Set<unknown>()
  for (let at = thrown; at instanceof Error && !seen.has(at); at = at.cause) {
    const code = String(errorCode(at))
    if (code === 'EIO' && READS.has(syscallOf(at))) return null
    if (code in PROBLEMS || SQLITE_REFUSED.test(code)) return at
    seen.add(at)
  }
  return null
}

const syscallOf = (error: Error): string | undefined =>
  'syscall' in error && typeof error.syscall === 'string' ? error.syscall : undefined

/** Whether an error, or one of its causes, is the operating system's rejection of a write. */
export const isRefusedWrite = (thrown: unknown): boolean => refusalIn(thrown) !== null

/** Whether an error, or one of its causes, reports a full disk or an exhausted disk quota. */
export const isFullDisk = (thrown: unknown): boolean => FULL.includes(refusalIn(thrown)?.code ?? '')

/** Watches folders, which are given as setting and path. */
export class FolderWatch {
  #last: { at: number; found: Promise<UnwritableFolder[]> } | null = null

  constructor(readonly folders: Readonly<Record<string, string>>) {}

  /** Returns the folders that cannot be written now, according to a test write. A result is at most two seconds old. */
  unwritable(): Promise<UnwritableFolder[]> {
    const now = performance.now()
    if (this.#last === null || now - this.#last.at > RESULT_MS) this.#last = { at: now, found: this.#probeAll() }
    return this.#last.found
  }

  /** Returns the folders whose disks are nearly full. They can still be written. */
  async low(): Promise<LowFolder[]> {
    const found = await Promise.all(
      Object.entries(this.folders).map(async ([setting, path]) => {
        const room = await roomOf(path).catch(() => null)
        return room?.isLow ? [{ setting, ...room }] : []
      }),
    )
    return found.flat()
  }

  /**
   * Returns the folder that caused a failed write; null if there is none. Git does not report the cause of a failure,
   * so any error triggers a check.
   */
  async causeOf(thrown: unknown): Promise<Omit<UnwritableFolder, 'path'> | null> {
    const known = await this.unwritable()
    const [found] = known.length > 0 ? known : await this.#again()
    if (found !== undefined) return found
    // There was no room for this write, but enough for the smaller test write.
    const { code = '', path = '' } = refusalIn(thrown) ?? {}
    if (!/^(ENOSPC|EDQUOT|EROFS|EIO)$/.test(code)) return null
    const settings = Object.keys(this.folders)
    const [setting] = settings.filter((one) => path.startsWith(`${this.folders[one]}/`))
    return { setting: setting ?? settings.join(' or '), problem: required(PROBLEMS[code]), isFull: FULL.includes(code) }
  }

  #again(): Promise<UnwritableFolder[]> {
    this.#last = null
    return this.unwritable()
  }

  async #probeAll(): Promise<UnwritableFolder[]> {
    const found = await Promise.all(
      Object.entries(this.folders).map(async ([setting, path]) => ({ setting, path, code: await probe(path) })),
    )
    return found.flatMap(({ code, ...folder }) =>
      code === null
        ? []
        : [
            {
              ...folder,
              problem: PROBLEMS[code] ?? `a file cannot be written there (${code})`,
              isFull: FULL.includes(code),
            },
          ],
    )
  }
}

/**
 * Tests a folder by writing a file, since neither free blocks nor permissions reveal quotas and read-only file systems.
 * Returns the error code; null = it can be written.
 */
async function probe(folder: string): Promise<string | null> {
  const path = join(folder, `.probe-${process.pid}`)
  try {
    // Random bytes, since other bytes would hardly need room on a compressing file system.
    await writeFile(path, randomBytes(PROBE_BYTES), { mode: 0o600 })
    return null
  } catch (error) {
    return errorCode(error) ?? ''
  } finally {
    rmSync(path, { force: true })
  }
}
