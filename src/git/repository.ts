/** One bare repository on the disk, with all operations that `git/` offers. */
import { type BlobId, type CommitId, type RefName, type TreeId, asOid } from '../kernel/ids.js'
import type { Lease } from '../kernel/lease.js'
import type { FileChange, Staging, WriteInput } from './commit-input.js'
import { DamagedRepository, isRepositoryFault, LostObject, MissingObject } from './errors.js'
import type { RemoteScratches } from './monorepo/remote-scratches.js'
import { Ancestry } from './history/ancestry.js'
import { findWithHeader, readFileChanges, readHistory, readHistoryIds } from './history/log.js'
import { diffWithRenames } from './history/renames.js'
import { diffText } from './history/text-diff.js'
import { readChangedPaths } from './history/changed-paths.js'
import type {
  CommitPaths,
  CommitStep,
  FileChangesQuery,
  HistoryQuery,
  PastFileChange,
  TextDiffQuery,
} from './history/types.js'
import { mergeDisjoint } from './merge/disjoint.js'
import { mergeTrees } from './merge/merge.js'
import type { MergeOutcome } from './merge/types.js'
import type { Caches } from './objects/caches.js'
import { ObjectDatabase } from './objects/database.js'
import type { Disk } from './objects/disk.js'
import { EMPTY_TREE } from './objects/hash.js'
import { Scratch, type Scratches } from './objects/scratch.js'
import type { CommitInfo, Snapshot } from './objects/types.js'
import { ObjectWriter } from './objects/writer.js'
import type { OpenPacks } from './packs/open-packs.js'
import { PackedObjects } from './packs/packed-objects.js'
import type { Pool } from './process/pool.js'
import { RefMover } from './refs/mover.js'
import { RefReader } from './refs/reader.js'
import type { Signer } from './signing/types.js'
import { CommitStaging } from './staging.js'
import { diffTrees } from './trees/diff.js'
import { TreeSnapshot } from './trees/snapshot.js'
import type { DeepFindings, FolderScratch, Maintenance, RefMove, Repository, TreeChange } from './types.js'
import { draftTree, treeOfId, writeBlob } from './write.js'
import { type FolderRepositories, fetchFolder, useScratch } from './monorepo/fetch-folder.js'
import { withOutgoing } from './monorepo/folder-scratch.js'
import type { FetchedFolder, FolderOrder, RootFileOrder, ScratchHold } from './monorepo/types.js'
import { maintain } from './lifecycle/maintain.js'
import { findAbsent, fsck } from './lifecycle/plain.js'
import type { Launcher } from './process/launcher.js'
import type { LocalRepository, RemoteOptions } from './remote/connection.js'
import { fetchRemote } from './remote/fetch.js'
import { remoteBranches, remoteDefault, remoteHead, remoteHeads } from './remote/head.js'
import { lfsAccess } from './remote/lfs-access.js'
import { push, tryPush } from './remote/push.js'
import type { FetchLimits, FetchResult, Remote, RemoteBranches } from './remote/types.js'
import { receivePack } from './serve/receive-pack.js'
import type { PushedPack, ServedPack, UploadPackRequest } from './serve/types.js'
import { serveUploadPack } from './serve/upload-pack.js'
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
}

/** The parts of a repository that a node fills from the database. */
export type LocalParts = Pick<BareRepository, 'path'> & {
  objects: ObjectDatabase
  writer: ObjectWriter
  mover: RefMover
  reader: RefReader
  disk: Disk
  launcher: Launcher
}

/**
 * One bare repository: its contents, its exchange with remotes and clients, its maintenance and its checks. Each method
 * calls the part that does the work.
 */
export class BareRepository implements Repository {
  private readonly services: Services
  private readonly objects: ObjectDatabase
  private readonly writer: ObjectWriter
  private readonly mover: RefMover
  readonly #scratch: Scratch
  readonly #packs: PackedObjects
  private readonly reader: RefReader
  readonly #ancestry: Ancestry

  constructor(
    readonly path: string,
    services: Services,
    /** Repositories from which this one borrows objects. */
    borrowed: readonly ObjectWriter[] = [],
  ) {
    const { pool, caches, scratches, disk, maxBlobBytes, maxFolderEntries } = services
    this.services = services
    this.#scratch = new Scratch(path, scratches)
    const cacheKey = `${services.nextOpening()}:`
    this.#packs = new PackedObjects(path, services.openPacks, caches.bases)
    this.objects = new ObjectDatabase(path, {
      cacheKey,
      pool,
      packs: this.#packs,
      caches,
      maxBlobBytes,
      maxFolderEntries,
      scratch: this.#scratch,
    })
    this.writer = new ObjectWriter(path, cacheKey, caches, disk, borrowed)
    this.reader = new RefReader(path, caches.packedRefs)
    this.mover = new RefMover(path, pool, this.reader, disk, (commits) => this.writer.packs.kept.named(commits))
    this.#ancestry = new Ancestry(this.objects, pool.launcher)
  }

  get signs(): boolean {
    return this.services.signer !== null
  }

  head(ref: RefName): CommitId | null {
    return this.reader.head(ref)
  }

  /** Throws `DamagedRepository` if a ref names a commit that is missing or damaged, or whose root folder is. */
  async verifyHead(ref: RefName): Promise<void> {
    const head = this.head(ref)
    if (head === null) return
    try {
      await this.objects.tree((await this.objects.commit(head)).tree)
    } catch (error) {
      if (!isRepositoryFault(error)) throw error
      throw new DamagedRepository(
        `${ref} in ${this.path} names ${head}, which is incomplete in the repository: ${error.message}`,
        { cause: error },
      )
    }
  }

  async refs(prefix: string): Promise<Map<RefName, CommitId>> {
    return this.reader.list(prefix)
  }

  async at(commit: CommitId): Promise<Snapshot> {
    const { tree } = await this.objects.commit(commit)
    return new TreeSnapshot(commit, tree, this.objects)
  }

  tree(tree: TreeId): Omit<Snapshot, 'commit'> {
    return new TreeSnapshot(asOid(''), tree, this.objects)
  }

  commit(id: CommitId): Promise<CommitInfo> {
    return this.objects.commit(id)
  }

  hasCommit(id: string): Promise<boolean> {
    return this.objects.hasCommit(id)
  }

  async write(input: WriteInput): Promise<CommitId> {
    const staging = this.stage()
    const id = await staging.write(input)
    await staging.settle()
    return id
  }

  stage(): Staging {
    return new CommitStaging(
      this.objects,
      this.writer,
      (id, parents) => this.#ancestry.note(id, parents),
      this.services.signer,
    )
  }

  writeBlob(content: Uint8Array): Promise<BlobId> {
    return writeBlob(this.objects, this.writer, content)
  }

  async merge(input: { ours: CommitId; theirs: CommitId; base?: CommitId }): Promise<MergeOutcome> {
    const disjoint = await mergeDisjoint(this.objects, this.#ancestry, input)
    return disjoint ?? mergeTrees(this.objects, this.writer, this.services.pool, input)
  }

  async draft(tree: TreeId, changes: readonly FileChange[]): Promise<TreeId> {
    return draftTree(this.objects, tree, changes)
  }

  async move(moves: readonly RefMove[], reason: string, lease: Lease): Promise<void> {
    const named = moves.flatMap(({ to }) => (to === null ? [] : [to]))
    for (const to of named) if (!(await this.hasCommit(to))) throw new MissingObject(`there is no commit ${to}`)
    // A cached commit may have been pruned.
    for (const to of await this.writer.absent(named)) throw new LostObject(to, this.path)
    lease.assertHeld()
    await this.mover.move(moves, reason)
    this.services.moved(
      this.path,
      moves.map(({ ref }) => ref),
    )
  }

  mergeBase(a: CommitId, b: CommitId): Promise<CommitId | null> {
    return this.#ancestry.mergeBase(a, b)
  }
  mergeBases(a: CommitId, b: CommitId): Promise<CommitId[]> {
    return this.#ancestry.mergeBases(a, b)
  }

  isAncestor(ancestor: CommitId, descendant: CommitId): Promise<boolean> {
    return this.#ancestry.isAncestor(ancestor, descendant)
  }

  aheadBehind(left: CommitId, right: CommitId): Promise<{ ahead: number; behind: number }> {
    return this.#ancestry.aheadBehind(left, right)
  }

  history(query: HistoryQuery): Promise<CommitInfo[]> {
    return readHistory(this.objects, this.services.pool.launcher, this.#ancestry, query)
  }

  historyIds(query: HistoryQuery): Promise<CommitId[]> {
    return readHistoryIds(this.objects, this.services.pool.launcher, query)
  }

  fileChanges(query: FileChangesQuery): Promise<PastFileChange[]> {
    return readFileChanges(this.objects, this.services.pool.launcher, query)
  }

  findWithHeader(from: CommitId, header: string, limit: number): Promise<CommitId | null> {
    return findWithHeader(this.objects, this.services.pool.launcher, from, header, limit)
  }

  firstParents(from: CommitId): Promise<CommitId[]> {
    return this.#ancestry.firstParents(from)
  }

  changedPaths(steps: readonly CommitStep[]): Promise<CommitPaths[]> {
    return readChangedPaths(this.objects, this.services.pool.launcher, steps)
  }

  diffText(query: TextDiffQuery): Promise<Buffer | null> {
    return diffText(this.services.pool.launcher, this.path, query)
  }

  async diff(
    before: CommitId | TreeId | null,
    after: CommitId | TreeId,
    options: { renames?: boolean } = {},
  ): Promise<TreeChange[]> {
    const [old, now] = await Promise.all([
      before === null ? EMPTY_TREE : treeOfId(this.objects, before),
      treeOfId(this.objects, after),
    ])
    if (options.renames) return diffWithRenames(this.services.pool, this.path, old, now)
    return diffTrees(old, now, (oid) => this.objects.tree(oid))
  }

  /** Removes the lock files and `.keep` files of an earlier run that was killed. */
  recover(): void {
    this.mover.recover()
    this.writer.packs.kept.recover()
  }

  /** Closes the files and ends the Git processes of this repository after the current moves. */
  async close(): Promise<void> {
    await this.mover.idle()
    await this.writer.packs.kept.close()
    this.#scratch.close()
    this.#packs.close()
    this.services.pool.drop(this.path)
  }

  get #local(): LocalRepository {
    const { objects, writer } = this
    const known = {
      commit: (oid: string) => objects.commit(oid),
      tree: (oid: string) => objects.tree(oid),
      sizes: (oids: readonly string[]) => objects.sizes(oids),
      bases: objects.caches.bases,
    }
    const protect = (pack: string, heads: readonly CommitId[]) => writer.packs.protect(pack, heads)
    return {
      path: this.path,
      launcher: this.services.pool.launcher,
      isAncestor: (one, other) => this.#hasBoth(one, other),
      protect,
      known,
    }
  }

  get #place(): FolderRepositories {
    return { local: this.#local, scratches: this.services.remoteScratches }
  }

  /** The parts for a node, whose refs come from the database (`postgres/`). */
  get parts(): LocalParts {
    const { path, objects, writer, mover, reader, services } = this
    return { path, objects, writer, mover, reader, disk: services.disk, launcher: services.pool.launcher }
  }

  async #hasBoth(ancestor: CommitId, descendant: CommitId): Promise<boolean> {
    return (
      (await this.hasCommit(ancestor)) &&
      (await this.hasCommit(descendant)) &&
      (await this.isAncestor(ancestor, descendant))
    )
  }

  uploadPack(request: UploadPackRequest): Promise<ServedPack> {
    return serveUploadPack(this.#local, request)
  }

  receivePack(pack: PushedPack, limits: FetchLimits): Promise<void> {
    return receivePack(this.#local, pack, limits)
  }

  remoteHead(remote: Remote, ref: RefName): Promise<CommitId | null> {
    return remoteHead(this.services.remote, this.#local, remote, ref)
  }

  remoteHeads(remote: Remote, refs: readonly RefName[]): Promise<Map<RefName, CommitId>> {
    return remoteHeads(this.services.remote, this.#local, remote, refs)
  }

  remoteBranches(remote: Remote): Promise<RemoteBranches> {
    return remoteBranches(this.services.remote, this.#local, remote)
  }

  lfsAccess(remote: Remote): Promise<string> {
    return lfsAccess(this.services.remote, this.#local, remote)
  }

  tryPush(remote: Remote, ref: RefName, commit: CommitId): Promise<void> {
    return tryPush(this.services.remote, this.#local, remote, ref, commit)
  }

  remoteDefault(remote: Remote): Promise<RefName | null> {
    return remoteDefault(this.services.remote, this.#local, remote)
  }

  fetch(remote: Remote, ref: RefName, limits: FetchLimits): Promise<FetchResult> {
    return fetchRemote(this.services.remote, this.#local, remote, ref, limits)
  }

  fetchFolder(remote: Remote, ref: RefName, order: FolderOrder): Promise<FetchedFolder> {
    return fetchFolder(this.services.remote, this.#place, remote, ref, order)
  }

  rootFile(remote: Remote, ref: RefName, order: RootFileOrder): Promise<string | null> {
    return useScratch(this.services.remote, this.#place, remote, order, (held) => held.rootFile(ref, order))
  }

  onScratch<T>(remote: Remote, hold: ScratchHold, work: (scratch: FolderScratch) => Promise<T>): Promise<T> {
    const services = this.services
    const scratchOf = (path: string) =>
      new ObjectWriter(path, `${services.nextOpening()}:`, services.caches, services.disk)
    const open = (path: string, scratch: string) =>
      new BareRepository(path, services, [this.writer, scratchOf(scratch)])
    const tools = { local: this.#local, remote: services.remote, open }
    return useScratch(services.remote, this.#place, remote, hold, (held) => withOutgoing(held, tools, work))
  }

  push(remote: Remote, ref: RefName, commit: CommitId, expected: CommitId | null): Promise<void> {
    return push(this.services.remote, this.#local, remote, { ref, commit, expected })
  }

  maintain({ exclusive = (work) => work(), thorough = false }: Maintenance = {}): Promise<void> {
    const { launcher } = this.services.pool
    const { kept } = this.writer.packs
    const upkeep = { launcher, disk: this.services.disk, exclusive, thorough, recoverKept: () => kept.recover() }
    return maintain(this.path, { ...upkeep, packingRefs: (work) => this.mover.packing(work) })
  }

  absent(oids: readonly string[]): Promise<string[]> {
    return findAbsent(this.services.pool.launcher, this.path, oids)
  }

  check(): Promise<string[]> {
    return fsck(this.path)
  }

  deepCheck(maxPackBytes: number = MAX_PACK_BYTES): Promise<DeepFindings> {
    return deepCheck(this, maxPackBytes)
  }
}
