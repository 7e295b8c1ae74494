/** Reads the commits of refs, or the default branch, from a remote with `git ls-remote`. */
import { resolve } from 'node:path'
import { type CommitId, type RefName, asOid } from '../../kernel/ids.js'
import { isOid } from '../../kernel/ids.js'
import type { Remote, RemoteBranches } from '../types.js'
import { connect, type LocalRepository, type RemoteOptions } from './connection.js'
import { requireRemoteRefName, isRefName } from '../refs/name.js'

const TIMEOUT_MS = 60_000

/** Returns the output lines of `git ls-remote` for refs. */
async function list(
  options: RemoteOptions,
  local: LocalRepository,
  remote: Remote,
  ...refs: string[]
): Promise<string[]> {
  const connection = await connect(remote, options, local.launcher)
  const run = await connection.run(['ls-remote', '--quiet', '--symref', '--', connection.url, ...refs], {
    env: { GIT_DIR: resolve(local.path) },
    timeoutMs: options.headTimeoutMs ?? TIMEOUT_MS,
  })
  if (run.code !== 0) throw connection.failure(run)
  return run.stdout.split('\n')
}

/** Returns the commit that the remote's `ref` names; null = no such ref. */
export async function remoteHead(
  options: RemoteOptions,
  local: LocalRepository,
  remote: Remote,
  ref: RefName,
): Promise<CommitId | null> {
  requireRemoteRefName(ref)
  // ls-remote also lists longer names that end with `ref`.
  const line = (await list(options, local, remote, ref)).find((candidate) => candidate.slice(41) === ref)
  const oid = line?.slice(0, 40) ?? ''
  return isOid(oid) ? oid : null
}

/** Returns the remote's default branch; null if there is none, or it has no commit. */
export async function remoteDefault(
  options: RemoteOptions,
  local: LocalRepository,
  remote: Remote,
): Promise<RefName | null> {
  const lines = await list(options, local, remote, 'HEAD')
  const named = lines
    .find((line) => line.startsWith('ref: ') && line.endsWith('\tHEAD'))
    ?.slice('ref: '.length, -'\tHEAD'.length)
  if (named === undefined || !lines.some((line) => line.slice(41) === 'HEAD' && isOid(line.slice(0, 40)))) return null
  requireRemoteRefName(named)
  return named
}

/** Returns the commits that refs of the remote name, with one request. Missing refs are left out. */
export async function remoteHeads(
  options: RemoteOptions,
  local: LocalRepository,
  remote: Remote,
  refs: readonly RefName[],
): Promise<Map<RefName, CommitId>> {
  for (const ref of refs) requireRemoteRefName(ref)
  const wanted = new Set<string>(refs)
  const isWanted = (name: string): name is RefName => wanted.has(name)
  const found = new Map<RefName, CommitId>()
  for (const line of await list(options, local, remote, ...refs)) {
    const [oid, name] = [line.slice(0, 40), line.slice(41)]
    if (isWanted(name) && isOid(oid)) found.set(name, oid)
  }
  return found
}

/** Maximum number of listed branches. The output of `git ls-remote` is read up to a limit as well. */
const MAX_BRANCHES = 1000

/** Returns the branches of the remote and its default branch. `truncated`: it has more branches than listed. */
export async function remoteBranches(
  options: RemoteOptions,
  local: LocalRepository,
  remote: Remote,
): Promise<RemoteBranches> {
  const lines = await list(options, local, remote, 'HEAD', 'refs/heads/*')
  const named = lines
    .find((line) => line.startsWith('ref: ') && line.endsWith('\tHEAD'))
    ?.slice('ref: '.length, -'\tHEAD'.length)
  const all = lines.filter((line) => line.slice(41).startsWith('refs/heads/') && isOid(line.slice(0, 40)))
  // The last line may be cut off.
  const whole = lines.at(-1) === '' ? all : all.slice(0, -1)
  const branches = whole
    .slice(0, MAX_BRANCHES)
    .map((line) => ({ ref: `refs/${line.slice('refs/'.length + 41)}` as const, head: asOid(line.slice(0, 40)) }))
  const isThere = lines.some((line) => line.slice(41) === 'HEAD')
  return {
    default: isThere && named !== undefined && isRefName(named) ? named : null,
    branches,
    truncated: branches.length < whole.length || lines.at(-1) !== '',
  }
}
