// Checks sizes and names of fetched objects before they get into the repository.
import { RemoteError } from '../errors.js'
import type { FetchLimits } from '../types.js'
import { type GitRun, type GitSetting, runGit } from './run.js'
import { tooCostly } from './unpacking.js'

/**
 * Returns a function that splits output in pieces into records that end with `separator`, and calls `each` for each
 * record.
 */
function splitter(separator: number, each: (record: Buffer) => void): (piece: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (piece) => {
    const all = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    let from = 0
    for (let at = all.indexOf(separator); at >= 0; at = all.indexOf(separator, from)) {
      each(all.subarray(from, at))
      from = at + 1
    }
    rest = all.subarray(from)
  }
}

/**
 * Runs a Git command and calls `check` with each record of its output. If `check` throws, kills the command and
 * rethrows the error.
 */
export async function stream(
  git: GitSetting,
  args: readonly string[],
  timeoutMs: number,
  separator: string,
  check: (record: Buffer) => void,
): Promise<void> {
  let found: unknown
  const split = splitter(separator.charCodeAt(0), check)
  const run = await runGit(git, args, {
    timeoutMs,
    readsHere: true,
    onOutput: (piece, stop) => {
      if (found !== undefined) return
      try {
        split(piece)
      } catch (thrown) {
        found = thrown
        stop()
      }
    },
  })
  if (found !== undefined) throw found
  requireUnstopped(git, run)
  if (run.ended === 'timeout')
    throw new RemoteError('timeout', 'Checking the data from the remote took too long. Try again later.')
  if (run.code !== 0)
    throw new RemoteError(
      'unsafe-content',
      'The data from the remote cannot be read. Check the remote with "git fsck --strict".',
    )
}

/**
 * Throws `RemoteError` if the bounds of the setting ended the process: 'cancelled' if the client has disconnected,
 * 'too-large' if the process used up its processor time.
 */
export function requireUnstopped({ bounds }: GitSetting, { signal }: Pick<GitRun, 'signal'>): void {
  if (bounds?.gone?.aborted) throw new RemoteError('cancelled', 'The client has closed the connection.')
  if (signal === 'SIGXCPU') throw tooCostly(`${bounds?.maxCpuSeconds} s of processor time`, 'the data')
}

/** Throws if anything that `head` needs is missing. Does not check parts that refs of the repository contain. */
export async function checkConnected(git: GitSetting, head: string, timeoutMs: number): Promise<void> {
  await stream(git, ['rev-list', '--objects', '--quiet', head, '--not', '--all'], timeoutMs, '\n', () => {})
}

/** Returns the pathspec of the folder to which the limits apply. */
const within = ({ directory = '' }: FetchLimits): string[] => (directory === '' ? [] : [`:(top,literal)${directory}/`])

function tooLarge(
  size: number,
  path: Buffer,
  commit: string,
  { pushed, within: folder, maxBlobBytes }: FetchLimits,
): RemoteError {
  const name = JSON.stringify(`${folder ? `${folder.directory}/` : ''}${path.subarray(0, 300).toString('utf8')}`)
  const place = folder ? `in the history of ${folder.head}` : `in commit ${commit}`
  return new RemoteError(
    'too-large',
    `${pushed ? 'The push' : 'The remote'}'s history contains a file of ${size} bytes, ${name}, ${place}. The limit is ${maxBlobBytes} bytes.`,
  )
}

/**
 * Checks the size of every received blob, in any commit of the history. Blobs outside `directory` may have any size,
 * because they are never read. Returns the number of received objects (with the bases of thin packs), and the type of
 * the head if it was received.
 */
export async function checkArrived(
  git: { arrived: GitSetting; all: GitSetting },
  head: string,
  limits: FetchLimits,
  timeoutMs: number,
): Promise<{ objects: number; headType: string | null }> {
  const started = Date.now()
  let objects = 0
  let headType: string | null = null
  const large = new Map<string, number>()
  const args = [
    'cat-file',
    '--batch-all-objects',
    '--unordered',
    '--buffer',
    '--batch-check=%(objecttype) %(objectsize) %(objectname)',
  ]
  await stream(git.arrived, args, timeoutMs, '\n', (record) => {
    objects++
    const [type, size, oid = ''] = record.toString('latin1').split(' ')
    if (limits.removed?.has(oid)) throw removedContent(oid, limits)
    if (oid === head) headType = type ?? null
    if (type === 'blob' && Number(size) > limits.maxBlobBytes) large.set(oid, Number(size))
  })
  if (large.size > 0) await requireOutside(git.all, head, large, limits, timeoutMs - (Date.now() - started))
  return { objects, headType }
}

const removedContent = (oid: string, { pushed }: FetchLimits): RemoteError =>
  new RemoteError(
    'removed-content',
    `${pushed ? 'Your push' : 'The remote'} still contains ${oid}, which was removed from the history of this space for good. ${
      pushed
        ? 'Clone the space again, and repeat your change in the new clone.'
        : 'Nothing was imported. Replace the history of the remote by that of the space: clone the space, and push the branch main with --force to the branch of the remote. The next sync then continues.'
    }`,
  )

/** Throws if one of the large blobs is in `directory`, with its path and the newest commit that contains it. */
async function requireOutside(
  git: GitSetting,
  head: string,
  large: ReadonlyMap<string, number>,
  limits: FetchLimits,
  timeoutMs: number,
): Promise<void> {
  let commit = head
  await stream(
    git,
    ['rev-list', '--objects', '--in-commit-order', '--full-history', head, '--', ...within(limits)],
    timeoutMs,
    '\n',
    (record) => {
      if (record.length === 40) commit = record.toString('latin1')
      const size = large.get(record.toString('latin1', 0, 40))
      if (size === undefined) return
      throw tooLarge(size, record.subarray(41), commit, limits)
    },
  )
}

const typeOf = async (git: GitSetting, name: string, timeoutMs: number): Promise<string> =>
  (await runGit(git, ['cat-file', '-t', name], { timeoutMs, readsHere: true })).stdout.trim()

/** Throws unless `head` is a commit. `known` is its type, if known. */
export async function requireCommit(
  git: GitSetting,
  head: string,
  known: string | null,
  limits: FetchLimits,
  timeoutMs: number,
): Promise<void> {
  if ((known ?? (await typeOf(git, head, timeoutMs))) !== 'commit')
    throw new RemoteError(
      'unsafe-content',
      limits.pushed
        ? 'You pushed an object that is not a commit. Push a branch.'
        : 'The remote ref is not a commit. Use a branch.',
    )
}

/**
 * Returns a function that counts the entries per folder of a tree, for paths in tree order. It throws if a folder has
 * too many.
 */
function folderCounter({ maxFolderEntries = Number.POSITIVE_INFINITY, pushed }: FetchLimits): (path: Buffer) => void {
  // bound: one number per folder of the tree, of which there are at most `maxEntries`
  const counts = new Map<string, number>()
  return (path) => {
    const folder = path.toString('latin1', 0, Math.max(0, path.lastIndexOf(0x2f)))
    const count = (counts.get(folder) ?? 0) + 1
    if (count > maxFolderEntries) {
      const name =
        folder === ''
          ? 'The top folder'
          : `The folder ${JSON.stringify(Buffer.from(folder, 'latin1').subarray(0, 300).toString('utf8'))}`
      throw new RemoteError(
        'too-large',
        `${name} of ${pushed ? 'your push' : 'the remote'} has more than ${maxFolderEntries} files and folders. Divide it into smaller folders.`,
      )
    }
    counts.set(folder, count)
  }
}

/**
 * Checks that the tree of `head` (or `directory`) has at most `maxEntries` files and folders, no folder with too many
 * entries, and no file that is too large (the file may already exist in the repository). Does not check names: Git
 * rejects dangerous ones everywhere, and names that are unsuitable for a page get a diagnostic when the space is read.
 */
export async function checkTree(git: GitSetting, head: string, limits: FetchLimits, timeoutMs: number): Promise<void> {
  const started = Date.now()
  const left = (): number => timeoutMs - (Date.now() - started)
  const root = limits.directory ? `${head}:${limits.directory}` : head
  if (root !== head && (await typeOf(git, root, left())) !== 'tree') return
  let entries = 0
  const countInFolder = folderCounter(limits)
  // `-t` also lists folders: a tree can contain any number of folders without a single file.
  await stream(git, ['ls-tree', '-r', '-t', '-l', '-z', '--full-tree', root], left(), '\0', (record) => {
    if (++entries > limits.maxEntries)
      throw new RemoteError(
        'too-large',
        `${limits.pushed ? 'Your push' : 'The remote'} has more than ${limits.maxEntries} files and folders.`,
      )
    const tab = record.indexOf(0x09)
    countInFolder(record.subarray(tab + 1))
    const size = Number(record.toString('latin1', 0, tab).split(/ +/)[3])
    if (size > limits.maxBlobBytes)
      throw tooLarge(
        size,
        Buffer.concat([Buffer.from(root === head ? '' : `${limits.directory}/`), record.subarray(tab + 1)]),
        head,
        limits,
      )
  })
}
