/** Pushes a commit to a remote's branch without ever rewriting its history, and explains rejections. */
import { resolve } from 'node:path'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { isOid } from '../../kernel/ids.js'
import { RemoteError } from '../errors.js'
import type { PushOrder, Remote } from '../types.js'
import { bounded, remoteWords } from './classify.js'
import { type Connection, connect, type LocalRepository, type RemoteOptions } from './connection.js'
import { requireRemoteRefName } from '../refs/name.js'
import type { GitRun } from './run.js'

const TIMEOUT_MS = 600_000
const TRY_TIMEOUT_MS = 60_000

const ARGUMENTS = [
  'push',
  '--porcelain',
  '--no-verify',
  '--no-follow-tags',
  '--no-signed',
  '--no-progress',
  '--recurse-submodules=no',
]

/** Messages of Git, local or remote, which mean that the ref has another value than expected. */
const STALE = /stale info|fetch first|non-fast-forward|needs force|incorrect old value/
const MOVED = /cannot lock ref .*(?:but expected|reference already exists)/

/**
 * Throws unless `commit` descends from `expected`. The remote's history is never rewritten, and a lease alone would
 * allow a push that drops its commits.
 */
async function requireDescendant(
  connection: Connection,
  local: LocalRepository,
  commit: CommitId,
  expected: CommitId,
): Promise<void> {
  if (!(await local.isAncestor(expected, commit)))
    throw new RemoteError(
      'rejected',
      `The commit does not descend from ${expected}, the head of ${connection.url}. The remote's history is never rewritten.`,
    )
}

/** Returns the line about the ref in the `--porcelain` output: flag, refs, summary (with the reason in parentheses). */
function verdict(run: GitRun, ref: RefName): { flag: string; summary: string } | null {
  for (const line of run.stdout.split('\n')) {
    const [flag, names, summary] = line.split('\t')
    if (flag !== undefined && summary !== undefined && names?.endsWith(`:${ref}`)) return { flag, summary }
  }
  return null
}

function refusal(connection: Connection, run: GitRun, summary: string): RemoteError {
  if (STALE.test(summary) || (/failed to update ref/.test(summary) && MOVED.test(run.stderr))) {
    return new RemoteError('stale', 'The remote has changed in the meantime. Import its changes, then export again.')
  }
  const reason = bounded(connection.scrub(summary))
  const words = bounded(connection.scrub(remoteWords(run.stderr)))
  return new RemoteError(
    'rejected',
    `The remote rejected the push: ${reason}.${words === '' ? '' : ` Its message: ${words}`}`,
  )
}

/**
 * Implements `Exchange.push`. Pushing a commit that the remote already has succeeds, so a push whose response
 * was lost can be repeated.
 */
export async function push(
  options: RemoteOptions,
  local: LocalRepository,
  remote: Remote,
  { ref, commit, expected }: PushOrder,
): Promise<void> {
  requireRemoteRefName(ref)
  if (!isOid(commit) || (expected !== null && !isOid(expected)))
    throw new RemoteError('failed', 'A push needs full commit IDs.')
  const connection = await connect(remote, options, local.launcher)
  const env = { GIT_DIR: resolve(local.path) }
  if (expected !== null) await requireDescendant(connection, local, commit, expected)
  const lease = `--force-with-lease=${ref}:${expected ?? ''}`
  const run = await connection.run([...ARGUMENTS, lease, '--', connection.url, `${commit}:${ref}`], {
    env,
    timeoutMs: options.pushTimeoutMs ?? TIMEOUT_MS,
  })
  const found = verdict(run, ref)
  if (found?.flag === '!') throw refusal(connection, run, found.summary)
  // An exit code of 0 without a line about the ref does not count as success.
  if (run.code !== 0 || !found) throw connection.failure(run)
}

/**
 * Implements `Repository.tryPush`: a push without transferring objects or moving the ref. It does not detect
 * protected branches of the host.
 */
export async function tryPush(
  options: RemoteOptions,
  local: LocalRepository,
  remote: Remote,
  ref: RefName,
  commit: CommitId,
): Promise<void> {
  requireRemoteRefName(ref)
  const connection = await connect(remote, options, local.launcher)
  // Force the dry run, because it does not matter here whether the branch has unknown commits. With --dry-run, nothing
  // moves.
  const run = await connection.run([...ARGUMENTS, '--dry-run', '--force', '--', connection.url, `${commit}:${ref}`], {
    env: { GIT_DIR: resolve(local.path) },
    timeoutMs: options.headTimeoutMs ?? TRY_TIMEOUT_MS,
  })
  const found = verdict(run, ref)
  if (found?.flag === '!') throw refusal(connection, run, found.summary)
  if (run.code !== 0 || !found) throw connection.failure(run)
}
