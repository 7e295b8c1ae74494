/**
 * Makes and pushes commits of a remote of which a space has one folder only. They are built in a small repository beside the scratch repository, which borrows
 * the objects of both that and the space: so neither gets what only the other one may have.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { CommitId } from '../../kernel/ids.js'
import { GitError, isRepositoryFault } from '../errors.js'
import { exists } from '../objects/disk.js'
import type { Launcher } from '../process/launcher.js'
import type { LocalRepository } from '../remote/connection.js'
import type { RemoteOperations } from '../remote/operations.js'
import type { FolderScratch, Repository } from '../types.js'
import type { HeldScratch } from './fetch-folder.js'

const FOLDER = 'outgoing'
/** Folders of loose objects (of 256), and packs, of one that is made anew: what was pushed from it is not needed again. */
const MAX_LOOSE_FOLDERS = 200
const MAX_PACKS = 50
const ANCESTOR_MS = 60_000
const CONFIG =
  '[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsync = all\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n'

/** What a `FolderScratch` works with. */
interface FolderTools {
  /** The repository of the space. */
  local: LocalRepository
  remote: Pick<RemoteOperations, 'push'>
  /** Opens the repository at a path, which borrows objects from that of the space and the one at `scratch`. */
  open(
    path: string,
    scratch: string,
  ): Pick<Repository, 'hasCommit' | 'commit' | 'at' | 'stage' | 'write' | 'merge'> & { close(): Promise<void> }
}

/** Does work on a scratch repository that is held. If something in it is missing or damaged, it is made anew, and the work is done again. */
export async function withOutgoing<T>(
  held: HeldScratch,
  tools: FolderTools,
  work: (scratch: FolderScratch) => Promise<T>,
): Promise<T> {
  try {
    return await once(held, tools, work)
  } catch (error) {
    if (!isRepositoryFault(error) && (error as object).constructor !== GitError) throw error
    await held.renew()
    return once(held, tools, work)
  }
}

async function once<T>(
  held: HeldScratch,
  { local, remote, open }: FolderTools,
  work: (scratch: FolderScratch) => Promise<T>,
): Promise<T> {
  const path = join(held.path, FOLDER, createHash('sha256').update(resolve(local.path)).digest('hex').slice(0, 32))
  const borrowed = [join(held.path, 'objects'), join(resolve(local.path), 'objects')]
  await makeReady(path, borrowed)
  const own = open(path, held.path)
  const isAncestor = async (ancestor: CommitId, descendant: CommitId): Promise<boolean> =>
    (await own.hasCommit(ancestor)) &&
    (await own.hasCommit(descendant)) &&
    askAncestor(local.launcher, path, ancestor, descendant)
  try {
    return await work({
      hasCommit: (id) => own.hasCommit(id),
      commit: (id) => own.commit(id),
      at: (commit) => own.at(commit),
      stage: () => own.stage(),
      write: (input) => own.write(input),
      merge: (input) => own.merge(input),
      isAncestor,
      fetchFolder: async (_remote, ref, order) => {
        const fetched = await held.fetch(ref, order)
        // The fetch may have made the scratch repository anew.
        await makeReady(path, borrowed)
        return fetched
      },
      push: (to, ref, commit, expected) =>
        remote.push({ path, launcher: local.launcher, isAncestor }, to, { ref, commit, expected }),
    })
  } finally {
    await own.close()
  }
}

/** HEAD is written last, so what has none was not finished. */
async function makeReady(path: string, borrowed: readonly string[]): Promise<void> {
  if ((await exists(join(path, 'HEAD'))) && (await isSmall(path))) return
  await rm(path, { recursive: true, force: true })
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads'])
    await mkdir(join(path, folder), { recursive: true, mode: 0o700 })
  await writeFile(join(path, 'config'), CONFIG)
  await writeFile(join(path, 'objects/info/alternates'), borrowed.map((one) => `${one}\n`).join(''))
  await writeFile(join(path, 'HEAD'), 'ref: refs/heads/none\n')
}

const isSmall = async (path: string): Promise<boolean> =>
  (await readdir(join(path, 'objects'))).length <= MAX_LOOSE_FOLDERS &&
  (await readdir(join(path, 'objects/pack'))).filter((name) => name.endsWith('.pack')).length <= MAX_PACKS

/** By Git, which reads no more of the history than it needs; nothing of it is kept in memory. Throws `GitError` if a part of the history is missing. */
async function askAncestor(
  launcher: Launcher,
  cwd: string,
  ancestor: CommitId,
  descendant: CommitId,
): Promise<boolean> {
  const { code, stderr } = await launcher.run(['merge-base', '--is-ancestor', ancestor, descendant], {
    cwd,
    timeoutMs: ANCESTOR_MS,
  })
  // Git says that it is none, and prints an error, if it cannot read a commit.
  if (code !== 0 && (code !== 1 || stderr !== ''))
    throw new GitError(`merge-base ended with ${code}: ${stderr.slice(0, 1000)}`)
  return code === 0
}
