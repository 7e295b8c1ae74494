/** Finds out whether folders can be written to: whether their disk has room, and whether the process may write there. */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder that cannot be written to. */
export interface UnwritableFolder {
  /** The setting that names the folder, such as `BINDERY_DATA_DIR`. */
  setting: string
  path: string
  /** The condition in plain words, such as "its disk is full". */
  problem: string
  /** Whether space on the disk would help. */
  isFull: boolean
}

const FULL = ['ENOSPC', 'EDQUOT']
const PROBE_BYTES = 256 * 1024
/** A result is used again for this long, in milliseconds: a client that repeats a failing request must not add to the load. */
const RESULT_MS = 2_000
const PROBLEMS: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full',
  EDQUOT: 'its disk quota is used up',
  EROFS: 'its file system is read-only',
  EACCES: 'the server has no permission to write there',
  EPERM: 'the server has no permission to write there',
}

/** Codes by which SQLite reports that it may not write, or has no room. */
const SQLITE_REFUSED = /^SQLITE_(FULL|READONLY|IOERR_WRITE|CANTOPEN)/

/** The operating system's refusal to write, as an error or one of its causes reports it; null = none. */
function refusalIn(thrown: unknown): NodeJS.ErrnoException | null {
  // bound: the causes of an error
  const seen = new Set<unknown>()
  for (let at = thrown; at instanceof Error && !seen.has(at); at = at.cause) {
    const code = String((at as NodeJS.ErrnoException).code)
    if (code in PROBLEMS || SQLITE_REFUSED.test(code)) return at
    seen.add(at)
  }
  return null
}

/** Whether an error, or one of its causes, is the operating system's refusal to write. */
export const isRefusedWrite = (thrown: unknown): boolean => refusalIn(thrown) !== null

/** Whether an error, or one of its causes, reports a full disk, or a disk quota that is used up. */
export const isFullDisk = (thrown: unknown): boolean => FULL.includes(refusalIn(thrown)?.code ?? '')

/** Watches folders, given as setting and path. */
export class FolderWatch {
  #last: { at: number; found: Promise<UnwritableFolder[]> } | null = null

  constructor(readonly folders: Readonly<Record<string, string>>) {}

  /** The folders that cannot be written to now, as a write shows; a result is at most two seconds old. */
  unwritable(): Promise<UnwritableFolder[]> {
    const now = performance.now()
    if (this.#last === null || now - this.#last.at > RESULT_MS) this.#last = { at: now, found: this.#probeAll() }
    return this.#last.found
  }

  /** The folder that made a write fail; null if it was none. Git does not tell why it failed, so any error is a reason to look. */
  async causeOf(thrown: unknown): Promise<Omit<UnwritableFolder, 'path'> | null> {
    const known = await this.unwritable()
    const [found] = known.length > 0 ? known : await this.#again()
    if (found !== undefined) return found
    // There was no room for this write, but there is for the smaller one that was tried.
    const { code = '', path = '' } = refusalIn(thrown) ?? {}
    if (!/^(ENOSPC|EDQUOT|EROFS)$/.test(code)) return null
    const settings = Object.keys(this.folders)
    const [setting] = settings.filter((one) => path.startsWith(`${this.folders[one]}/`))
    return { setting: setting ?? settings.join(' or '), problem: PROBLEMS[code] as string, isFull: FULL.includes(code) }
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

/** Writes a file, since neither free blocks nor permissions tell of quotas and read-only file systems. Returns the code of the error; null = it can be written. */
async function probe(folder: string): Promise<string | null> {
  const path = join(folder, `.probe-${process.pid}`)
  try {
    // Random bytes, since a file system that compresses would hardly need room for others.
    await writeFile(path, randomBytes(PROBE_BYTES), { mode: 0o600 })
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? ''
  } finally {
    rmSync(path, { force: true })
  }
}
