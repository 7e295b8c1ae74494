/** A node of the test, beside a server in a process of its own, that publishes what the test commits in that server's folder. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createRemoteOperations, openGit, openSharedGit } from '../../src/git/index.js'
import { openDatabase } from '../../src/postgres/index.js'
import { type Moved, publishThrough } from './by-hand.js'
import { git } from './hermetic-git.js'

/** @param dir the server's folder; the node lives in there for as long as the work lasts */
export async function publishElsewhere({ dir, url }: { dir: string; url: string }, space: string, moved: Moved, copy: string): Promise<void> {
  const reposDir = join(dir, 'by-hand')
  const database = openDatabase({ url })
  const remote = createRemoteOperations({ allowedProtocols: ['file'], allowPrivateNetworks: true })
  const local = await openGit({ reposDir, shared: true, maxBlobBytes: 64 * 1024 * 1024, remote })
  const node = await openSharedGit(local, { database })
  try {
    const { path } = await node.open(space)
    const made = [...moved].flatMap(([ref, to]) => (to === null ? [] : [ref]))
    if (made.length > 0) await git(path, ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', copy, ...made])
    await publishThrough(node, space, moved)
  } finally {
    await node.close()
    await local.close()
    await database.close()
    rmSync(reposDir, { recursive: true, force: true })
  }
}
