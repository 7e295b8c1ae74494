/** `bindery restore`: restores a backup into empty folders or an empty database, and verifies backups in scratch ones. */
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, normalize, resolve } from 'node:path'
import type { Config } from '../../config.js'
import { noteCommand } from '../../start/operator/audit.js'
import type { Outcome } from '../../start/operator/declaration.js'
import { amount } from '../../start/operator/texts.js'
import { checkAll, OperatorError } from '../maintenance.js'
import { restoreDatabase, withScratchDatabase } from './database-dump.js'
import { syncAll } from './plain-copy.js'
import { BackupStore, isBackupStore, type Snapshot, type StoredFile } from './snapshots.js'
import { openStorage } from './storage.js'

interface RestoreInput {
  target: string
  /** ID of an incremental backup; default: the newest. */
  backup?: string | undefined
  passphrase: string | null
  tell: (progress: string) => void
}

/**
 * Restores a backup into the folders of the settings, which must be empty, and with BINDERY_DATABASE_URL into that
 * database. Throws `OperatorError`.
 */
export async function restore(config: Config, input: RestoreInput): Promise<Outcome> {
  const [dataDir, reposDir] = [resolve(config.dataDir), resolve(config.reposDir)]
  await requireEmpty(dataDir, 'BINDERY_DATA_DIR')
  if (config.databaseUrl === null) await requireEmpty(reposDir, 'BINDERY_REPOS_DIR')
  // An interrupted restore must not look like a complete installation.
  const partial = `${dataDir}.restoring`
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true, mode: 0o700 })
  const { files, backup, kind } = await unpack(config, input, partial)
  await requireKind(kind, config)
  if (config.databaseUrl !== null) {
    input.tell('database')
    await restoreDatabase(config.databaseUrl, join(partial, 'database'))
  } else {
    await mkdir(join(partial, 'repos'), { recursive: true })
    await place(join(partial, 'repos'), reposDir)
  }
  await mkdir(join(partial, 'data'), { recursive: true, mode: 0o700 })
  await noteCommand(join(partial, 'data'), { operation: 'restore', members: ['from'] })
  await place(join(partial, 'data'), dataDir)
  await rm(partial, { recursive: true, force: true })
  await syncAll()
  return {
    text: `${amount(files, 'file')} of ${backup} are restored. \`bindery fsck\` checks them, and \`bindery serve\` starts the server.`,
    json: { backup, files, dataDir, reposDir },
  }
}

async function requireEmpty(folder: string, setting: string): Promise<void> {
  const names = existsSync(folder) ? await readdir(folder) : []
  if (names.some((name) => name !== '.gitkeep'))
    throw new OperatorError(`${folder} (${setting}) is not empty. Move its content away, or name another folder.`)
}

function requireKind(kind: Snapshot['kind'], { databaseUrl }: Config): void {
  if (kind === 'database' && databaseUrl === null)
    throw new OperatorError('The backup contains a database. Set BINDERY_DATABASE_URL to an empty one.')
  if (kind === 'folders' && databaseUrl !== null)
    throw new OperatorError(
      'The backup contains folders. Restore it without BINDERY_DATABASE_URL, then run `bindery migrate`.',
    )
}

/** Moves a folder to its place, also to another file system. */
async function place(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true })
  await mkdir(dirname(to), { recursive: true })
  try {
    await rename(from, to)
  } catch {
    await cp(from, to, { recursive: true, preserveTimestamps: true })
  }
}

interface Unpacked {
  files: number
  backup: string
  kind: Snapshot['kind']
}

/** Writes the content of a backup into a folder, as `data/`, `repos/` and `database/`. Each chunk is compared with its hash. */
async function unpack(
  config: Config,
  { target, backup, passphrase, tell }: RestoreInput,
  folder: string,
): Promise<Unpacked> {
  const storage = openStorage(config, target)
  if (!(await isBackupStore(storage))) return unpackPlain(resolve(target), folder)
  const store = await BackupStore.open(storage, { passphrase })
  const snapshot = await store.getSnapshot(backup)
  for (const path of snapshot.folders) await mkdir(within(folder, path), { recursive: true, mode: 0o700 })
  for (const [at, file] of snapshot.files.entries()) {
    if (at % 100 === 0) tell(`file ${at + 1} of ${snapshot.files.length}`)
    await writeOut(store, file, within(folder, file.path))
  }
  return { files: snapshot.files.length, backup: `${storage.description} ${snapshot.id}`, kind: snapshot.kind }
}

/** Returns the path of a file of a backup. A changed backup must not write outside the folder. */
function within(folder: string, path: string): string {
  if (normalize(path) === path && /^(data|repos|database)(\/|$)/.test(path)) return join(folder, path)
  throw new OperatorError(`The backup contains the path ${path}, which no backup has. It was changed.`)
}

async function writeOut(store: BackupStore, file: StoredFile, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const out = await open(path, 'wx', 0o600)
  let size = 0
  try {
    for await (const chunk of store.read(file)) {
      await out.writeFile(chunk)
      size += chunk.length
    }
  } finally {
    await out.close()
  }
  if (size !== file.size) throw new OperatorError(`${file.path}: the backup has ${size} of ${file.size} bytes.`)
  await chmod(path, file.mode)
}

async function unpackPlain(source: string, folder: string): Promise<Unpacked> {
  for (const part of ['data', 'repos']) {
    if (!existsSync(join(source, part)))
      throw new OperatorError(`${source} is not a backup: there is no folder ${join(source, part)}.`)
    await cp(join(source, part), join(folder, part), { recursive: true, preserveTimestamps: true })
  }
  return { files: (await readdir(folder, { recursive: true })).length, backup: source, kind: 'folders' }
}

/** Restores a backup into scratch folders, and checks everything there. Throws `OperatorError` with all problems. */
export async function verify(config: Config, input: RestoreInput): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'bindery-verify-'))
  try {
    await unpack(config, { ...input, tell: (progress) => input.tell(`verification: ${progress}`) }, scratch)
    input.tell('verification: check')
    const restored = { ...config, dataDir: join(scratch, 'data'), reposDir: join(scratch, 'repos') }
    const { complaints } =
      config.databaseUrl === null
        ? await checkAll(restored)
        : await withScratchDatabase(config.databaseUrl, async (url) => {
            await restoreDatabase(url, join(scratch, 'database'))
            return checkAll({ ...restored, databaseUrl: url })
          })
    if (complaints.length > 0)
      throw new OperatorError(`The backup was made, but what it restores has problems:\n  ${complaints.join('\n  ')}`)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
