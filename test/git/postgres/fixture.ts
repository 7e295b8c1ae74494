/** Nodes whose repositories are in one database. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  lostObjectsFrom,
  remoteOptions,
  openGit,
  openSharedGit,
  type OpenOptions,
  type SetAside,
  type SharedGit,
  type SharedGitOptions,
} from '../../../src/git/index.js'
import { type CommitId, newId, type RefName } from '../../../src/kernel/ids.js'
import { type Database, openDatabase, openHints } from '../../../src/postgres/index.js'
import { admin } from '../fixture.js'

export interface Node {
  git: SharedGit
  database: Database
  dir: string
  /** The notices that it sent to the operator. */
  notices: string[]
  aside: SetAside[]
  moved: RefName[]
  elsewhere: RefName[]
  /** Returns the folder of a repository. */
  path(name: string): string
  close(): Promise<void>
}

/**
 * A node on a database.
 * @param dir its folder of repositories. The default is a new one, which is deleted at the end
 */
export async function openNode(
  url: string,
  { dir, ...more }: { dir?: string } & Partial<SharedGitOptions & Pick<OpenOptions, 'disk'>> = {},
): Promise<Node> {
  const folder = dir ?? mkdtempSync(join(tmpdir(), 'bindery-node-'))
  const database = more.database ?? openDatabase({ url, connectMs: 2_000 })
  const node = { notices: [] as string[], aside: [] as SetAside[], moved: [] as RefName[], elsewhere: [] as RefName[] }
  const local = await openGit({
    reposDir: folder,
    shared: true,
    maxBlobBytes: 4 * 1024 * 1024,
    remote: remoteOptions({ allowedProtocols: ['file'], allowPrivateNetworks: true }),
    lostObjects: lostObjectsFrom(database, (message) => node.notices.push(message)),
    ...(more.disk ? { disk: more.disk } : {}),
  })
  const hints = openHints(database, newId())
  const git = await openSharedGit(local, {
    hints,
    lookMs: 0,
    notice: (message) => node.notices.push(message),
    setAside: (_, found) => node.aside.push(...found),
    moved: (_, refs) => node.moved.push(...refs),
    movedElsewhere: (_, refs) => node.elsewhere.push(...refs),
    ...more,
    database,
  })
  return {
    ...node,
    git,
    database,
    dir: folder,
    path: (name) => join(folder, `${name}.git`),
    async close() {
      await git.close()
      await hints.close()
      await local.close()
      await database.close()
      if (dir === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Returns the refs of a repository on the disk of a node. */
export const refsOnDisk = (node: Node, name: string): Record<string, string> =>
  Object.fromEntries(
    admin({ path: node.path(name) }, ['for-each-ref', '--format=%(refname) %(objectname)'])
      .split('\n')
      .flatMap((line): [string, string][] => (line === '' ? [] : [line.split(' ') as [string, string]])),
  )

/** Returns the complaints of Git about the repository on the disk of a node. */
export const fsck = (node: Node, name: string): string =>
  admin({ path: node.path(name) }, ['fsck', '--strict', '--full', '--no-dangling', '--no-progress'])

/** Returns the refs that a node reports. */
export async function refsOf(node: Node, name: string): Promise<Record<string, CommitId>> {
  return Object.fromEntries(await (await node.git.open(name)).refs.list('refs/'))
}
