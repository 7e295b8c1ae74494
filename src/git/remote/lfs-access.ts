/** Requests access to the Git LFS server of an ssh remote from its host. */
import { RemoteError } from '../errors.js'
import type { Remote } from '../types.js'
import { connect, type LocalRepository, type RemoteOptions } from './connection.js'
import { quoted } from './ssh.js'

const TIMEOUT_MS = 60_000

/**
 * Returns the output of the command `git-lfs-authenticate` on an ssh host for downloads (Git LFS, "Server Discovery"):
 * JSON with the address of the LFS server and the headers for access. Throws `RemoteError`; 'failed' if the host has no
 * such command.
 */
export async function lfsAccess(
  options: RemoteOptions,
  { launcher }: LocalRepository,
  remote: Remote,
): Promise<string> {
  const connection = await connect(remote, options, launcher)
  const run = await connection.runThere(
    (path) => `git-lfs-authenticate ${/^[A-Za-z0-9~/._-]+$/.test(path) ? path : quoted(path)} download`,
    {
      timeoutMs: options.headTimeoutMs ?? TIMEOUT_MS,
    },
  )
  if (run.code === 0) return run.stdout
  const failure = connection.failure(run)
  if (failure.kind !== 'failed') throw failure
  throw new RemoteError(
    'failed',
    'The ssh host denies access to Git LFS files (git-lfs-authenticate). Connect the repository through its https address.',
  )
}
