import { access, link, mkdtemp, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { GitError } from '../errors.js'
import { wholeCommand } from '../process/whole-command.js'

const SILENCE_MS = 30 * 60_000

/**
 * Writes a repository, with all its refs, into one new file that `git clone` and `git fetch` read; a server may work on the
 * repository meanwhile. The file appears when it is whole and on the disk. Throws `GitError` where there is no such
 * repository, or the file exists or cannot be written.
 * @param repository the bare repository's folder
 * @param file absolute path
 */
export async function bundleRepository(repository: string, file: string): Promise<void> {
  if (!(await exists(join(repository, 'HEAD')))) throw new GitError(`There is no repository ${repository}.`)
  if (await exists(file)) throw new GitError(`${file} exists: name a file that does not.`)
  const folder = await mkdtemp(join(dirname(file), '.bundle-')).catch((cause) => {
    throw new GitError(`No file can be written in ${dirname(file)}.`, { cause })
  })
  try {
    const whole = join(folder, 'bundle')
    const { code, stderr } = await wholeCommand(repository, ['bundle', 'create', '--quiet', whole, '--all'], SILENCE_MS)
    if (code !== 0) throw new GitError(`git bundle of ${repository} failed: ${stderr.trim()}`)
    const handle = await open(whole)
    await handle.sync().finally(() => handle.close())
    // Of two that write one file, the second is told: a link replaces nothing.
    await link(whole, file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
