/** Lists the paths that each commit of a long history changed, with one Git process. */
import { required } from '../../kernel/defined.js'
import { asOid } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import { GitError } from '../errors.js'
import type { ObjectDatabase } from '../objects/database.js'
import type { Launcher } from '../process/launcher.js'
import type { CommitPaths, CommitStep } from './types.js'

const TIMEOUT_MS = 120_000
/** The start of a commit header. A path can start with it too, but a path always follows a status. */
const MARK = '\x01'
const STATUS: Readonly<Record<string, CommitPaths['changes'][number]['status']>> = { A: 'added', D: 'deleted' }

/**
 * Compares each commit with its parent, in the given order. A rename counts as a deletion and an addition. Throws
 * `GitError` if the disk lacks one of the commits: staged commits are not on the disk yet.
 */
export async function readChangedPaths(
  objects: ObjectDatabase,
  launcher: Launcher,
  steps: readonly CommitStep[],
): Promise<CommitPaths[]> {
  const input = steps.map(({ commit, parent }) => (parent === null ? `${commit}\n` : `${commit} ${parent}\n`)).join('')
  const args = [
    'diff-tree',
    '--stdin',
    '--always',
    '-r',
    '-z',
    '--root',
    '--no-renames',
    '--name-status',
    `--format=${MARK}%H %ct`,
  ]
  const output = await launcher.mustRun(args, { cwd: objects.repository, input, timeoutMs: TIMEOUT_MS })
  const fields = output.toString('utf8').split('\0')
  const slices = new Slices()
  const found: CommitPaths[] = []
  for (let at = 0; at < fields.length - 1; at++) {
    const field = required(fields[at])
    if (field.startsWith(MARK)) found.push(await headerOf(objects, field))
    else found.at(-1)?.changes.push({ status: STATUS[field.trim()] ?? 'modified', path: required(fields[++at]) })
    if (slices.due) await slices.rest()
  }
  if (found.length !== steps.length)
    throw new GitError(`git diff-tree printed ${found.length} of ${steps.length} commits`)
  return found
}

async function headerOf(objects: ObjectDatabase, header: string): Promise<CommitPaths> {
  const commit = asOid(header.slice(MARK.length, header.indexOf(' ')))
  const date = header.slice(header.indexOf(' ') + 1)
  // Git prints no date or a different one for a commit whose date it cannot represent.
  const seconds = /^[1-9]\d{0,11}$/.test(date) ? Number(date) : (await objects.commit(commit)).committer.seconds
  return { commit, seconds, changes: [] }
}
