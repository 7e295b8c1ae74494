/** What plain Git says of a repository on the disk that no server has open: its refs, whether it is sound. Nothing in it is changed. */
import { copyFile, link, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { GitError } from '../errors.js'
import { errorCode, inParallel } from '../objects/disk.js'
import { isLooseFolder } from '../objects/loose.js'
import { wholeCommand } from '../process/whole-command.js'

/** Milliseconds for which Git may print nothing while it checks a large repository. */
const CHECK_MS = 3_600_000
const COPIES_AT_ONCE = 8

/** All refs of a repository, as lines `<object> <ref>` in the order of `git for-each-ref`. Throws `GitError`. */
export async function listRefs(path: string): Promise<string[]> {
  const { code, stdout, stderr } = await wholeCommand(path, ['for-each-ref', '--format=%(objectname) %(refname)'], CHECK_MS)
  if (code !== 0) throw new GitError(`git for-each-ref in ${path} failed: ${stderr.trim()}`)
  return stdout.split('\n').filter((line) => line !== '')
}

/** Runs `git fsck --strict` and returns its complaints; empty = sound. */
export async function fsck(path: string): Promise<string[]> {
  const { code, stdout, stderr } = await wholeCommand(path, ['fsck', '--strict', '--full', '--no-dangling', '--no-progress'], CHECK_MS)
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line !== '' && !line.startsWith('notice: '))
  if (code !== 0 && lines.length === 0) throw new GitError(`git fsck ended with ${code} and printed nothing`)
  return lines
}

/** Gives a repository all objects of another one on the disk: hard links where the disk allows, else copies. Not durable: for work that begins again after a crash. */
export async function shareObjects(from: string, to: string): Promise<void> {
  const folders = (await readdir(join(from, 'objects'))).filter((name) => name === 'pack' || isLooseFolder(name))
  for (const folder of folders) {
    const [source, target] = [join(from, 'objects', folder), join(to, 'objects', folder)]
    await mkdir(target, { recursive: true })
    const names = (await readdir(source)).filter(
      (name) => !name.startsWith('tmp_') && !/\.(keep|lock|bitmap|rev|midx)$/.test(name) && name !== 'multi-pack-index',
    )
    await inParallel(names, COPIES_AT_ONCE, (name) => shareOne(join(source, name), join(target, name)))
  }
}

async function shareOne(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return
    await copyFile(from, to)
  }
}
