/**
 * Records the state of a repository after maintenance, so that the next maintenance can be skipped if nothing has
 * changed.
 */
import { errorCode } from '../../kernel/thrown.js'
import { createHash } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = 'bindery-maintained'

/** The state of a repository after its last maintenance. */
interface ChangeMark {
  state: string
  /** Milliseconds since 1970. */
  at: number
  /** Number of remaining loose objects. Unreachable ones can be deleted later. */
  loose: number
}

/**
 * Returns a digest that changes when objects or refs are added or removed. It covers the modification times of the
 * folders that contain them. There are a few hundred such folders, regardless of the repository's size. Renewing the
 * time of a file does not change the digest.
 */
export async function stateOf(repository: string): Promise<string> {
  const hash = createHash('sha1')
  const note = async (path: string): Promise<void> => {
    const { mtimeNs } = await stat(join(repository, path), { bigint: true }).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error
      return { mtimeNs: 0n }
    })
    hash.update(`${path} ${mtimeNs}\n`)
  }
  const refs = (await readdir(join(repository, 'refs'), { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isDirectory(),
  )
  const folders = (await readdir(join(repository, 'objects'))).filter((name) => /^([0-9a-f]{2}|pack)$/.test(name))
  const paths = [
    ...folders.map((name) => `objects/${name}`),
    ...refs.map((entry) => join(entry.parentPath, entry.name).slice(repository.length + 1)),
  ]
  for (const path of ['packed-refs', 'refs', ...paths.sort()]) await note(path)
  return hash.digest('hex')
}

/** Returns the mark of the last maintenance; null if there is none, or it cannot be read. */
export async function readMark(repository: string): Promise<ChangeMark | null> {
  try {
    return JSON.parse(await readFile(join(repository, FILE), 'utf8'))
  } catch {
    return null
  }
}

/** Writes the mark without a sync: a lost mark only costs one more maintenance. */
export const writeMark = (repository: string, mark: ChangeMark): Promise<void> =>
  writeFile(join(repository, FILE), JSON.stringify(mark))
