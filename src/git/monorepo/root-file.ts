/** Reads a file at the root of a remote of which a space has one folder only: the scratch repository has the names of files, seldom the files. */
import { resolve } from 'node:path'
import { GitError, ObjectTooLarge } from '../errors.js'
import { openQuarantine } from '../remote/quarantine.js'
import { type GitSetting, runGit, withEnv } from '../remote/run.js'
import { fetchFiles, lacksFiles, type PartialFetch } from './fetch-partial.js'
import type { RootFileOrder } from './types.js'

/**
 * The bytes of a file at the root of a commit of the remote that was fetched, as text; null if there is none. It is fetched by its ID, and not kept.
 * Throws `ObjectTooLarge`, `RemoteError`.
 */
export async function readRootFile(fetch: PartialFetch<RootFileOrder>, head: string): Promise<string | null> {
  const { connection, path, order, left } = fetch
  const read = async (git: GitSetting, ...args: string[]): Promise<string | null> => {
    const { code, stdout } = await runGit(git, args, { timeoutMs: left(), readsHere: true })
    return code === 0 ? stdout : null
  }
  const here = withEnv(connection.git, { GIT_DIR: resolve(path), GIT_ALLOW_PROTOCOL: '' })
  const listed = await read(here, 'ls-tree', '-z', '--full-tree', head, '--', order.name)
  if (listed === null) throw new GitError(`the root of ${head} cannot be read`)
  const oid = /^100(?:644|755) blob ([0-9a-f]{40})\t/.exec(listed)?.[1]
  if (oid === undefined) return null
  const arriving = await openQuarantine(path)
  try {
    // Objects of the quarantine and of the scratch repository alike: where no file can be left out, it is there already.
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
