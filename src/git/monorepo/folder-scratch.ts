/**
 * Creates and pushes commits of a remote when a space has only one of its folders. The commits are built in a small
 * repository next to the scratch repository. It borrows the objects of the scratch repository and the space, so neither
 * of them gets objects of the other.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { CommitId } from '../../kernel/ids.js'
import { GitError, isRepositoryFault } from '../errors.js'
import { exists } from '../objects/disk.js'
import type { Launcher } from '../process/launcher.js'
import type { LocalRepository, RemoteOptions } from '../remote/connection.js'
import { push } from '../remote/push.js'
import type { FolderScratch, Repository } from '../types.js'
import type { ReservedScratch } from './fetch-folder.js'
import { asError } from '../../kernel/thrown.js'

const FOLDER = 'outgoing'
/**
 * Limits of loose-object folders (of 256) and packs, beyond which the repository is recreated. Pushed objects are not
 * needed again.
 */
const MAX_LOOSE_FOLDERS = 200
const MAX_PACKS = 50
const ANCESTOR_MS = 60_000
const CONFIG =
  '[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsync = all\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n'

/** The services for a `FolderScratch`. */
export interface FolderTools {
  /** The repository of the space. */
  local: LocalRepository
  remote: RemoteOptions
  /**
   * Opens the repository at a path, which borrows objects from the repository of the space and the one at `scratch`.
   */
  open(path: string, scratch: string): Pick<Repository, 'objects' | 'trees'> & { close(): Promise<void> }
}

/**
 * Runs work on a reserved scratch repository. If something in it is missing or damaged, recreates the repository and
 * runs the work again.
 */
export async function withOutgoing<T>(
  held: ReservedScratch,
  tools: FolderTools,
  work: (scratch: FolderScratch) => Promise<T>,
): Promise<T> {
  try {
    return await once(held, tools, work)
  } catch (error) {
    if (!isRepositoryFault(error) && asError(error).constructor !== GitError) throw error
    await held.renew()
    return once(held, tools, work)
  }
}

async function once<T>(
  held: ReservedScratch,
  { local, remote, open }: FolderTools,
  work: (scratch: FolderScratch) => Promise<T>,
): Promise<T> {
  const path = join(held.path, FOLDER, createHash('sha256').update(resolve(local.path)).digest('hex').slice(0, 32))
  const borrowed = [join(held.path, 'objects'), join(resolve(local.path), 'objects')]
  await makeReady(path, borrowed)
  const own = open(path, held.path)
  const isAncestor = async (ancestor: CommitId, descendant: CommitId): Promise<boolean> =>
    (await own.objects.hasCommit(ancestor)) &&
    (await own.objects.hasCommit(descendant)) &&
    askAncestor(local.launcher, path, ancestor, descendant)
  try {
    return await work({
      objects: own.objects,
      trees: own.trees,
      history: { isAncestor },
      remote: {
        fetchFolder: async (_remote, ref, order) => {
          const fetched = await held.fetch(ref, order)
          // The fetch may have recreated the scratch repository.
          await makeReady(path, borrowed)
          return fetched
        },
        push: (to, ref, commit, expected) =>
          push(remote, { path, launcher: local.launcher, isAncestor }, to, { ref, commit, expected }),
      },
    })
  } finally {
    await own.close()
  }
}

/**
 * Creates the repository if it is missing, unfinished or too large. HEAD is written last, so a repository without HEAD
 * is unfinished.
 */
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

/**
 * Returns whether one commit is an ancestor of the other. Git reads only the part of the history that it needs, and
 * nothing is kept in memory. Throws `GitError` if a part of the history is missing.
 */
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
  // If Git cannot read a commit, it prints an error and reports that the commit is not an ancestor.
  if (code !== 0 && (code !== 1 || stderr !== ''))
    throw new GitError(`git merge-base failed with exit code ${code}: ${stderr.slice(0, 1000)}`)
  return code === 0
}
