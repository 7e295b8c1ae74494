/** Opens the repositories: those of a folder, or, on a node, those of the database with copies in the folder. */
import { resolve } from 'node:path'
import type { Config } from '../config.js'
import { FolderWatch } from '../disk/folder-watch.js'
import { makePrivate } from '../disk/private-files.js'
import {
  remoteOptions,
  type Git,
  lostObjectsFrom,
  openGit,
  openRefreshSocket,
  openSharedGit,
  type SetAside,
} from '../git/index.js'
import type { RefName } from '../kernel/ids.js'
import type { Log } from '../kernel/log.js'
import type { MemoryBudget } from '../kernel/memory-budget.js'
import { resolveHost } from '../outbound/index.js'
import type { Closers } from './closers.js'
import { keepRoom } from './node-upkeep.js'
import type { Node } from './open-node.js'

interface Surroundings {
  budget: MemoryBudget
  log: Log
  /** Called with the branches of a repository that moved. */
  moved: (repository: string, refs: readonly RefName[]) => void
  /** Called with the branches of a repository that another node moved. */
  movedElsewhere: (repository: string, refs: readonly RefName[]) => void
  /** Called with refs that an admin moved by hand on this node. */
  setAside: (repository: string, found: readonly SetAside[]) => void
  /** The resources shared with other nodes; null = none. */
  node: Pick<Node, 'database' | 'news' | 'hints'> | null
}

/**
 * Opens the repositories. They contain private content, and Git writes files that everyone can read, so their folder is
 * made private.
 */
export async function openRepositories(
  config: Config,
  { budget, log, moved, movedElsewhere, setAside, node }: Surroundings,
  closers: Closers,
): Promise<Git> {
  const reposDir = resolve(config.reposDir)
  const allowedProtocols = config.remoteProtocols
  const notice = (message: string): void => log.warn({}, message)
  const local = await openGit({
    budget,
    reposDir,
    signingKeyFile: config.commitKeyFile,
    maxBlobBytes: config.blobLimitBytes,
    maxFolderEntries: config.folderLimitEntries,
    scratchBytes: config.scratchBytes,
    remote: remoteOptions({
      allowedProtocols,
      allowPrivateNetworks: config.allowPrivateNetworks,
      resolve: resolveHost,
      ...sshIdentity(config),
    }),
    notice,
    ...(node === null ? { moved, verifyMain: true } : { lostObjects: lostObjectsFrom(node.database, notice) }),
  })
  closers.add(() => local.close())
  makePrivate(reposDir, { deep: false })
  if (node === null) return local
  const shared = await openSharedGit(local, {
    database: node.database,
    news: node.news,
    hints: node.hints,
    budget,
    moved,
    movedElsewhere,
    setAside,
    notice,
  })
  closers.add(() => shared.close())
  const room = await keepRoom(new FolderWatch({ BINDERY_REPOS_DIR: reposDir }), () => shared.makeRoom(), log)
  closers.add(() => room.stop())
  const door = await openRefreshSocket(reposDir, (name) => shared.refresh(name))
  closers.add(() => door.close())
  return shared
}

/** Returns the key and known hosts for ssh remotes: from the settings, never those of the service's user. */
const sshIdentity = ({ sshKeyFile, sshKnownHosts }: Config) => ({
  ...(sshKeyFile === null ? {} : { sshKeyFile }),
  ...(sshKnownHosts === null ? {} : { knownHostsFile: sshKnownHosts }),
})
