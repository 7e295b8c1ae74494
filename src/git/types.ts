/** One repository, and all of a service, as `git/` offers them: what the rest of the service may ask of Git. */
import type { BlobId, CommitId, RefName, TreeId } from '../kernel/ids.js'
import type { Lease } from '../kernel/lease.js'
import type { FetchedFolder, FolderOrder, RootFileOrder, ScratchHold } from './monorepo/types.js'
import type { CommitPaths, CommitStep, HistoryQuery, TextDiffQuery } from './history/types.js'
import type { MergeOutcome } from './merge/types.js'
import type { CommitInfo, Snapshot, TreeEntry } from './objects/types.js'
import type { FetchLimits, FetchResult, Remote, RemoteBranches } from './remote/types.js'
import type { PushedPack, ServedPack, UploadPackRequest } from './serve/types.js'
import type { FileChange, Staging, WriteInput } from './commit-input.js'

export type { ConflictKind, MergeConflict } from './merge/types.js'
export type { EntryMode, Signature } from './objects/types.js'
export type { PushOrder } from './remote/types.js'
export type {
  CommitInfo,
  CommitPaths,
  CommitStep,
  FetchedFolder,
  FetchLimits,
  FetchResult,
  FileChange,
  FolderOrder,
  HistoryQuery,
  MergeOutcome,
  Remote,
  RemoteBranches,
  RootFileOrder,
  ScratchHold,
  Snapshot,
  Staging,
  TextDiffQuery,
  TreeEntry,
  WriteInput,
}

export interface TreeChange {
  status: 'added' | 'deleted' | 'modified' | 'renamed'
  /** New path (old path for a deletion). */
  path: string
  /** The old path of a rename. */
  from?: string
  /** Similarity of a rename, 0 to 100. */
  similarity?: number
  before?: TreeEntry
  after?: TreeEntry
}

export interface RefMove {
  ref: RefName
  /** What the ref must be now; null = it must not exist. */
  from: CommitId | null
  /** What it becomes; null = deleted. */
  to: CommitId | null
}

/** One bare repository. Administrators may use plain `git` on it at the same time. */
export interface Repository {
  readonly path: string
  /** Whether the operator has given a key that signs commits. */
  readonly signs: boolean
  /**
   * The commit that a ref names now, read from the disk, so a move by plain Git is seen at once. Synchronous: a loose ref is one small read. On a node:
   * what the database had when the repository was opened last.
   */
  head(ref: RefName): CommitId | null
  /** Refs below a prefix such as `refs/heads/`. */
  refs(prefix: string): Promise<Map<RefName, CommitId>>
  /** The files of a commit. Throws `MissingObject` if there is no such commit. */
  at(commit: CommitId): Promise<Snapshot>
  /** The files of a tree, which need not belong to a commit. */
  tree(tree: TreeId): Omit<Snapshot, 'commit'>
  commit(id: CommitId): Promise<CommitInfo>
  /** Whether the repository has this commit. */
  hasCommit(id: string): Promise<boolean>
  /** Writes a commit and its objects durably (fsynced) and returns its ID; moves no ref. Throws `InvalidPath`, `PathCollision`, `SigningFailed`. */
  write(input: WriteInput): Promise<CommitId>
  /** Begins a series of commits, each on top of the one before, that become durable together. */
  stage(): Staging
  /** Writes a blob durably. */
  writeBlob(content: Uint8Array): Promise<BlobId>
  /** A tree with changes applied. Like the tree of a merge, it can be read and committed; the repository has it only once it is committed. */
  draft(tree: TreeId, changes: readonly FileChange[]): Promise<TreeId>
  /**
   * Merges the trees of two commits. The repository has the result only once it is committed (`WriteInput.tree`), which must be
   * within minutes. `base` is used instead of the merge base, for histories that were rewritten.
   */
  merge(input: { ours: CommitId; theirs: CommitId; base?: CommitId }): Promise<MergeOutcome>
  /** Compare-and-swap of one or several refs in one `update-ref` transaction; durable when it resolves. Throws `StaleRef`, `RefLocked`. */
  move(moves: readonly RefMove[], reason: string, lease: Lease): Promise<void>
  /** A best common ancestor: one that no other common ancestor descends from. Of several, always the same one. */
  mergeBase(a: CommitId, b: CommitId): Promise<CommitId | null>
  /** All best common ancestors: histories that were merged both ways have several. */
  mergeBases(a: CommitId, b: CommitId): Promise<CommitId[]>
  isAncestor(ancestor: CommitId, descendant: CommitId): Promise<boolean>
  /** How many commits only `left` has, and only `right` has. */
  aheadBehind(left: CommitId, right: CommitId): Promise<{ ahead: number; behind: number }>
  history(query: HistoryQuery): Promise<CommitInfo[]>
  /** The IDs of the commits of `history`, without reading them. */
  historyIds(query: HistoryQuery): Promise<CommitId[]>
  /** The newest of the first `limit` commits on the first-parent line of `from` that has a header; null if none of them has it. */
  findWithHeader(from: CommitId, header: string, limit: number): Promise<CommitId | null>
  /** `from`, its first parent, and so on down to the root; from memory. */
  firstParents(from: CommitId): Promise<CommitId[]>
  /** The paths that each of some commits changed, read by one Git process. Throws `GitError` if a commit is not on the disk yet. */
  changedPaths(steps: readonly CommitStep[]): Promise<CommitPaths[]>
  /**
   * The hunks of `git diff` between two blobs, from the first `@@` line on; with `words`, as `--word-diff=porcelain` prints them.
   * Empty if the blobs are equal, null if the hunks are longer than `maxBytes`.
   */
  diffText(query: TextDiffQuery): Promise<Buffer | null>
  /** How trees (or the trees of commits) differ; `null` = the empty tree. With `renames`, Git looks for renamed files (`-M`). */
  diff(
    before: CommitId | TreeId | null,
    after: CommitId | TreeId,
    options?: { renames?: boolean },
  ): Promise<TreeChange[]>
  /** The commit that the remote's ref names, without fetching it; null = no such ref. */
  remoteHead(remote: Remote, ref: RefName): Promise<CommitId | null>
  /** The commits that refs of the remote name, by one question; refs that it does not have are left out. */
  remoteHeads(remote: Remote, refs: readonly RefName[]): Promise<Map<RefName, CommitId>>
  /** The remote's branches. */
  remoteBranches(remote: Remote): Promise<RemoteBranches>
  /** What the host of an ssh remote says of its Git LFS server, as JSON (`lfs/access.ts` reads it). Throws `RemoteError`. */
  lfsAccess(remote: Remote): Promise<string>
  /** Whether the remote would take a push from this credential; nothing is sent. Throws `RemoteError`. */
  tryPush(remote: Remote, ref: RefName, commit: CommitId): Promise<void>
  /** The full name of the remote's default branch; null if there is none, or it has no commit. */
  remoteDefault(remote: Remote): Promise<RefName | null>
  /** Fetches `ref` into a quarantine, checks it, and moves the objects into the repository. Moves no ref. */
  fetch(remote: Remote, ref: RefName, limits: FetchLimits): Promise<FetchResult>
  /**
   * Fetches `ref` into the scratch repository of the remote, maps its history to that of a folder, and takes only what the mapped commits need. Moves no
   * ref. Throws `RemoteError`.
   */
  fetchFolder(remote: Remote, ref: RefName, order: FolderOrder): Promise<FetchedFolder>
  /**
   * The text of a file at the root of `ref`, of which the space has a folder only; null if there is none. Throws `ObjectTooLarge`, `RemoteError`.
   */
  rootFile(remote: Remote, ref: RefName, order: RootFileOrder): Promise<string | null>
  /**
   * Does work on the scratch repository of the remote, which nobody else uses meanwhile. The work must be safe to repeat: it is repeated if the scratch repository
   * is damaged. Throws `RemoteError`.
   */
  onScratch<T>(remote: Remote, hold: ScratchHold, work: (scratch: FolderScratch) => Promise<T>): Promise<T>
  /** Pushes `commit` to `ref` under a lease: the remote's ref must name `expected`. Throws `RemoteError` 'stale', 'rejected'. */
  push(remote: Remote, ref: RefName, commit: CommitId, expected: CommitId | null): Promise<void>
  /** Serves a clone or fetch. */
  uploadPack(request: UploadPackRequest): Promise<ServedPack>
  /** Takes the objects of a push, checked as those of a fetch are; moves no ref. Throws `RemoteError`. */
  receivePack(pack: PushedPack, limits: FetchLimits): Promise<void>
  /** Packs objects and refs, and deletes objects that have been unreachable for two weeks. Does nothing if nothing changed since the last time. */
  maintain(how?: Maintenance): Promise<void>
  /** Those of some objects that it does not have now: a Git process looks, since what is cached may have been deleted. */
  absent(oids: readonly string[]): Promise<string[]>
  /** Runs `git fsck --strict` and returns its complaints; empty = sound. */
  check(): Promise<string[]>
  /** Compares what this code reads with what isomorphic-git reads. Packs beyond `maxPackBytes` in all (default: 128 MiB) are left out. */
  deepCheck(maxPackBytes?: number): Promise<DeepFindings>
}

/**
 * The commits of a remote of which a space has one folder only, and new ones on top of them. They can name the space's objects, but none of them gets into the
 * space. What was written may be gone at the next use.
 */
export type FolderScratch = Pick<
  Repository,
  'hasCommit' | 'commit' | 'at' | 'stage' | 'write' | 'merge' | 'isAncestor' | 'fetchFolder' | 'push'
>

/** What a second reader of a repository found. */
export interface DeepFindings {
  /** Empty = sound. */
  complaints: string[]
  /** What was not compared, and why. */
  notes: string[]
}

export interface Maintenance {
  /** Runs work while nobody writes to the repository, for the short part that needs this. Default: there are no writers. */
  exclusive?: <T>(work: () => Promise<T>) => Promise<T>
  /** Packs and deletes however little there is. */
  thorough?: boolean
}

export interface GitOptions {
  /** The folder that contains the repositories, as `<spaceId>.git`. */
  reposDir: string
  /** Largest blob that is ever read into memory, in bytes. */
  maxBlobBytes: number
}

/** Numbers that change when refs may have moved, as far as this node has learned of it. They only grow, and none is greater than `version`. */
export interface RefStamps {
  readonly version: number
  /** @param name that of the repository */
  stamp(name: string, ref: RefName): number
}

/** All repositories of a service, and the processes that serve them. */
export interface Git {
  /** Creates an empty bare repository (HEAD on main, refs as files, SHA-1, our settings). Throws `RepositoryExists`. */
  create(name: string): Promise<Repository>
  /** The repository of that name. Cheap, since open repositories are kept. Throws `NoRepository`, `UnsupportedRepository`, `DamagedRepository`. */
  open(name: string): Promise<Repository>
  exists(name: string): Promise<boolean>
  /**
   * The commit that a ref of a repository names now, as `Repository.head`, without opening the repository; null also if there is no repository. On a node
   * this is what it has seen last: moves of other nodes are seen by `open`.
   */
  head(name: string, ref: RefName): CommitId | null
  /** Creates a second repository with the same objects (hard links, not alternates). Of the refs it gets refs/heads/main, refs/bindery/adopted and refs/bindery/sync/ only. */
  duplicate(from: string, to: string): Promise<Repository>
  /** Deletes the repository from the disk. It is renamed first, so that a half deleted one is never opened. */
  remove(name: string): Promise<void>
  /** Deletes scratch repositories of remotes that were not used for long, or are too large together. They are made anew when they are needed. Returns the bytes that it freed. */
  trimScratches(): Promise<number>
  /** The names of the repositories on this disk that have more packs than that, the one with the most first. */
  crowded(packs: number): Promise<string[]>
  /** Where refs are those of a database: how to tell whether one has moved without opening its repository. */
  readonly refStamps?: RefStamps
  /** How many Git processes were started since the repositories were opened. In steady state it should not rise. */
  readonly processesStarted: number
  close(): Promise<void>
}
