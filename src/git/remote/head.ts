import { resolve } from 'node:path'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { isOid } from '../../kernel/ids.js'
import type { Remote } from '../types.js'
import { connect, type LocalRepository, type RemoteOptions } from './connection.js'
import { requireRemoteRefName } from '../refs/name.js'

const TIMEOUT_MS = 60_000

/** The output of `git ls-remote` for a ref, by lines. */
async function list(options: RemoteOptions, local: LocalRepository, remote: Remote, ref: string): Promise<string[]> {
  const connection = await connect(remote, options, local.launcher)
  const run = await connection.run(['ls-remote', '--quiet', '--symref', '--', connection.url, ref], {
    env: { GIT_DIR: resolve(local.path) },
    timeoutMs: options.headTimeoutMs ?? TIMEOUT_MS,
  })
  if (run.code !== 0) throw connection.failure(run)
  return run.stdout.split('\n')
}

/** The commit that the remote's `ref` names; null = no such ref. */
export async function remoteHead(options: RemoteOptions, local: LocalRepository, remote: Remote, ref: RefName): Promise<CommitId | null> {
  requireRemoteRefName(ref)
  // ls-remote also lists longer names that end in `ref`.
  const line = (await list(options, local, remote, ref)).find((candidate) => candidate.slice(41) === ref)
  const oid = line?.slice(0, 40) ?? ''
  return isOid(oid) ? (oid as CommitId) : null
}

/** The remote's default branch; null if it has none, or that branch has no commit. */
export async function remoteDefault(options: RemoteOptions, local: LocalRepository, remote: Remote): Promise<RefName | null> {
  const lines = await list(options, local, remote, 'HEAD')
  const named = lines.find((line) => line.startsWith('ref: ') && line.endsWith('\tHEAD'))?.slice('ref: '.length, -'\tHEAD'.length)
  if (named === undefined || !lines.some((line) => line.slice(41) === 'HEAD' && isOid(line.slice(0, 40)))) return null
  requireRemoteRefName(named)
  return named
}
