import { resolve } from 'node:path'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { isOid } from '../../kernel/ids.js'
import type { Remote } from '../types.js'
import { connect, type RemoteOptions } from './connection.js'
import { requireRefName } from './ref-name.js'

const TIMEOUT_MS = 60_000

/** What the remote's `ref` names; null = no such ref. Native ls-remote, since only that keeps the host pinned. */
export async function remoteHead(options: RemoteOptions, repoPath: string, remote: Remote, ref: RefName): Promise<CommitId | null> {
  requireRefName(ref)
  const connection = await connect(remote, options)
  const run = await connection.run(['ls-remote', '--quiet', '--', connection.url, ref], {
    env: { ...connection.env, GIT_DIR: resolve(repoPath) },
    timeoutMs: options.headTimeoutMs ?? TIMEOUT_MS,
  })
  if (run.code !== 0) throw connection.failure(run)
  // The pattern also matches the tail of longer names.
  const line = run.stdout.split('\n').find((candidate) => candidate.slice(41) === ref)
  const oid = line?.slice(0, 40) ?? ''
  return isOid(oid) ? (oid as CommitId) : null
}
