/** Hands a key to `ssh` as a file that has no name: it is gone with this process, however it ends. */
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newSecret } from '../../kernel/ids.js'

/** In memory where there is such a folder: then nothing of a key is ever on a disk. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** A text as a file without a name. */
interface UnnamedFile {
  /** By this path, processes of the same user can open it while it is not closed. */
  path: string
  close(): Promise<void>
}

/** Writes a text into a file that only this user can read, and takes its name away before anything is in it. */
export async function openUnnamed(text: string): Promise<UnnamedFile> {
  const name = join(FOLDER, `bindery-${newSecret()}`)
  const file: FileHandle = await open(name, 'wx+', 0o600)
  try {
    await unlink(name)
    await file.writeFile(text.endsWith('\n') ? text : `${text}\n`)
    return { path: `/proc/${process.pid}/fd/${file.fd}`, close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}
