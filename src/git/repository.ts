/** One bare repository on the disk, put together from its parts. */
import type { CommitId, RefName } from '../kernel/ids.js'
import { DamagedRepository, isRepositoryFault } from './errors.js'
import { CommitHistory } from './history/commit-history.js'
import { maintain } from './lifecycle/maintain.js'
import { fsck } from './lifecycle/plain.js'
import type { RemoteScratches } from './monorepo/remote-scratches.js'
import { type Caches, cachesOf } from './objects/caches.js'
import { type FetchLost, ObjectDatabase } from './objects/database.js'
import type { Disk } from './objects/disk.js'
import { Scratch, type Scratches } from './objects/scratch.js'
import { ObjectWriter } from './objects/writer.js'
import type { OpenPacks } from './packs/open-packs.js'
import { PackedObjects } from './packs/packed-objects.js'
import type { Launcher } from './process/launcher.js'
import type { Pool } from './process/pool.js'
import { RefMover } from './refs/mover.js'
import { RefReader } from './refs/reader.js'
import { StoredRefs } from './refs/stored-refs.js'
import type { LocalRepository, RemoteOptions } from './remote/connection.js'
import { RemoteExchange } from './remote-exchange.js'
import { receivePack } from './serve/receive-pack.js'
import { serveUploadPack } from './serve/upload-pack.js'
import type { Signer } from './signing/types.js'
import { StoredObjects } from './stored-objects.js'
import { StoredTrees } from './trees/stored-trees.js'
import type { Door, Maintenance, Repository, Upkeep } from './types.js'
import { deepCheck } from './verify/deep-check.js'
import { MAX_PACK_BYTES } from './verify/second-reader.js'

/** The services that all repositories share. */
export interface Services {
  pool: Pool
  openPacks: OpenPacks
  caches: Caches
  scratches: Scratches
  disk: Disk
  remote: RemoteOptions
  remoteScratches: RemoteScratches
  /** Signs commits; null = no key. */
  signer: Signer | null
  maxBlobBytes: number
  maxFolderEntries: number
  /**
   * Returns a number that is unique per opening, so that a repository that is created again under an old name does not
   * find old cache entries.
   */
  nextOpening: () => number
  /** Called after refs were moved, with the repository's path. */
  moved: (path: string, refs: readonly RefName[]) => void
  /** Returns how a repository fetches objects that it has lost. */
  lostObjects: (place: PackFolder) => FetchLost
}

/** A repository into which packs are installed. */
export interface PackFolder {
  path: string
  disk: Disk
  writer: ObjectWriter
}

/** The parts of a repository that a node fills from the database. */
export interface LocalParts {
  path: string
  objects: ObjectDatabase
  writer: ObjectWriter
  mover: RefMover
  reader: RefReader
  disk: Disk
  launcher: Launcher
}

/** One bare repository, for the repositories of a service and for nodes (`postgres/`). */
export class BareRepository implements Repository {
  readonly signs: boolean
  readonly refs: StoredRefs
  readonly objects: StoredObjects
  readonly trees: StoredTrees
  readonly history: CommitHistory
  readonly remote: RemoteExchange
  readonly door: Door
  readonly upkeep: Upkeep
  /** The parts for a node, whose refs come from the database. */
  readonly parts: LocalParts
  readonly #pool: Pool
  readonly #scratch: Scratch
  readonly #packs: PackedObjects

  constructor(
    readonly path: string,
    services: Services,
    /** Repositories from which this one borrows objects. */
    borrowed: readonly ObjectWriter[] = [],
  ) {
    const { pool, disk, signer } = services
    const caches = cachesOf(services.caches, services.nextOpening())
    this.#pool = pool
    this.signs = signer !== null
    this.#scratch = new Scratch(path, services.scratches)
    this.#packs = new PackedObjects(path, services.openPacks, caches.bases)
    const { maxBlobBytes, maxFolderEntries } = services
    const shared = { pool, caches, maxBlobBytes, maxFolderEntries }
    const writer = new ObjectWriter(path, caches, disk, borrowed)
    const fetchLost = borrowed.length > 0 ? async () => false : services.lostObjects({ path, disk, writer })
    const sources = { packs: this.#packs, scratch: this.#scratch, fetchLost }
    const objects = new ObjectDatabase(path, { ...shared, ...sources })
    const reader = new RefReader(path, services.caches.packedRefs)
    const mover = new RefMover(path, pool, reader, disk, (commits) => writer.packs.kept.named(commits))
    this.parts = { path, objects, writer, mover, reader, disk, launcher: pool.launcher }
    this.refs = new StoredRefs({ ...this.parts, moved: (refs) => services.moved(path, refs) })
    this.history = new CommitHistory(objects, pool.launcher)
    this.objects = new StoredObjects({ ...this.parts, ancestry: this.history, signer })
    this.trees = new StoredTrees(objects, writer, this.history, pool)
    const local = this.#local()
    const open = (at: string, scratch: string): BareRepository => {
      const scratchObjects = new ObjectWriter(scratch, cachesOf(services.caches, services.nextOpening()), disk)
      return new BareRepository(at, services, [writer, scratchObjects])
    }
    this.remote = new RemoteExchange(services.remote, { local, scratches: services.remoteScratches }, open)
    this.door = {
      uploadPack: (request) => serveUploadPack(local, request),
      receivePack: (pack, limits) => receivePack(local, pack, limits),
    }
    this.upkeep = {
      maintain: (how) => this.#maintain(how),
      check: () => fsck(path),
      deepCheck: (maxPackBytes = MAX_PACK_BYTES) => deepCheck(this, maxPackBytes),
    }
  }

  /** Throws `DamagedRepository` if a ref names a commit that is missing or damaged, or whose root folder is. */
  async verifyHead(ref: RefName): Promise<void> {
    const head = this.refs.head(ref)
    if (head === null) return
    const { objects } = this.parts
    try {
      await objects.tree((await objects.commit(head)).tree)
    } catch (error) {
      if (!isRepositoryFault(error)) throw error
      throw new DamagedRepository(
        `${ref} in ${this.path} names ${head}, which is incomplete in the repository: ${error.message}`,
        { cause: error },
      )
    }
  }

  /** Removes the lock files and `.keep` files of an earlier run that was killed. */
  recover(): void {
    this.parts.mover.recover()
    this.parts.writer.packs.kept.recover()
  }

  /** Closes the files and ends the Git processes of this repository after the current moves. */
  async close(): Promise<void> {
    await this.parts.mover.idle()
    await this.parts.writer.close()
    this.#scratch.close()
    this.#packs.close()
    this.#pool.drop(this.path)
  }

  /** Returns this repository as the exchange with remotes and clients sees it. */
  #local(): LocalRepository {
    const { objects, writer, launcher } = this.parts
    const hasBoth = async (one: CommitId, other: CommitId): Promise<boolean> =>
      (await objects.hasCommit(one)) && (await objects.hasCommit(other))
    return {
      path: this.path,
      launcher,
      isAncestor: async (one, other) => (await hasBoth(one, other)) && this.history.isAncestor(one, other),
      protect: (pack, heads) => writer.packs.protect(pack, heads),
      known: {
        commit: (oid) => objects.commit(oid),
        tree: (oid) => objects.tree(oid),
        sizes: (oids) => objects.sizes(oids),
        bases: objects.caches.bases,
      },
    }
  }

  #maintain({ exclusive = (work) => work(), thorough = false }: Maintenance = {}): Promise<void> {
    const { launcher, disk, mover, writer } = this.parts
    const upkeep = { launcher, disk, thorough, recoverKept: () => writer.packs.kept.recover() }
    return maintain(this.path, {
      ...upkeep,
      exclusive: (work) => exclusive(() => writer.deletingPacks(work)),
      packingRefs: (work) => mover.packing(work),
    })
  }
}
