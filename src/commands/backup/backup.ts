/** `bindery backup` and `bindery backups`: plain copies and incremental backups, their retention and verification. */
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Config } from '../../config.js'
import { takeLock } from '../../disk/folder-lock.js'
import { amount } from '../../start/operator/texts.js'
import type { Outcome } from '../../start/operator/declaration.js'
import { PACKAGE_VERSION } from '../../start/version.js'
import { OperatorError } from '../maintenance.js'
import { capture, damagedDocuments, type Sink, stampOf } from './capture.js'
import { dumpDatabase } from './database-dump.js'
import { backUp, syncAll } from './plain-copy.js'
import { verify } from './restore.js'
import { BackupStore, isBackupStore, type Snapshot, type StoredFile } from './snapshots.js'
import { isS3, openStorage, type Storage } from './storage.js'

interface BackupInput {
  target: string
  incremental: boolean
  passphraseFile: string | undefined
  keep: string | undefined
  verify: boolean
}

type Tell = (progress: string) => void

/** Backs up the installation. Throws `OperatorError`. */
export async function backup(config: Config, input: BackupInput, tell: Tell): Promise<Outcome> {
  const storage = openStorage(config, input.target)
  if (input.incremental || isS3(input.target) || (await isBackupStore(storage)))
    return backUpIncrementally(config, storage, input, tell)
  for (const [option, value] of [
    ['--keep', input.keep],
    ['--passphrase-file', input.passphraseFile],
  ] as const)
    if (value !== undefined) throw new OperatorError(`${option} is for incremental backups. Add --incremental.`)
  const { files, repositories } = await backUp(config, input.target, tell)
  const folder = resolve(input.target)
  if (input.verify) await verify(config, { target: folder, passphrase: null, tell })
  const damaged = await damagedDocuments(config)
  return {
    ...damageOf(damaged),
    text: `${folder} has ${amount(repositories, 'repository', 'repositories')} and ${amount(files, 'file')}${input.verify ? ', verified' : ''}. \`bindery restore\` restores it.${described(damaged)}`,
    json: { target: folder, files, repositories, verified: input.verify, damaged },
  }
}

const damageOf = (damaged: readonly string[]): Pick<Outcome, 'problems'> =>
  damaged.length > 0 ? { problems: true } : {}

const described = (damaged: readonly string[]): string =>
  damaged.length === 0
    ? ''
    : ` It contains ${amount(damaged.length, 'damaged file')} of documents: ${damaged.join(', ')}. Keep the backups from before the damage, and see \`bindery fsck --repair --help\`.`

const MIN_PASSPHRASE_LENGTH = 12

/** Reads the passphrase from a file. Throws `OperatorError` if it is too short. */
export async function readPassphrase(file: string | undefined): Promise<string | null> {
  if (file === undefined) return null
  const text = await readFile(file, 'utf8').catch(() => {
    throw new OperatorError(`${file} cannot be read. Name a file with the passphrase.`)
  })
  const passphrase = text.trim()
  if (passphrase.length >= MIN_PASSPHRASE_LENGTH) return passphrase
  throw new OperatorError(
    `The passphrase in ${file} has fewer than ${MIN_PASSPHRASE_LENGTH} characters. \`openssl rand -hex 32\` generates one.`,
  )
}

/** Returns the number of backups to keep; null = all. */
function countOf(keep: string | undefined): number | null {
  if (keep === undefined) return null
  if (/^[1-9]\d{0,5}$/.test(keep)) return Number(keep)
  throw new OperatorError(`--keep ${keep} is not a number of backups. Use a number from 1.`)
}

async function backUpIncrementally(config: Config, storage: Storage, input: BackupInput, tell: Tell): Promise<Outcome> {
  const keep = countOf(input.keep)
  const passphrase = await readPassphrase(input.passphraseFile)
  const isFolder = !isS3(input.target)
  const store = await BackupStore.open(storage, { passphrase, create: true })
  const root = resolve(input.target)
  const lock = isFolder ? takeLock(root, join(root, 'lock')) : null
  try {
    const { content, storedBytes, readFiles } = await collect(config, store, tell)
    if (isFolder) await syncAll()
    const snapshot = await store.addSnapshot(content)
    if (isFolder) await syncAll()
    if (input.verify) await verify(config, { target: input.target, passphrase, tell })
    const damaged = config.databaseUrl === null ? await damagedDocuments(config) : []
    // Older backups are removed last, when the new one is known to be good.
    const removed = keep === null || damaged.length > 0 ? 0 : await store.keepNewest(keep)
    const json = {
      target: storage.description,
      backup: snapshot.id,
      files: snapshot.files.length,
      readFiles,
      storedBytes,
      verified: input.verify,
      removed,
      damaged,
    }
    return {
      ...damageOf(damaged),
      text: `${storage.description} has backup ${snapshot.id}: ${amount(json.files, 'file')}, of which ${readFiles} changed (${amount(storedBytes, 'byte')} stored)${input.verify ? ', verified' : ''}${removed > 0 ? `; ${amount(removed, 'older backup')} removed` : ''}.${described(damaged)}`,
      json,
    }
  } finally {
    lock?.release()
  }
}

interface Collected {
  content: Omit<Snapshot, 'id' | 'createdAt'>
  storedBytes: number
  readFiles: number
}

/** Stores the files of the installation that have changed since the newest backup. */
async function collect(config: Config, store: BackupStore, tell: Tell): Promise<Collected> {
  const before = (await store.listSnapshots()).length === 0 ? [] : (await store.getSnapshot()).files
  const sink = new StoreSink(store, new Map(before.map((file) => [file.path, file])))
  const { databaseUrl, dataDir } = config
  if (databaseUrl === null) await capture(config, sink, tell)
  else
    await collectDump({ url: databaseUrl, keyFile: config.signingKeyFile ?? join(dataDir, 'signing-key') }, sink, tell)
  const kind = databaseUrl === null ? ('folders' as const) : ('database' as const)
  const content = { version: PACKAGE_VERSION, kind, folders: [...sink.folders], files: [...sink.files.values()] }
  return { content, storedBytes: sink.storedBytes, readFiles: sink.readFiles }
}

async function collectDump({ url, keyFile }: { url: string; keyFile: string }, sink: Sink, tell: Tell): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'bindery-backup-'))
  try {
    tell('dump of the database')
    const dump = join(scratch, 'database')
    await dumpDatabase(url, dump)
    tell('changed files')
    await sink.folder('database')
    for (const name of await readdir(dump)) await sink.file(`database/${name}`, join(dump, name))
    await sink.folder('data')
    // A key from the environment is not in a file, and the operator keeps it elsewhere.
    if (existsSync(keyFile)) await sink.file('data/signing-key', keyFile)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Stores files that have changed since an earlier backup. */
class StoreSink implements Sink {
  // bound: the folders and files of the installation
  readonly folders = new Set<string>()
  // bound: the same
  readonly files = new Map<string, StoredFile>()
  storedBytes = 0
  readFiles = 0

  constructor(
    private readonly store: BackupStore,
    private readonly before: ReadonlyMap<string, StoredFile>,
  ) {}

  async folder(path: string): Promise<void> {
    this.folders.add(path)
  }

  async file(path: string, source: string): Promise<void> {
    // The stamp is older than the content, so a file that changes in between is read again by the next backup.
    const stamp = stampOf(source) ?? ''
    const former = this.before.get(path)
    if (former && former.stamp === stamp && this.store.has(former)) {
      this.files.set(path, former)
      return
    }
    const { stored, ...content } = await this.store.addFile(source)
    this.storedBytes += stored
    this.readFiles++
    this.files.set(path, { path, stamp, ...content })
  }

  async removed(path: string): Promise<void> {
    this.files.delete(path)
  }
}

/** Lists the incremental backups of a target. */
export async function listBackups(
  config: Config,
  { target, passphraseFile }: Pick<BackupInput, 'target' | 'passphraseFile'>,
): Promise<Outcome> {
  const store = await BackupStore.open(openStorage(config, target), {
    passphrase: await readPassphrase(passphraseFile),
  })
  const all: { id: string; createdAt: string; version: string; files: number; bytes: number }[] = []
  for (const id of await store.listSnapshots()) {
    const { createdAt, version, files } = await store.getSnapshot(id)
    all.push({ id, createdAt, version, files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) })
  }
  const lines = all.map(
    (one) => `${one.id}  ${one.createdAt}  ${amount(one.files, 'file')}, ${amount(one.bytes, 'byte')}`,
  )
  return { text: lines.length === 0 ? 'None.' : lines.join('\n'), json: all }
}
