/** One bare repository as `git/` offers it to the rest of the service. */
import type { BlobId, CommitId, RefName, TreeId } from '../kernel/ids.js'
import type { Lease } from '../kernel/lease.js'
import { GitError, LostObject, MissingObject } from './errors.js'
import { deepCheck } from './deep/deep-check.js'
import { MAX_PACK_BYTES } from './deep/second-reader.js'
import { withOutgoing } from './folders/folder-scratch.js'
import type { RemoteScratches } from './folders/remote-scratches.js'
import { Ancestry } from './history/ancestry.js'
import { readHistory, readHistoryIds } from './history/log.js'
import { diffWithRenames } from './history/renames.js'
import { diffText } from './history/text-diff.js'
import { maintain } from './lifecycle/maintain.js'
import { mergeDisjoint } from './merge/disjoint.js'
import { mergeTrees } from './merge/merge.js'
import type { Caches } from './objects/caches.js'
import { ObjectDatabase } from './objects/database.js'
import type { Disk } from './objects/disk.js'
import { EMPTY_TREE } from './objects/hash.js'
import { Scratch, type Scratches } from './objects/scratch.js'
import { ObjectWriter } from './objects/writer.js'
import type { OpenPacks } from './packs/open-packs.js'
import { PackedObjects } from './packs/packed-objects.js'
import type { Pool } from './process/pool.js'
import { wholeCommand } from './process/whole-command.js'
import { RefMover } from './refs/mover.js'
import { RefReader } from './refs/reader.js'
import type { LocalRepository } from './remote/connection.js'
import type { RemoteOperations } from './remote/operations.js'
import { receivePack } from './serve/receive-pack.js'
import type { PushedPack, ServedPack, UploadPackRequest } from './serve/types.js'
import { serveUploadPack } from './serve/upload-pack.js'
import { diffTrees } from './trees/diff.js'
import { TreeSnapshot } from './trees/snapshot.js'
import type {
  CommitInfo,
  DeepFindings,
  FetchedFolder,
  FetchLimits,
  FetchResult,
  FileChange,
  FolderOrder,
  FolderScratch,
  HistoryQuery,
  Maintenance,
  MergeOutcome,
  RefMove,
  Remote,
  RemoteBranches,
  Repository,
  ScratchHold,
  Snapshot,
  Staging,
  TextDiffQuery,
  TreeChange,
  WriteInput,
} from './types.js'
import type { Signer } from './signing/types.js'
import { CommitStaging } from './staging.js'
import { draftTree, treeOfId, writeBlob } from './write.js'

/** Milliseconds for which `git fsck` of a large repository may print nothing. */
const CHECK_MS = 3_600_000

/** What all repositories share. */
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
  /** A number that no other opening has, so that a repository created again under an old name does not find old cache entries. */
  nextOpening: () => number
  /** Called after refs were moved, with the repository's path. */
  moved: (path: string, refs: readonly RefName[]) => void
}

/** One bare repository: passes each call on to the part that does it. */
export class BareRepository implements Repository {
  readonly #services: Services
  readonly #scratch: Scratch
  readonly #packs: PackedObjects
  readonly #objects: ObjectDatabase
  readonly #writer: ObjectWriter
  readonly #refs: RefReader
  readonly #mover: RefMover
  readonly #ancestry: Ancestry

  constructor(
    readonly path: string,
    services: Services,
    /** Those whose objects it borrows. */
    borrowed: readonly ObjectWriter[] = [],
  ) {
    const { pool, caches, scratches, disk, maxBlobBytes } = services
    this.#services = services
    this.#scratch = new Scratch(path, scratches)
    const cacheKey = `${services.nextOpening()}:`
    this.#packs = new PackedObjects(path, services.openPacks, caches.bases)
    this.#objects = new ObjectDatabase(path, { cacheKey, pool, packs: this.#packs, caches, maxBlobBytes, scratch: this.#scratch })
    this.#writer = new ObjectWriter(path, cacheKey, caches, disk, borrowed)
    this.#refs = new RefReader(path, caches.packedRefs)
    this.#mover = new RefMover(path, pool, this.#refs, disk)
    this.#ancestry = new Ancestry(this.#objects, pool.launcher)
  }

  get signs(): boolean {
    return this.#services.signer !== null
  }

  get #local(): LocalRepository {
    const objects = this.#objects
    const known = { tree: (oid: string) => objects.tree(oid), sizes: (oids: readonly string[]) => objects.sizes(oids), bases: objects.caches.bases }
    return { path: this.path, launcher: this.#services.pool.launcher, isAncestor: (one, other) => this.#hasBoth(one, other), known }
  }

  async #hasBoth(ancestor: CommitId, descendant: CommitId): Promise<boolean> {
    return (await this.hasCommit(ancestor)) && (await this.hasCommit(descendant)) && (await this.isAncestor(ancestor, descendant))
  }

  head(ref: RefName): CommitId | null {
    return this.#refs.head(ref)
  }

  async refs(prefix: string): Promise<Map<RefName, CommitId>> {
    return this.#refs.list(prefix)
  }

  async at(commit: CommitId): Promise<Snapshot> {
    const { tree } = await this.#objects.commit(commit)
    return new TreeSnapshot(commit, tree, this.#objects)
  }

  tree(tree: TreeId): Omit<Snapshot, 'commit'> {
    return new TreeSnapshot('' as CommitId, tree, this.#objects)
  }

  commit(id: CommitId): Promise<CommitInfo> {
    return this.#objects.commit(id)
  }

  hasCommit(id: string): Promise<boolean> {
    return this.#objects.hasCommit(id)
  }

  async write(input: WriteInput): Promise<CommitId> {
    const staging = this.stage()
    const id = await staging.write(input)
    await staging.settle()
    return id
  }

  stage(): Staging {
    return new CommitStaging(this.#objects, this.#writer, (id, parents) => this.#ancestry.note(id, parents), this.#services.signer)
  }

  writeBlob(content: Uint8Array): Promise<BlobId> {
    return writeBlob(this.#objects, this.#writer, content)
  }

  async merge(input: { ours: CommitId; theirs: CommitId; base?: CommitId }): Promise<MergeOutcome> {
    const disjoint = await mergeDisjoint(this.#objects, this.#ancestry, input)
    return disjoint ?? mergeTrees(this.#objects, this.#writer, this.#services.pool, input)
  }

  async draft(tree: TreeId, changes: readonly FileChange[]): Promise<TreeId> {
    return draftTree(this.#objects, tree, changes)
  }

  uploadPack(request: UploadPackRequest): Promise<ServedPack> {
    return serveUploadPack(this.#local, request)
  }

  receivePack(pack: PushedPack, limits: FetchLimits): Promise<void> {
    return receivePack(this.#local, pack, limits)
  }

  async move(moves: readonly RefMove[], reason: string, lease: Lease): Promise<void> {
    const named = moves.flatMap(({ to }) => (to === null ? [] : [to]))
    for (const to of named) if (!(await this.hasCommit(to))) throw new MissingObject(`there is no commit ${to}`)
    // A commit that is cached may have been pruned.
    for (const to of await this.#writer.absent(named)) throw new LostObject(to, this.path)
    lease.assertHeld()
    await this.#mover.move(moves, reason)
    this.#services.moved(
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
    return readHistory(this.#objects, this.#services.pool.launcher, this.#ancestry, query)
  }

  historyIds(query: HistoryQuery): Promise<CommitId[]> {
    return readHistoryIds(this.#objects, this.#services.pool.launcher, query)
  }

  firstParents(from: CommitId): Promise<CommitId[]> {
    return this.#ancestry.firstParents(from)
  }

  diffText(query: TextDiffQuery): Promise<Buffer | null> {
    return diffText(this.#services.pool.launcher, this.path, query)
  }

  async diff(before: CommitId | TreeId | null, after: CommitId | TreeId, options: { renames?: boolean } = {}): Promise<TreeChange[]> {
    const [old, now] = await Promise.all([before === null ? EMPTY_TREE : treeOfId(this.#objects, before), treeOfId(this.#objects, after)])
    if (options.renames) return diffWithRenames(this.#services.pool, this.path, old, now)
    return diffTrees(old, now, (oid) => this.#objects.tree(oid))
  }

  remoteHead(remote: Remote, ref: RefName): Promise<CommitId | null> {
    return this.#services.remote.remoteHead(this.#local, remote, ref)
  }

  remoteHeads(remote: Remote, refs: readonly RefName[]): Promise<Map<RefName, CommitId>> {
    return this.#services.remote.remoteHeads(this.#local, remote, refs)
  }

  remoteBranches(remote: Remote): Promise<RemoteBranches> {
    return this.#services.remote.remoteBranches(this.#local, remote)
  }

  tryPush(remote: Remote, ref: RefName, commit: CommitId): Promise<void> {
    return this.#services.remote.tryPush(this.#local, remote, ref, commit)
  }

  remoteDefault(remote: Remote): Promise<RefName | null> {
    return this.#services.remote.remoteDefault(this.#local, remote)
  }

  fetch(remote: Remote, ref: RefName, limits: FetchLimits): Promise<FetchResult> {
    return this.#services.remote.fetch(this.#local, remote, ref, limits)
  }

  fetchFolder(remote: Remote, ref: RefName, order: FolderOrder): Promise<FetchedFolder> {
    return this.#services.remote.fetchFolder({ local: this.#local, scratches: this.#services.remoteScratches }, remote, ref, order)
  }

  onScratch<T>(remote: Remote, hold: ScratchHold, work: (scratch: FolderScratch) => Promise<T>): Promise<T> {
    const services = this.#services
    const scratchOf = (path: string) => new ObjectWriter(path, `${services.nextOpening()}:`, services.caches, services.disk)
    const open = (path: string, scratch: string) => new BareRepository(path, services, [this.#writer, scratchOf(scratch)])
    const place = { local: this.#local, scratches: services.remoteScratches, remote: services.remote, open }
    return services.remote.useScratch(place, remote, hold, (held) => withOutgoing(held, place, work))
  }

  push(remote: Remote, ref: RefName, commit: CommitId, expected: CommitId | null): Promise<void> {
    return this.#services.remote.push(this.#local, remote, { ref, commit, expected })
  }

  maintain({ exclusive = (work) => work(), thorough = false }: Maintenance = {}): Promise<void> {
    const { launcher } = this.#services.pool
    return maintain(this.path, { launcher, disk: this.#services.disk, exclusive, thorough, packingRefs: (work) => this.#mover.packing(work) })
  }

  async absent(oids: readonly string[]): Promise<string[]> {
    const options = { cwd: this.path, input: Buffer.from(`${oids.join('\n')}\n`), timeoutMs: CHECK_MS }
    const found = await this.#services.pool.launcher.mustRun(['cat-file', '--buffer', '--batch-check=%(objectname)'], options)
    const absent = new Set(found.toString('latin1').match(/^[0-9a-f]{40}(?= missing$)/gm))
    return oids.filter((oid) => absent.has(oid))
  }

  async check(): Promise<string[]> {
    const { code, stdout, stderr } = await wholeCommand(this.path, ['fsck', '--strict', '--full', '--no-dangling', '--no-progress'], CHECK_MS)
    const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line !== '' && !line.startsWith('notice: '))
    if (code !== 0 && lines.length === 0) throw new GitError(`git fsck ended with ${code} and printed nothing`)
    return lines
  }

  deepCheck(maxPackBytes: number = MAX_PACK_BYTES): Promise<DeepFindings> {
    return deepCheck(this, maxPackBytes)
  }

  /** Removes the lock files that an earlier run left when it was killed. */
  recover(): void {
    this.#mover.recover()
  }

  /** Closes the files and ends the Git processes of this repository when the moves under way are done. */
  async close(): Promise<void> {
    await this.#mover.idle()
    this.#scratch.close()
    this.#packs.close()
    this.#services.pool.drop(this.path)
  }
}
