/**
 * Reads a file at the root of a remote when a space has only one of its folders. The scratch repository knows the names
 * of files but rarely contains the files.
 */
import { resolve } from 'node:path'
import { GitError, ObjectTooLarge } from '../errors.js'
import { openQuarantine } from '../remote/quarantine.js'
import { type GitSetting, runGit, withEnv } from '../remote/run.js'
import { fetchFiles, lacksFiles, type PartialFetch } from './fetch-partial.js'
import type { RootFileOrder } from './types.js'

/**
 * Returns the text of a file at the root of a fetched commit; null if there is none. The file is fetched by its ID and
 * not stored. Throws `ObjectTooLarge`, `RemoteError`.
 */
export async function readRootFile(fetch: PartialFetch<RootFileOrder>, head: string): Promise<string | null> {
  const { connection, path, order, left } = fetch
  const read = async (git: GitSetting, ...args: string[]): Promise<string | null> => {
    const { code, stdout } = await runGit(git, args, { timeoutMs: left(), readsHere: true })
    return code === 0 ? stdout : null
  }
  const here = withEnv(connection.git, { GIT_DIR: resolve(path), GIT_ALLOW_PROTOCOL: '' })
  const listed = await read(here, 'ls-tree', '-z', '--full-tree', head, '--', order.name)
  if (listed === null) throw new GitError(`cannot read the root folder of ${head}`)
  const oid = /^100(?:644|755) blob ([0-9a-f]{40})\t/.exec(listed)?.[1]
  if (oid === undefined) return null
  const arriving = await openQuarantine(path)
  try {
    // Reads objects of the quarantine and of the scratch repository: if the remote does not support filters, the file
    // has been fetched already.
    const all = withEnv(connection.git, { ...arriving.env, GIT_ALLOW_PROTOCOL: '' })
    if ((await read(all, 'cat-file', '-e', oid)) === null) await fetchFiles(fetch, arriving, [oid])
    const size = await read(all, 'cat-file', '-s', oid)
    if (size === null) throw lacksFiles()
    if (Number(size) > order.maxBytes)
      throw new ObjectTooLarge(`${order.name} at the root of the remote has more than ${order.maxBytes} bytes`)
    const text = await read(all, 'cat-file', 'blob', oid)
    if (text === null) throw lacksFiles()
    return text
  } finally {
    await arriving.remove()
  }
}
