import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../../kernel/ids.js'
import { GitError, NoRepository, RepositoryExists, UnsupportedRepository } from '../errors.js'
import { type Disk, errorCode, syncPath, writeSynced } from '../objects/disk.js'

/**
 * Settings of a new repository. The server gives its own Git the same ones; here they are for the Git of whoever works in
 * the folder: what he writes is durable too, nothing is pruned unasked, and every branch has a reflog.
 */
const CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tlogAllRefUpdates = true
\tfsync = all
\tfsyncMethod = fsync
[gc]
\tauto = 0
[maintenance]
\tauto = false
[receive]
\tfsckObjects = true
\tdenyDeleteCurrent = refuse
[merge]
\tdirectoryRenames = false
`
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/
/** Folders under construction, on their way out, or of merges; cleared at start. */
const PASSING = /^\.(new|trash|scratch)-/

/** A folder for objects that are in no repository yet. */
export const scratchPath = (reposDir: string): string => join(reposDir, `.scratch-${newId()}`)

/** The folder of the repository called `name`. Throws `NoRepository` for what can be no name. */
export function repositoryPath(reposDir: string, name: string): string {
  if (!NAME.test(name)) throw new NoRepository(`${JSON.stringify(name)} is no repository's name`)
  return join(reposDir, `${name}.git`)
}

export const repositoryExists = (path: string): Promise<boolean> =>
  stat(join(path, 'HEAD')).then(
    () => true,
    () => false,
  )

/** Builds a bare repository beside its place, lets `fill` add to it, and moves it there in one step. Throws `RepositoryExists`. */
export async function createRepository(disk: Disk, reposDir: string, path: string, fill: (building: string) => Promise<void> = async () => {}): Promise<void> {
  const building = join(reposDir, `.new-${newId()}`)
  try {
    for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']) await mkdir(join(building, folder), { recursive: true })
    await writeSynced(disk, join(building, 'HEAD'), [Buffer.from('ref: refs/heads/main\n')], 0o644)
    await writeSynced(disk, join(building, 'config'), [Buffer.from(CONFIG)], 0o644)
    await fill(building)
    for (const folder of ['objects/info', 'objects/pack', 'objects', 'refs/heads', 'refs/tags', 'refs', 'info', '.'])
      await syncPath(disk, join(building, folder))
    await rename(building, path)
    await syncPath(disk, reposDir)
  } catch (error) {
    await rm(building, { recursive: true, force: true })
    if (['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw new RepositoryExists(`${path} is there already`, { cause: error })
    throw error
  }
}

/**
 * Throws `NoRepository`, and `UnsupportedRepository` for what this code cannot read: SHA-256, reftable, alternates. Reads at
 * once: a start opens thousands of repositories, for which waiting for each small file costs more than reading it.
 */
export function mustBeSupported(path: string): void {
  const config = textOf(join(path, 'config'))
  if (config === null || !existsSync(join(path, 'HEAD'))) throw new NoRepository(`${path} is no repository`)
  if (/\b(objectformat\s*=\s*"?sha256|refstorage\s*=\s*"?reftable)/i.test(config))
    throw new UnsupportedRepository(`${path} is not of SHA-1 and plain ref files`)
  if ((textOf(join(path, 'objects/info/alternates')) ?? '').trim() !== '') throw new UnsupportedRepository(`${path} borrows objects from another repository`)
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** Takes a repository out of sight at once, then deletes it. Throws `NoRepository`. */
export async function removeRepository(disk: Disk, reposDir: string, path: string): Promise<void> {
  const trash = join(reposDir, `.trash-${newId()}`)
  try {
    await rename(path, trash)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new NoRepository(`${path} is no repository`, { cause: error })
    throw new GitError(`${path} cannot be removed`, { cause: error })
  }
  await syncPath(disk, reposDir)
  await rm(trash, { recursive: true, force: true })
}

/** Deletes what a crash left half built or half deleted. */
export async function clearPassing(reposDir: string): Promise<void> {
  for (const name of await readdir(reposDir)) if (PASSING.test(name)) await rm(join(reposDir, name), { recursive: true, force: true })
}
