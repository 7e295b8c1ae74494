/**
 * Copies the objects that the mapped commits of a folder need from a scratch repository into the repository of a space.
 */
import { join, resolve } from 'node:path'
import type { CommitId } from '../../kernel/ids.js'
import { GitError, PackTooLarge, RemoteError } from '../errors.js'
import { checkArrived, checkTree, stream } from '../remote/inspect.js'
import { openQuarantine } from '../remote/quarantine.js'
import { type GitSetting, runGit, withEnv } from '../remote/run.js'
import { fetchFiles, lacksFiles, type PartialFetch } from './fetch-partial.js'

/** Memory limit per thread that searches for deltas. */
const WINDOW_MEMORY = '32m'

/**
 * Copies `theirs` and its history, with all folders and files, into the repository at `target` as one pack, checked
 * against the limits. Files that the scratch repository lacks are fetched and stored only in the target. Throws
 * `RemoteError`.
 * @param head the commit of the remote that maps to `theirs`, for errors
 */
export async function takeFolder(fetch: PartialFetch, target: string, head: CommitId, theirs: CommitId): Promise<void> {
  const { connection, path, order, left } = fetch
  const files = await openQuarantine(path)
  const arriving = await openQuarantine(target)
  try {
    const sources = [join(files.folder, 'objects'), join(target, 'objects')].map((one) => JSON.stringify(one)).join(':')
    const git = withEnv(connection.git, {
      GIT_DIR: resolve(path),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: sources,
      GIT_ALLOW_PROTOCOL: '',
    })
    const range = [theirs, '--not', ...order.have]
    const missing = await missingIn(git, range, left())
    if (missing.length > 0) {
      await fetchFiles(fetch, files, missing)
      if ((await missingIn(git, range, left())).length > 0) throw lacksFiles()
    }
    await packInto(git, join(arriving.folder, 'objects/pack/pack'), range, fetch)
    const all = withEnv(connection.git, { ...arriving.env, GIT_ALLOW_PROTOCOL: '' })
    const limits = { ...order, directory: '', within: { directory: order.directory, head } }
    await checkArrived({ arrived: withEnv(all, arriving.arrivedEnv), all }, theirs, limits, left())
    await checkTree(all, theirs, limits, left())
    await arriving.publish(async (pack) => fetch.local.protect?.(pack, [theirs]))
  } finally {
    await files.remove()
    await arriving.remove()
  }
}

/** Lists the missing objects in a range of commits. */
async function missingIn(git: GitSetting, range: readonly string[], timeoutMs: number): Promise<string[]> {
  const missing: string[] = []
  await stream(
    git,
    ['rev-list', '--objects', '--no-object-names', '--missing=print', ...range],
    timeoutMs,
    '\n',
    (record) => {
      if (record[0] === 0x3f) missing.push(record.toString('latin1', 1))
    },
  )
  return missing
}

/** Writes a pack with all objects in a range of commits. */
async function packInto(
  git: GitSetting,
  base: string,
  [tip, , ...not]: readonly string[],
  { order, left }: PartialFetch,
): Promise<void> {
  const args = [
    '-c',
    `pack.windowMemory=${WINDOW_MEMORY}`,
    'pack-objects',
    '--revs',
    '--non-empty',
    '--delta-base-offset',
    '--quiet',
    base,
  ]
  const input = Buffer.from([tip, ...not.map((one) => `^${one}`), ''].join('\n'))
  const run = await runGit(git, args, { timeoutMs: left(), input, maxFileBytes: order.maxPackBytes })
  if (run.signal === 'SIGXFSZ')
    throw new PackTooLarge(`The folder is larger than the limit of ${order.maxPackBytes} bytes.`)
  if (run.ended === 'timeout')
    throw new RemoteError('timeout', 'Extracting the folder from the repository took too long. Try again later.')
  if (run.code !== 0)
    throw new GitError(`git pack-objects failed with exit code ${run.code}: ${run.stderr.slice(0, 1000)}`)
}
