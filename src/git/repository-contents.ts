/** Objects, refs and history of one bare repository on the disk. */
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
import type { RemoteOperations } from './remote/operations.js'
import type { Signer } from './signing/types.js'
import { CommitStaging } from './staging.js'
import { diffTrees } from './trees/diff.js'
import { TreeSnapshot } from './trees/snapshot.js'
import type { RefMove, TreeChange } from './types.js'
import { draftTree, treeOfId, writeBlob } from './write.js'

/** The services that all repositories share. */
export interface Services {
  pool: Pool
  openPacks: OpenPacks
  caches: Caches
  scratches: Scratches
  disk: Disk
  remote: RemoteOperations
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

/** The content of a repository. Delegates each call to the responsible part. */
export class RepositoryContents {
  protected readonly services: Services
  protected readonly objects: ObjectDatabase
  protected readonly writer: ObjectWriter
  protected readonly mover: RefMover
  readonly #scratch: Scratch
  readonly #packs: PackedObjects
  protected readonly reader: RefReader
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
}
