/** Serves `git clone` and `git fetch` from a repository, by the system's `git upload-pack`. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { gitOptions } from '../process/environment.js'
import type { LocalRepository } from '../remote/connection.js'
import type { ServedPack, UploadPackRequest } from './types.js'

/** Seconds without any progress after which Git gives up by itself. */
const SILENCE_SECONDS = 300

/** Processor time of each Git process in seconds, and more for each MiB of the packs. Cloning 100,000 objects takes a few seconds. */
const MAX_CPU_SECONDS = 60
const MAX_CPU_SECONDS_PER_MIB = 2
const MIB = 1024 * 1024
/** Filters of partial clones that visit a folder again for each path to it: a pack of a few KB can have more paths than Git can ever visit. */
const COSTLY_FILTERS = ['sparse:oid', 'combine']

const setting = (name: string, value: string): string[] => ['-c', `${name}=${value}`]

/** Starts a process that writes the response; the caller ends it if nobody reads. Throws `GitError` if it cannot be started. */
export async function serveUploadPack(
  { path, launcher }: LocalRepository,
  { protocol, body, refs }: UploadPackRequest,
): Promise<ServedPack> {
  const settings = [
    ...setting('uploadpack.allowFilter', 'true'),
    ...COSTLY_FILTERS.flatMap((filter) => setting(`uploadpackfilter.${filter}.allow`, 'false')),
    ...setting('core.bigFileThreshold', '32m'),
    // Otherwise one client keeps all processors busy.
    ...setting('pack.threads', '1'),
    // The last entry that matches decides, so the exceptions come after the rule.
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
    guard: { maxCpuSeconds: MAX_CPU_SECONDS + Math.ceil((MAX_CPU_SECONDS_PER_MIB * (await packedBytes(path))) / MIB) },
    yields: true,
  })
  const taken = new Promise<void>((resolve) => {
    for (const event of ['finish', 'close']) stream.once(event, resolve)
  })
  stream.end(body)
  return { stream, taken, ended: ended.then(({ code }) => code === 0), kill }
}

/** Bytes of all packs of a repository. */
async function packedBytes(repository: string): Promise<number> {
  const folder = join(repository, 'objects', 'pack')
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.pack'))
  // A pack may be joined into another one at any time.
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
