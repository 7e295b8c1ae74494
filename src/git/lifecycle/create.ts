// Creates repositories.
import { errorCode } from '../../kernel/thrown.js'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../../kernel/ids.js'
import { RepositoryExists } from '../errors.js'
import { type Disk, syncPath, writeSynced } from '../objects/disk.js'

/**
 * Settings of a new repository. The server passes the same settings to its own Git processes. In the file, they are for
 * admins who use Git in the folder: their writes are durable too, nothing is pruned automatically, and every branch has
 * a reflog.
 */
const CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tlogAllRefUpdates = true
\tfsync = all
\tfsyncMethod = fsync
[gc]
\tauto = 0
[maintenance]
\tauto = false
[receive]
\tfsckObjects = true
\tdenyDeleteCurrent = refuse
[merge]
\tdirectoryRenames = false
`
/**
 * Creates a bare repository under a temporary name, calls `fill` to add content, and renames it. Throws
 * `RepositoryExists`.
 */
export async function createRepository(
  disk: Disk,
  reposDir: string,
  path: string,
  fill: (building: string) => Promise<void> = async () => {},
): Promise<void> {
  const building = join(reposDir, `.new-${newId()}`)
  try {
    for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info'])
      await mkdir(join(building, folder), { recursive: true })
    await writeSynced(disk, join(building, 'HEAD'), [Buffer.from('ref: refs/heads/main\n')], 0o644)
    await writeSynced(disk, join(building, 'config'), [Buffer.from(CONFIG)], 0o644)
    await fill(building)
    for (const folder of ['objects/info', 'objects/pack', 'objects', 'refs/heads', 'refs/tags', 'refs', 'info', '.'])
      await syncPath(disk, join(building, folder))
    await rename(building, path)
    await syncPath(disk, reposDir)
  } catch (error) {
    await rm(building, { recursive: true, force: true })
    if (['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? ''))
      throw new RepositoryExists(`${path} already exists`, { cause: error })
    throw error
  }
}
