/** The repository of a space on one server, which an admin reads and writes with plain Git. */
import { git } from '../../support/hermetic-git.js'
import { commitIn } from './admin.js'
import { Objects } from './objects.js'

export type Reader = Pick<Objects, 'read' | 'blob' | 'treeId' | 'files'>

/** The repository of a space at any location. */
export interface SpaceRepository extends Reader {
  /** The target of a ref, or null if it is absent. */
  head(ref: string): Promise<string | null>
  /** All refs, in text. */
  refs(): Promise<string>
  /** A commit of a person on a branch. Null deletes. `seconds`: its date. */
  commit(ref: string, files: Record<string, string | null>, message: string, seconds: number): Promise<void>
  /** Runs a Git maintenance command. */
  keepHouse(args: readonly string[]): Promise<void>
  /** Throws if Git finds a fault. */
  check(): Promise<void>
  close(): void
}

export const check = (dir: string): Promise<unknown> => git(dir, ['fsck', '--strict', '--no-dangling', '--no-progress'])

export async function keepHouse(dir: string, args: readonly string[]): Promise<void> {
  await git(dir, args).catch((error: unknown) => {
    if (!String(error).includes('gc is already running')) throw error
  })
}

/** @param dir folder of the bare repository */
export function repositoryIn(dir: string): SpaceRepository {
  const objects = new Objects(dir)
  return {
    read: (name) => objects.read(name),
    blob: (oid) => objects.blob(oid),
    treeId: (commit, folder) => objects.treeId(commit, folder),
    files: (commit, folder) => objects.files(commit, folder),
    head: async (ref) => objects.head(ref),
    refs: () => git(dir, ['for-each-ref']),
    commit: async (ref, files, message, seconds) => void (await commitIn(dir, ref, files, message, seconds)),
    keepHouse: (args) => keepHouse(dir, args),
    check: async () => void (await check(dir)),
    close: () => objects.close(),
  }
}
