/** Fills the repository of a duplicated space: hard-links the objects, and copies the refs that a duplicate needs. */
import { errorCode } from '../../kernel/thrown.js'
import { link, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Disk, inParallel, REPACK_ATTEMPTS, syncPath, writeSynced } from '../objects/disk.js'
import { isLooseFolder } from '../objects/loose.js'
import type { RefReader } from '../refs/reader.js'

const COPIED = ['refs/heads/main', 'refs/bindery/adopted', 'refs/bindery/sync/']

/** Whether a duplicate gets the ref with this name. */
export const isCopied = (ref: string): boolean =>
  COPIED.some((prefix) => (prefix.endsWith('/') ? ref.startsWith(prefix) : ref === prefix))

/** Returns the refs of a duplicate as the content of a packed-refs file. */
function copiedRefs(refs: RefReader): string {
  const kept = COPIED.flatMap((prefix) =>
    [...refs.list(prefix)].filter(([name]) => prefix.endsWith('/') || name === prefix),
  )
  const lines = kept.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, commit]) => `${commit} ${name}\n`)
  return `# pack-refs with: sorted \n${lines.join('')}`
}

/**
 * Hard-links all objects and copies the refs, durably. Reads the refs first, so that all of their objects are linked.
 */
export async function fillDuplicate(disk: Disk, source: string, refs: RefReader, building: string): Promise<void> {
  const packedRefs = copiedRefs(refs)
  for (let attempt = 1; ; attempt++) {
    try {
      await linkObjects(disk, source, building)
      break
    } catch (error) {
      // A repack has replaced listed files. The next attempt links the new ones.
      if (errorCode(error) !== 'ENOENT' || attempt === REPACK_ATTEMPTS) throw error
    }
  }
  await writeSynced(disk, join(building, 'packed-refs'), [Buffer.from(packedRefs)], 0o644)
}

async function linkObjects(disk: Disk, source: string, building: string): Promise<void> {
  const folders = (await readdir(join(source, 'objects'))).filter((name) => name === 'pack' || isLooseFolder(name))
  for (const folder of folders) {
    const [from, to] = [join(source, 'objects', folder), join(building, 'objects', folder)]
    await mkdir(to, { recursive: true })
    const names = (await readdir(from)).filter(
      (name) => !name.startsWith('tmp_') && !name.startsWith('.') && !name.endsWith('.keep') && !name.endsWith('.lock'),
    )
    await inParallel(names, 8, (name) => linkOne(disk, join(from, name), join(to, name)))
    await syncPath(disk, to)
  }
}

async function linkOne(disk: Disk, from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return
    throw error
  }
  // An admin's Git may have written the file without a sync.
  await syncPath(disk, to)
}
