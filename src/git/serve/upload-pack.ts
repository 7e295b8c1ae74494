/** Serves `git clone` and `git fetch` from a repository with the system's `git upload-pack`. */
import { gitOptions } from '../process/environment.js'
import type { LocalRepository } from '../remote/connection.js'
import type { ServedPack, UploadPackRequest } from './types.js'

/** Time without any progress after which Git stops, in seconds. */
const SILENCE_SECONDS = 300

const setting = (name: string, value: string): string[] => ['-c', `${name}=${value}`]

/**
 * Starts a process that writes the response. The caller must end it if no one reads the response. Throws `GitError` if
 * it cannot be started.
 */
export async function serveUploadPack(
  { path, launcher }: LocalRepository,
  { protocol, body, refs }: UploadPackRequest,
): Promise<ServedPack> {
  const settings = [
    ...setting('uploadpack.allowFilter', 'true'),
    ...setting('core.bigFileThreshold', '32m'),
    // The last matching entry wins, so the exceptions come after the rule.
    ...setting('transfer.hideRefs', 'refs'),
    ...refs.flatMap((ref) => setting('transfer.hideRefs', `!${ref}`)),
  ]
  const args = [
    ...gitOptions,
    ...settings,
    'upload-pack',
    '--strict',
    '--stateless-rpc',
    `--timeout=${SILENCE_SECONDS}`,
    '.',
  ]
  const { stream, ended, kill } = await launcher.start('git', args, {
    cwd: path,
    env: protocol === null ? {} : { GIT_PROTOCOL: protocol },
    yields: true,
  })
  const taken = new Promise<void>((resolve) => {
    for (const event of ['finish', 'close']) stream.once(event, resolve)
  })
  stream.end(body)
  return { stream, taken, ended: ended.then(({ code }) => code === 0), kill }
}
