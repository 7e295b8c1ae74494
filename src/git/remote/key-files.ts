/** Passes a key to `ssh` as a file without a name. The file disappears with this process, however the process ends. */
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newSecret } from '../../kernel/ids.js'

/** A folder in memory if there is one, so that keys are never on a disk. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** A file without a name that contains a text. */
interface UnnamedFile {
  /** The path under which processes of the same user can open the file until it is closed. */
  path: string
  close(): Promise<void>
}

/** Writes a text into a file that only this user can read. Deletes the file's name before writing. */
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
