// Isolates fetched objects until they are checked.
import { mkdtemp, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoteError } from '../errors.js'
import { disk, exists, syncPath } from '../objects/disk.js'
import { borrowingObjects } from '../process/environment.js'
import type { Environment } from '../process/messages.js'

/**
 * A Git folder in which fetched objects are checked before they get into the repository. It uses the refs and objects
 * of the repository, so that nothing is transferred twice, but writes objects only to itself. It is in `objects/` under
 * a name that `git prune` recognizes, so a folder left behind by a crash is deleted with the other garbage.
 */
export interface Quarantine {
  /** The path of the folder. */
  readonly folder: string
  /** The environment in which Git writes to the quarantine. */
  readonly env: Environment
  /** The same environment, but Git sees only the received objects. */
  readonly arrivedEnv: Environment
  /** Returns the size of the received objects in bytes, without the indexes of their packs. */
  bytes(): Promise<number>
  /** Returns the head that the fetch recorded. */
  fetchedHead(): Promise<string>
  /** Throws `RemoteError` unless all objects arrived in packs that Git has checked. */
  requireChecked(): Promise<void>
  /** Syncs the existing packs to disk while they are checked. `publish` then has little to sync. */
  writeOut(): Promise<void>
  /**
   * Moves the packs into the repository. They are durable when the promise resolves.
   * @param protect called with the name of each pack, without an extension, before the pack is moved
   */
  publish(protect?: (pack: string) => Promise<void>): Promise<void>
  remove(): Promise<void>
}

const syncFile = (path: string): Promise<void> => syncPath(disk, path)

/**
 * The extensions in the order in which files are moved. Readers find a pack by its `.idx`, so that comes last.
 * `.promisor` marks packs whose referenced objects may be missing.
 */
const PACK_FILES = ['.promisor', '.pack', '.rev', '.idx']

async function publishPack(from: string, to: string, name: string): Promise<void> {
  const now = new Date()
  // The name is a hash of the content, so the repository already has this pack. Renew its time, so that it is not
  // pruned.
  if (await exists(join(to, `${name}.idx`))) return utimes(join(to, `${name}.pack`), now, now)
  for (const suffix of PACK_FILES) {
    const file = join(from, name + suffix)
    if (await exists(file)) await rename(file, join(to, name + suffix))
  }
}

const INDEX_FILE = /\.(?:idx|rev)$|\/tmp_(?:idx|rev)_[^/]*$/

/** Returns the total size of files. A file that no longer exists counts as 0, since Git renames its files. */
async function total(files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

interface TraceEvent {
  event?: string
  argv?: string[]
}

/** Whether the trace of a fetch contains an `index-pack` that did not check objects. */
const hasUncheckedPack = (trace: string): boolean =>
  trace
    .split('\n')
    .filter((line) => line.includes('"child_start"') && line.includes('index-pack'))
    .map((line): TraceEvent => JSON.parse(line))
    .some(({ argv = [] }) => argv.includes('index-pack') && !argv.some((arg) => /^--(?:strict|fsck-objects)/.test(arg)))

/** Creates a quarantine in the bare repository at `repoPath`. */
export async function openQuarantine(repoPath: string): Promise<Quarantine> {
  const folder = await mkdtemp(join(repoPath, 'objects', 'tmp_objdir-incoming-'))
  const objects = join(folder, 'objects')
  const packs = join(objects, 'pack')
  const trace = join(folder, 'trace')
  await mkdir(packs, { recursive: true })
  await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n')
  await writeFile(join(folder, 'commondir'), `${repoPath}\n`)
  const arrivedEnv = { GIT_DIR: folder, GIT_OBJECT_DIRECTORY: objects }
  const files = async (): Promise<string[]> =>
    (await readdir(objects, { recursive: true, withFileTypes: true }))
      .filter((e) => e.isFile())
      .map((e) => join(e.parentPath, e.name))

  const packNames = async (): Promise<string[]> =>
    (await readdir(packs)).filter((file) => file.endsWith('.idx')).map((file) => file.slice(0, -'.idx'.length))
  const syncPacks = async (names: readonly string[]): Promise<void> => {
    const made = names.flatMap((name) => PACK_FILES.map((suffix) => join(packs, name + suffix)))
    await Promise.all(made.map(async (file) => (await exists(file)) && syncFile(file)))
  }

  return {
    folder,
    arrivedEnv,
    env: { ...arrivedEnv, ...borrowingObjects(repoPath), GIT_TRACE2_EVENT: trace },
    bytes: async () => total((await files().catch(() => [])).filter((file) => !INDEX_FILE.test(file))),
    async fetchedHead() {
      return (await readFile(join(folder, 'FETCH_HEAD'), 'utf8')).slice(0, 40)
    },
    async requireChecked() {
      // From a "dumb" HTTP remote, Git downloads single files without its checks.
      const loose = (await files()).some((file) => !file.startsWith(packs))
      if (loose || hasUncheckedPack(await readFile(trace, 'utf8'))) {
        throw new RemoteError(
          'not-a-repository',
          'The remote is a plain file server without Git support. Use a Git server.',
        )
      }
    },
    writeOut: async () => syncPacks(await packNames()),
    async publish(protect = async () => {}) {
      const names = await packNames()
      if (names.length === 0) return
      await syncPacks(names)
      const target = join(repoPath, 'objects', 'pack')
      await mkdir(target, { recursive: true })
      for (const name of names) {
        await protect(name)
        await publishPack(packs, target, name)
      }
      await Promise.all([syncFile(target), syncFile(join(repoPath, 'objects'))])
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
