/**
 * A store of incremental backups. Files are cut into chunks, which are stored once under a hash of their content. A
 * snapshot lists the files with their chunks. It is written last, so an interrupted backup leaves no snapshot.
 */
import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { isRecord } from '../../kernel/guards.js'
import { OperatorError } from '../maintenance.js'
import { newSealing, openSealing, type Sealing, type SealParameters, unsealed } from './sealing.js'
import type { Storage } from './storage.js'

const CONFIG = 'bindery-backup.json'
const FORMAT = 1
const CHUNK_BYTES = 4 * 1024 * 1024
/** Maximum size of the list of files after decompression: about ten million files. */
const MAX_LIST_BYTES = 2 * 1024 ** 3 - 1024

/** A file of a snapshot. */
export interface StoredFile {
  path: string
  mode: number
  size: number
  /** Identifies the version of the source. A later backup does not read an unchanged file again. */
  stamp: string
  chunks: string[]
}

export interface Snapshot {
  /** Time and a random part: `20260131t120000123z-5f3a0b1c`. Sorts by time. */
  id: string
  createdAt: string
  version: string
  kind: 'folders' | 'database'
  folders: string[]
  files: StoredFile[]
}

const chunkName = (hash: string): string => `chunks/${hash.slice(0, 2)}/${hash}`
const snapshotName = (id: string): string => `snapshots/${id}`

/** Whether a storage contains backups. */
export const isBackupStore = async (storage: Storage): Promise<boolean> => (await storage.get(CONFIG)) !== null

export class BackupStore {
  // bound: the files that are read at the same time
  readonly #arriving = new Map<string, Promise<void>>()

  private constructor(
    readonly storage: Storage,
    private readonly sealing: Sealing,
    /** Names of the chunks that exist. */
    // bound: the chunks of all backups
    private readonly known: Set<string>,
  ) {}

  /**
   * Opens the store, or creates it. Throws `OperatorError` if the passphrase is missing, wrong, or given for a store
   * without encryption.
   */
  static async open(
    storage: Storage,
    { passphrase, create = false }: { passphrase: string | null; create?: boolean },
  ): Promise<BackupStore> {
    const found = await storage.get(CONFIG)
    if (found === null && !create) throw new OperatorError(`There are no backups in ${storage.description}.`)
    const sealing =
      found === null ? await createConfig(storage, passphrase) : await openConfig(storage, found, passphrase)
    const known = new Set((await storage.list('chunks/')).map((name) => name.slice(name.lastIndexOf('/') + 1)))
    return new BackupStore(storage, sealing, known)
  }

  /** Stores the chunks of a file that are missing. */
  async addFile(source: string): Promise<Pick<StoredFile, 'mode' | 'size' | 'chunks'> & { stored: number }> {
    const file = await open(source, 'r')
    try {
      const { mode } = await file.stat()
      const chunks: string[] = []
      let [size, stored] = [0, 0]
      for (;;) {
        const chunk = await readChunk(file)
        if (chunk.length === 0 && size > 0) break
        const name = this.sealing.nameOf(chunk)
        chunks.push(name)
        size += chunk.length
        stored += await this.#addChunk(name, chunk)
        if (chunk.length < CHUNK_BYTES) break
      }
      return { mode: mode & 0o777, size, chunks, stored }
    } finally {
      await file.close()
    }
  }

  /** Stores a chunk once, even if several files with it are added at the same time. Returns the number of stored bytes. */
  async #addChunk(name: string, chunk: Buffer): Promise<number> {
    if (this.known.has(name)) return 0
    const pending = this.#arriving.get(name)
    if (pending) return pending.then(() => 0)
    const object = chunkName(name)
    const content = this.sealing.seal(object, chunk)
    const arriving = this.storage.put(object, content)
    this.#arriving.set(name, arriving)
    try {
      await arriving
    } finally {
      this.#arriving.delete(name)
    }
    this.known.add(name)
    return content.length
  }

  /** Whether all chunks of a file exist, so that a snapshot may name it. */
  has({ chunks }: StoredFile): boolean {
    return chunks.every((name) => this.known.has(name))
  }

  /** Publishes a snapshot whose chunks exist. */
  async addSnapshot(content: Omit<Snapshot, 'id' | 'createdAt'>): Promise<Snapshot> {
    const createdAt = new Date().toISOString()
    const id = `${createdAt.replace(/[-:.]/g, '').toLowerCase()}-${randomBytes(4).toString('hex')}`
    const snapshot = { id, createdAt, ...content }
    const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
    const packed = brotliCompressSync(JSON.stringify(snapshot), options)
    await this.storage.put(snapshotName(id), this.sealing.seal(snapshotName(id), packed))
    return snapshot
  }

  /** Returns the IDs of the snapshots, oldest first. */
  async listSnapshots(): Promise<string[]> {
    return (await this.storage.list('snapshots/')).map((name) => name.slice('snapshots/'.length)).sort()
  }

  /** Returns a snapshot, by default the newest one. Throws `OperatorError`. */
  async getSnapshot(id?: string): Promise<Snapshot> {
    const wanted = id ?? (await this.listSnapshots()).at(-1)
    const sealed = wanted === undefined ? null : await this.storage.get(snapshotName(wanted))
    if (wanted === undefined || sealed === null)
      throw new OperatorError(
        `${this.storage.description} has no ${id === undefined ? 'complete backup' : `backup ${id}`}. \`bindery backups\` lists them.`,
      )
    const packed = this.sealing.open(snapshotName(wanted), sealed)
    return JSON.parse(brotliDecompressSync(packed, { maxOutputLength: MAX_LIST_BYTES }).toString('utf8'))
  }

  /** Reads the content of a file. Throws `OperatorError` if a chunk is missing or was changed. */
  async *read({ path, chunks }: StoredFile): AsyncGenerator<Buffer> {
    for (const name of chunks) {
      const sealed = await this.storage.get(chunkName(name))
      if (sealed === null)
        throw new OperatorError(`${path}: the chunk ${name} is missing in ${this.storage.description}.`)
      const chunk = this.sealing.open(chunkName(name), sealed)
      if (this.sealing.nameOf(chunk) !== name)
        throw new OperatorError(`${path}: the chunk ${name} in ${this.storage.description} was changed.`)
      yield chunk
    }
  }

  /** Removes all but the newest snapshots, then the chunks that no snapshot names. Returns the number of snapshots. */
  async keepNewest(count: number): Promise<number> {
    const all = await this.listSnapshots()
    const [removed, kept] = [all.slice(0, -count), all.slice(-count)]
    // bound: the chunks of the kept backups
    const needed = new Set<string>()
    for (const id of kept)
      for (const { chunks } of (await this.getSnapshot(id)).files) for (const one of chunks) needed.add(one)
    for (const id of removed) await this.storage.remove(snapshotName(id))
    for (const name of this.known)
      if (!needed.has(name)) {
        await this.storage.remove(chunkName(name))
        this.known.delete(name)
      }
    return removed.length
  }
}

type FileHandle = Awaited<ReturnType<typeof open>>

async function readChunk(file: FileHandle): Promise<Buffer> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let filled = 0
  while (filled < CHUNK_BYTES) {
    const { bytesRead } = await file.read(chunk, filled, CHUNK_BYTES - filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return chunk.subarray(0, filled)
}

async function createConfig(storage: Storage, passphrase: string | null): Promise<Sealing> {
  if ((await storage.list('')).length > 0)
    throw new OperatorError(`${storage.description} contains other files. Name an empty folder or prefix.`)
  const made = passphrase === null ? null : await newSealing(passphrase)
  const config = { format: FORMAT, encryption: made?.parameters ?? null }
  await storage.put(CONFIG, Buffer.from(`${JSON.stringify(config, null, 2)}\n`))
  return made?.sealing ?? unsealed
}

async function openConfig(storage: Storage, text: Buffer, passphrase: string | null): Promise<Sealing> {
  const config: unknown = JSON.parse(text.toString('utf8'))
  if (!isRecord(config) || config.format !== FORMAT)
    throw new OperatorError(`${storage.description} was written by a newer release. Use that release.`)
  const { encryption } = config
  if (isSealParameters(encryption)) {
    if (passphrase !== null) return openSealing(passphrase, encryption)
    throw new OperatorError(
      `The backups in ${storage.description} are encrypted. Name the file with --passphrase-file.`,
    )
  }
  if (passphrase === null) return unsealed
  throw new OperatorError(
    `The backups in ${storage.description} are not encrypted. Omit --passphrase-file, or use another target.`,
  )
}

const isSealParameters = (value: unknown): value is SealParameters =>
  isRecord(value) &&
  value.kdf === 'scrypt' &&
  [value.N, value.r, value.p].every(Number.isInteger) &&
  typeof value.salt === 'string' &&
  typeof value.check === 'string'
