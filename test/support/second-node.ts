/** A node of the test next to a server in its own process. It publishes the test's commits in the server's folder. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { remoteOptions, openGit, openSharedGit, type SharedGit } from '../../src/git/index.js'
import { openDatabase } from '../../src/postgres/index.js'
import { type Moved, publishThrough } from './by-hand.js'
import { git } from './hermetic-git.js'

interface Server {
  /** The node's folder. The node exists there for as long as work lasts. */
  dir: string
  url: string
}

interface Node {
  git: SharedGit
  close(): Promise<void>
}

/** Nodes by the folder of their server. Concurrent work shares one node. */
// bound: the servers of a test
const open = new Map<string, { node: Promise<Node>; users: number }>()

async function openNode({ dir, url }: Server): Promise<Node> {
  const reposDir = mkdtempSync(join(dir, 'by-hand-'))
  const database = openDatabase({ url })
  const remote = remoteOptions({ allowedProtocols: ['file'], allowPrivateNetworks: true })
  const local = await openGit({ reposDir, shared: true, maxBlobBytes: 64 * 1024 * 1024, remote })
  const node = await openSharedGit(local, { database })
  const close = async (): Promise<void> => {
    await node.close()
    await local.close()
    await database.close()
    rmSync(reposDir, { recursive: true, force: true })
  }
  return { git: node, close }
}

/** Publishes the refs that moved in `copy`, which belongs to the server. */
export async function publishElsewhere(server: Server, space: string, moved: Moved, copy: string): Promise<void> {
  const shared = open.get(server.dir) ?? { node: openNode(server), users: 0 }
  open.set(server.dir, shared)
  shared.users++
  try {
    const node = await shared.node
    const { path } = await node.git.open(space)
    const made = [...moved].flatMap(([ref, to]) => (to === null ? [] : [ref]))
    if (made.length > 0) await git(path, ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', copy, ...made])
    await publishThrough(node.git, space, moved)
  } finally {
    if (--shared.users === 0) {
      open.delete(server.dir)
      await (await shared.node).close()
    }
  }
}
