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
}

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

/** Whether an error, or one of its causes, is the operating system's refusal to write. */
export function isRefusedWrite(thrown: unknown): boolean {
  // bound: the causes of an error
  const seen = new Set<unknown>()
  for (let at = thrown; at instanceof Error && !seen.has(at); at = at.cause) {
    if (String((at as NodeJS.ErrnoException).code) in PROBLEMS) return true
    seen.add(at)
  }
  return false
}

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

  async #probeAll(): Promise<UnwritableFolder[]> {
    const found = await Promise.all(Object.entries(this.folders).map(async ([setting, path]) => ({ setting, path, problem: await probe(path) })))
    return found.flatMap(({ problem, ...folder }) => (problem === null ? [] : [{ ...folder, problem }]))
  }
}

/** Writes a file, since neither free blocks nor permissions tell of quotas and read-only file systems. Null = it can be written. */
async function probe(folder: string): Promise<string | null> {
  const path = join(folder, `.probe-${process.pid}`)
  try {
    // Random bytes, since a file system that compresses would hardly need room for others.
    await writeFile(path, randomBytes(PROBE_BYTES), { mode: 0o600 })
    return null
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return PROBLEMS[code] ?? `a file cannot be written there (${code})`
  } finally {
    rmSync(path, { force: true })
  }
}
