/** Backs up a repository: writes all its refs and objects into a bundle file, even while a server uses it. */
import { link, mkdtemp, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { GitError } from '../errors.js'
import { exists } from '../objects/disk.js'
import { wholeCommand } from '../process/whole-command.js'

const SILENCE_MS = 30 * 60_000

/**
 * Writes a repository with all its refs into one new file, which `git clone` and `git fetch` can read. A server may use
 * the repository at the same time. The file appears when it is complete and synced. Throws `GitError` if there is no
 * such repository, or the file exists or cannot be written.
 * @param repository the bare repository's folder
 * @param file absolute path
 */
export async function bundleRepository(repository: string, file: string): Promise<void> {
  if (!(await exists(join(repository, 'HEAD')))) throw new GitError(`The repository ${repository} does not exist.`)
  if (await exists(file)) throw new GitError(`${file} already exists. Choose another file name.`)
  const folder = await mkdtemp(join(dirname(file), '.bundle-')).catch((cause) => {
    throw new GitError(`Cannot write to the folder ${dirname(file)}.`, { cause })
  })
  try {
    const whole = join(folder, 'bundle')
    const { code, stderr } = await wholeCommand(repository, ['bundle', 'create', '--quiet', whole, '--all'], SILENCE_MS)
    if (code !== 0) throw new GitError(`git bundle of ${repository} failed: ${stderr.trim()}`)
    const handle = await open(whole)
    await handle.sync().finally(() => handle.close())
    // A link fails if another process has created the file in the meantime. A rename would replace it.
    await link(whole, file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
