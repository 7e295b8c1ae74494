/**
 * Inspects a repository on the disk with plain Git, without a server: lists its refs and checks its integrity. Changes
 * nothing.
 */
import type { Launcher } from '../process/launcher.js'
import { GitError } from '../errors.js'
import { wholeCommand } from '../process/whole-command.js'

/** Maximum time without output while Git checks a large repository, in milliseconds. */
const CHECK_MS = 3_600_000

/**
 * Returns all refs of a repository, as lines `<object> <ref>` in the order of `git for-each-ref`. Throws `GitError`.
 */
export async function listRefs(path: string): Promise<string[]> {
  const { code, stdout, stderr } = await wholeCommand(
    path,
    ['for-each-ref', '--format=%(objectname) %(refname)'],
    CHECK_MS,
  )
  if (code !== 0) throw new GitError(`git for-each-ref in ${path} failed: ${stderr.trim()}`)
  return stdout.split('\n').filter((line) => line !== '')
}

/** Runs `git fsck --strict` and returns its complaints; empty if the repository is intact. */
export async function fsck(path: string): Promise<string[]> {
  const { code, stdout, stderr } = await wholeCommand(
    path,
    ['fsck', '--strict', '--full', '--no-dangling', '--no-progress'],
    CHECK_MS,
  )
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line !== '' && !line.startsWith('notice: '))
  if (code !== 0 && lines.length === 0) throw new GitError(`git fsck failed with exit code ${code} without output`)
  return lines
}

/** Maximum time of a lookup of many objects, in milliseconds. */
const ABSENT_MS = 3_600_000

/** Returns the objects that the repository at `path` does not have. */
export async function findAbsent(launcher: Launcher, path: string, oids: readonly string[]): Promise<string[]> {
  const options = { cwd: path, input: Buffer.from(`${oids.join('\n')}\n`), timeoutMs: ABSENT_MS }
  const found = await launcher.mustRun(['cat-file', '--buffer', '--batch-check=%(objectname)'], options)
  const absent = new Set(found.toString('latin1').match(/^[0-9a-f]{40}(?= missing$)/gm))
  return oids.filter((oid) => absent.has(oid))
}
