import { mkdtemp, open, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoteError } from '../errors.js'

/**
 * Where fetched objects wait to be checked: a Git folder of its own that shares the repository's refs (so what is here
 * already is not sent again) and borrows its objects, but writes to its own. It lies below `objects/` under a name that
 * `git prune` knows as its own kind, so one left by a crash is cleared away with the other garbage.
 */
export interface Quarantine {
  /** Environment that makes Git write there. */
  readonly env: Record<string, string>
  /** The same, but seeing only what has arrived. */
  readonly arrivedEnv: Record<string, string>
  /** Bytes of all objects that have arrived so far, without the indexes that Git makes of them. */
  bytes(): Promise<number>
  /** What the fetch recorded as the head. */
  fetchedHead(): Promise<string>
  /** Throws `RemoteError` unless all that arrived came as packs that Git checked while receiving. */
  requireChecked(): Promise<void>
  /** Moves the packs into the repository; they are durable and visible when it resolves. */
  publish(): Promise<void>
  remove(): Promise<void>
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Readers find a pack by its `.idx`, so that comes last. */
const PACK_FILES = ['.pack', '.rev', '.idx']

async function publishPack(from: string, to: string, name: string): Promise<void> {
  const now = new Date()
  // The name is the content's hash: the same pack is here already. Its new date keeps it from being pruned.
  if (await exists(join(to, `${name}.idx`))) return utimes(join(to, `${name}.pack`), now, now)
  for (const suffix of PACK_FILES) {
    const file = join(from, name + suffix)
    if (!(await exists(file))) continue
    await sync(file)
    await rename(file, join(to, name + suffix))
  }
}

const INDEX_FILE = /\.(?:idx|rev)$|\/tmp_(?:idx|rev)_[^/]*$/

/** Git renames its files while this looks at them. */
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

/** Whether the trace of a fetch shows an `index-pack` that did not check objects. */
const hasUncheckedPack = (trace: string): boolean =>
  trace
    .split('\n')
    .filter((line) => line.includes('"child_start"') && line.includes('index-pack'))
    .map((line) => JSON.parse(line) as TraceEvent)
    .some(({ argv = [] }) => argv.includes('index-pack') && !argv.some((arg) => /^--(?:strict|fsck-objects)/.test(arg)))

/** Makes a quarantine in the bare repository at `repoPath`. */
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
    (await readdir(objects, { recursive: true, withFileTypes: true })).filter((e) => e.isFile()).map((e) => join(e.parentPath, e.name))

  return {
    arrivedEnv,
    // Quoted, since a ":" would part it in two.
    env: { ...arrivedEnv, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(repoPath, 'objects')), GIT_TRACE2_EVENT: trace },
    bytes: async () => total((await files().catch(() => [])).filter((file) => !INDEX_FILE.test(file))),
    async fetchedHead() {
      return (await readFile(join(folder, 'FETCH_HEAD'), 'utf8')).slice(0, 40)
    },
    async requireChecked() {
      // A "dumb" HTTP remote makes Git download files one by one, past its own checks.
      const loose = (await files()).some((file) => !file.startsWith(packs))
      if (loose || hasUncheckedPack(await readFile(trace, 'utf8'))) {
        throw new RemoteError('not-a-repository', 'The remote is a plain file server without Git support; use a Git server.')
      }
    },
    async publish() {
      const names = (await readdir(packs)).filter((file) => file.endsWith('.idx')).map((file) => file.slice(0, -'.idx'.length))
      if (names.length === 0) return
      const target = join(repoPath, 'objects', 'pack')
      await mkdir(target, { recursive: true })
      for (const name of names) await publishPack(packs, target, name)
      await sync(target)
      await sync(join(repoPath, 'objects'))
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
