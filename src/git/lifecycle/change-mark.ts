/** Notes the state of a repository after maintenance, so that the next one can skip it if nothing has changed. */
import { createHash } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../objects/disk.js'

const FILE = 'bindery-maintained'

/** The state of a repository after its last maintenance. */
interface ChangeMark {
  state: string
  /** Milliseconds since 1970. */
  at: number
  /** How many loose objects were left; unreachable ones can be deleted later. */
  loose: number
}

/**
 * A digest that changes when objects or refs are added or removed: of the modification times of the folders that contain them.
 * There are some hundred of these, however large the repository is. Renewing the time of a file does not change it.
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

/** The mark of the last maintenance; null if there is none, or it cannot be read. */
export async function readMark(repository: string): Promise<ChangeMark | null> {
  try {
    return JSON.parse(await readFile(join(repository, FILE), 'utf8')) as ChangeMark
  } catch {
    return null
  }
}

/** Not synced: a lost mark only costs one more maintenance. */
export const writeMark = (repository: string, mark: ChangeMark): Promise<void> =>
  writeFile(join(repository, FILE), JSON.stringify(mark))
