import { RemoteError } from '../errors.js'
import type { FetchLimits } from '../types.js'
import { runGit } from './run.js'
import { unsafeName } from './tree-names.js'

/** Calls `each` with every piece that ends in `separator`, across pieces of output. */
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

/** Runs a Git command over the quarantine, handing each record of its output to `check`; what that throws ends it. */
async function stream(
  args: readonly string[],
  env: Record<string, string>,
  timeoutMs: number,
  separator: string,
  check: (record: Buffer) => void,
): Promise<void> {
  let found: unknown
  const split = splitter(separator.charCodeAt(0), check)
  const { code, ended } = await runGit(args, {
    env,
    timeoutMs,
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
  if (ended === 'timeout') throw new RemoteError('timeout', 'Checking what the remote sent took longer than is allowed.')
  if (code !== 0) throw new RemoteError('unsafe-content', 'What the remote sent cannot be read; check it with "git fsck --strict".')
}

/** Checks the size of every blob that arrived, in any commit of the history; answers how many objects arrived (with those that a thin pack builds on). */
export async function checkArrived(env: Record<string, string>, limits: FetchLimits, timeoutMs: number): Promise<number> {
  let objects = 0
  const args = ['cat-file', '--batch-all-objects', '--unordered', '--buffer', '--batch-check=%(objecttype) %(objectsize) %(objectname)']
  await stream(args, env, timeoutMs, '\n', (record) => {
    objects++
    const [type, size, oid] = record.toString('latin1').split(' ')
    if (type === 'blob' && Number(size) > limits.maxBlobBytes) {
      throw new RemoteError('too-large', `The remote's history holds a file of ${size} bytes (blob ${oid}); at most ${limits.maxBlobBytes} are allowed.`)
    }
  })
  return objects
}

/** Checks that `head` is a commit whose tree the server can hold: names, and no more than `maxEntries` files and folders. */
export async function checkHead(env: Record<string, string>, head: string, limits: FetchLimits, timeoutMs: number): Promise<void> {
  const started = Date.now()
  const type = await runGit(['cat-file', '-t', head], { env, timeoutMs })
  if (type.stdout.trim() !== 'commit') throw new RemoteError('unsafe-content', 'The remote ref names no commit; use a branch.')
  let entries = 0
  // `-t` lists folders too: a tree of folders alone can be endless without a single file.
  const args = ['ls-tree', '-r', '-t', '-z', '--full-tree', head]
  await stream(args, env, timeoutMs - (Date.now() - started), '\0', (record) => {
    if (++entries > limits.maxEntries) throw new RemoteError('too-large', `The remote holds more than ${limits.maxEntries} files and folders.`)
    const path = record.subarray(record.indexOf(0x09) + 1)
    const reason = unsafeName(path)
    if (reason === null) return
    const shown = JSON.stringify(path.subarray(0, 300).toString('utf8'))
    throw new RemoteError('unsafe-content', `The path ${shown} ${reason}; rename it in the remote and try again.`)
  })
}
