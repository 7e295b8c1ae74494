/** Reads one file of a commit from a clone on this machine, for commands. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommitId } from '../../kernel/ids.js'
import { GitError } from '../errors.js'
import { Launcher } from '../process/launcher.js'

const MAX_BYTES = 256 * 1024 * 1024

/** A file of a commit; `no-commit` and `no-file` if the clone lacks one of them. */
export type FileAtCommit = { blob: string; bytes: Buffer } | 'no-commit' | 'no-file'

/**
 * Reads a file of a commit from a clone, with a work tree or bare. Throws `GitError` if the folder is not a clone.
 * @param path the path from the root of the repository, without line breaks
 */
export async function fileAtCommit(clone: string, commit: CommitId, path: string): Promise<FileAtCommit> {
  if (/[\0\n\r]/.test(path)) return 'no-file'
  const cwd = await gitFolderOf(clone)
  const launcher = await Launcher.open()
  try {
    const known = await launcher.mustRun(['cat-file', '--batch-check'], { cwd, input: `${commit}^{commit}\n` })
    if (!known.toString().startsWith(`${commit} commit `)) return 'no-commit'
    const found = await launcher.mustRun(['cat-file', '--batch'], {
      cwd,
      input: `${commit}:${path}\n`,
      maxBytes: MAX_BYTES,
    })
    const end = found.indexOf(10)
    const [, blob, size] = /^([0-9a-f]{40}) blob (\d+)$/.exec(found.toString('latin1', 0, end)) ?? []
    return blob === undefined ? 'no-file' : { blob, bytes: found.subarray(end + 1, end + 1 + Number(size)) }
  } finally {
    await launcher.close()
  }
}

/** Returns the folder with the objects of a clone. A linked work tree has a file that Git follows. */
async function gitFolderOf(clone: string): Promise<string> {
  const inside = join(clone, '.git')
  const found = await stat(inside).catch(() => null)
  if (found?.isDirectory()) return inside
  if (found) throw new GitError(`${clone} is a linked work tree. Name the folder of its main clone`)
  if (await stat(join(clone, 'objects')).catch(() => null)) return clone
  throw new GitError(`${clone} is not a clone of a Git repository`)
}
