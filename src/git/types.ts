/** The interfaces of `git/`: one repository, and all repositories of a service. */
import type { BlobId, CommitId, RefName, TreeId } from '../kernel/ids.js'
import type { Lease } from '../kernel/lease.js'
import type { FetchedFolder, FolderOrder, RootFileOrder, ScratchHold } from './monorepo/types.js'
import type {
  CommitPaths,
  CommitStep,
  FileChangesQuery,
  HistoryQuery,
  PastFileChange,
  AllowedKeys,
  SignatureCheck,
  TextDiffQuery,
} from './history/types.js'
import type { MergeOutcome } from './merge/types.js'
import type { CommitInfo, Snapshot, TreeEntry } from './objects/types.js'
import type { FetchLimits, FetchResult, Remote, RemoteBranches } from './remote/types.js'
import type { PushedPack, ServedPack, UploadPackRequest } from './serve/types.js'
import type { FileChange, Staging, WriteInput } from './commit-input.js'
import type { RewriteOrder, RewriteResult } from './rewrite/types.js'

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
  FileChangesQuery,
  FolderOrder,
  HistoryQuery,
  MergeOutcome,
  PastFileChange,
  Remote,
  RemoteBranches,
  RootFileOrder,
  ScratchHold,
  AllowedKeys,
  SignatureCheck,
  Snapshot,
  Staging,
  TextDiffQuery,
  TreeEntry,
  WriteInput,
}

export interface TreeChange {
  status: 'added' | 'deleted' | 'modified' | 'renamed'
  /** The new path (the old path for a deletion). */
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
  /** The required current value of the ref; null = it must not exist. */
  from: CommitId | null
  /** The new value; null = delete the ref. */
  to: CommitId | null
}

/** One bare repository. Admins may use plain `git` on it at the same time. */
export interface Repository {
  readonly path: string
  /** Whether the operator has set a key that signs commits. */
  readonly signs: boolean
  readonly refs: Refs
  readonly objects: Objects
  readonly trees: Trees
  readonly history: History
  readonly remote: Exchange
  readonly door: Door
  readonly upkeep: Upkeep
}

/** The refs of a repository. */
export interface Refs {
  /**
   * Returns the commit that a ref names now. Reads the disk, so it sees moves by plain Git at once. Synchronous: a
   * loose ref is one small read. On a node: the value in the database when the repository was last opened.
   */
  head(ref: RefName): CommitId | null
  /** Returns the refs below a prefix such as `refs/heads/`. */
  list(prefix: string): Promise<Map<RefName, CommitId>>
  /**
   * Moves one or several refs by compare-and-swap in one `update-ref` transaction. The moves are durable when the
   * promise resolves. Throws `StaleRef`, `RefLocked`.
   */
  move(moves: readonly RefMove[], reason: string, lease: Lease): Promise<void>
}

/** The commits, trees and blobs of a repository. */
export interface Objects {
  commit(id: CommitId): Promise<CommitInfo>
  /** Whether the repository has this commit. */
  hasCommit(id: string): Promise<boolean>
  /** Returns the files of a commit. Throws `MissingObject` if there is no such commit. */
  snapshot(commit: CommitId): Promise<Snapshot>
  /** Returns the files of a tree, which need not belong to a commit. */
  tree(tree: TreeId): Omit<Snapshot, 'commit'>
  /**
   * Writes a commit and its objects durably (fsynced) and returns its ID. Moves no ref. Throws `InvalidPath`,
   * `PathCollision`, `FolderTooLarge`, `SigningFailed`.
   */
  write(input: WriteInput): Promise<CommitId>
  /** Starts a series of commits, each on top of the previous one, that become durable together. */
  stage(): Staging
  /** Writes a blob durably. */
  writeBlob(content: Uint8Array): Promise<BlobId>
  /**
   * Returns the objects that the repository currently lacks. Uses a Git process, because cached objects may have been
   * deleted.
   */
  absent(oids: readonly string[]): Promise<string[]>
}

/** New trees, and the differences of trees. */
export interface Trees {
  /**
   * Merges the trees of two commits. The repository has the result only after it is committed (`WriteInput.tree`),
   * which must happen within minutes. `base` replaces the merge base, for rewritten histories.
   */
  merge(input: MergeInput): Promise<MergeOutcome>
  /**
   * Returns a tree with changes applied. Like the tree of a merge, it can be read and committed. The repository has it
   * only after it is committed.
   */
  draft(tree: TreeId, changes: readonly FileChange[]): Promise<TreeId>
  /**
   * Returns the differences of trees (or of the trees of commits); `null` = the empty tree. With `renames`, Git detects
   * renamed files (`-M`).
   */
  diff(
    before: CommitId | TreeId | null,
    after: CommitId | TreeId,
    options?: { renames?: boolean },
  ): Promise<TreeChange[]>
  /**
   * Returns the hunks of `git diff` between two blobs, starting with the first `@@` line; with `words`, in the format
   * of `--word-diff=porcelain`. Empty if the blobs are equal, null if the hunks are longer than `maxBytes`.
   */
  diffText(query: TextDiffQuery): Promise<Buffer | null>
}

/** The commits that a merge joins. */
export interface MergeInput {
  ours: CommitId
  theirs: CommitId
  base?: CommitId
}

/** The commit graph, and what its commits changed. */
export interface History {
  /** Returns the commits that `git log` lists. */
  log(query: HistoryQuery): Promise<CommitInfo[]>
  /** Returns the IDs of the commits of `log`, without reading the commits. */
  ids(query: HistoryQuery): Promise<CommitId[]>
  /** Returns `from`, its first parent, and so on down to the root, from memory. */
  firstParents(from: CommitId): Promise<CommitId[]>
  /**
   * Returns a best common ancestor: one from which no other common ancestor descends. Of several, always returns the
   * same one.
   */
  mergeBase(a: CommitId, b: CommitId): Promise<CommitId | null>
  /** Returns all best common ancestors. Criss-cross histories have several. */
  mergeBases(a: CommitId, b: CommitId): Promise<CommitId[]>
  isAncestor(ancestor: CommitId, descendant: CommitId): Promise<boolean>
  /** Returns the number of commits that only `left` has, and that only `right` has. */
  aheadBehind(left: CommitId, right: CommitId): Promise<{ ahead: number; behind: number }>
  /** Returns the newest changes of a file on the first-parent line of a commit, with one Git process. */
  fileChanges(query: FileChangesQuery): Promise<PastFileChange[]>
  /**
   * Returns the paths that each of the commits changed, with one Git process. Throws `GitError` if a commit is not on
   * the disk yet.
   */
  changedPaths(steps: readonly CommitStep[]): Promise<CommitPaths[]>
  /**
   * Returns the newest of the first `limit` commits on the first-parent line of `from` that has a header; null if none
   * has it.
   */
  findWithHeader(from: CommitId, header: string, limit: number): Promise<CommitId | null>
  /**
   * Checks the signature of a commit, which must have the format of the keys, with one Git process. Throws `GitError` if
   * the check cannot be done.
   */
  checkSignature(commit: CommitId, allowed: AllowedKeys): Promise<SignatureCheck>
}

/** The exchange of commits with remotes. */
export interface Exchange {
  /** Returns the commit that the remote's ref names, without fetching it; null = no such ref. */
  head(remote: Remote, ref: RefName): Promise<CommitId | null>
  /** Returns the commits that refs of the remote name, with one request. Missing refs are left out. */
  heads(remote: Remote, refs: readonly RefName[]): Promise<Map<RefName, CommitId>>
  /** Returns the remote's branches. */
  branches(remote: Remote): Promise<RemoteBranches>
  /** Returns the full name of the remote's default branch; null if there is none, or it has no commit. */
  defaultBranch(remote: Remote): Promise<RefName | null>
  /**
   * Returns the access data for the Git LFS server of an ssh remote, as JSON from its host (`lfs/access.ts` parses it).
   * Throws `RemoteError`.
   */
  lfsAccess(remote: Remote): Promise<string>
  /** Fetches `ref` into a quarantine, checks it, and moves the objects into the repository. Moves no ref. */
  fetch(remote: Remote, ref: RefName, limits: FetchLimits): Promise<FetchResult>
  /**
   * Fetches `ref` into the scratch repository of the remote, maps its history to one folder, and copies only the
   * objects that the mapped commits need. Moves no ref. Throws `RemoteError`.
   */
  fetchFolder(remote: Remote, ref: RefName, order: FolderOrder): Promise<FetchedFolder>
  /**
   * Returns the text of a file at the root of `ref`, when the space has only one folder of it; null if there is none.
   * Throws `ObjectTooLarge`, `RemoteError`.
   */
  rootFile(remote: Remote, ref: RefName, order: RootFileOrder): Promise<string | null>
  /**
   * Runs work on the scratch repository of the remote, while no other task uses it. The work must be safe to repeat: it
   * is repeated if the scratch repository is damaged. Throws `RemoteError`.
   */
  onScratch<T>(remote: Remote, hold: ScratchHold, work: (scratch: FolderScratch) => Promise<T>): Promise<T>
  /**
   * Pushes `commit` to `ref` with a lease: the remote's ref must name `expected`. Throws `RemoteError` 'stale',
   * 'rejected'.
   */
  push(remote: Remote, ref: RefName, commit: CommitId, expected: CommitId | null): Promise<void>
  /**
   * Checks whether the remote would accept a push with this credential, without sending anything. Throws `RemoteError`.
   */
  tryPush(remote: Remote, ref: RefName, commit: CommitId): Promise<void>
}

/** The exchange with Git clients of this server. */
export interface Door {
  /** Serves a clone or fetch. */
  uploadPack(request: UploadPackRequest): Promise<ServedPack>
  /** Receives the objects of a push, checked like those of a fetch. Moves no ref. Throws `RemoteError`. */
  receivePack(pack: PushedPack, limits: FetchLimits): Promise<void>
}

/** The maintenance and the checks of a repository. */
export interface Upkeep {
  /**
   * Packs objects and refs, and deletes objects that have been unreachable for two weeks. Does nothing if nothing has
   * changed since the last time.
   */
  maintain(how?: Maintenance): Promise<void>
  /** Runs `git fsck --strict` and returns its complaints; empty if the repository is intact. */
  check(): Promise<string[]>
  /**
   * Compares what this code reads with what isomorphic-git reads. Packs beyond `maxPackBytes` in total (default: 128
   * MiB) are left out.
   */
  deepCheck(maxPackBytes?: number): Promise<DeepFindings>
}

/**
 * The commits of a remote when a space has only one of its folders, and new commits on top of them. They can refer to
 * the space's objects, but are never added to the space. Written commits may be gone at the next use.
 */
export interface FolderScratch {
  readonly objects: Pick<Objects, 'hasCommit' | 'commit' | 'snapshot' | 'stage' | 'write'>
  readonly trees: Pick<Trees, 'merge'>
  readonly history: Pick<History, 'isAncestor'>
  readonly remote: Pick<Exchange, 'fetchFolder' | 'push'>
}

/** The findings of a second reader of a repository. */
export interface DeepFindings {
  /** Empty if the repository is intact. */
  complaints: string[]
  /** Parts that were not compared, with the reason. */
  notes: string[]
}

export interface Maintenance {
  /**
   * Runs work while no one writes to the repository, for the short part that needs it. Default: there are no writers.
   */
  exclusive?: <T>(work: () => Promise<T>) => Promise<T>
  /** Whether to pack and delete even small amounts. */
  thorough?: boolean
}

export interface GitOptions {
  /** The folder that contains the repositories as `<spaceId>.git`. */
  reposDir: string
  /** Maximum size of a blob that is read into memory, in bytes. */
  maxBlobBytes: number
  /** Maximum number of entries in a folder to which a change adds entries. Default: no limit. */
  maxFolderEntries?: number
}

/**
 * Numbers that change when refs may have moved, as far as this node knows. They only increase, and none is greater than
 * `version`.
 */
export interface RefStamps {
  readonly version: number
  /** @param name the name of the repository */
  stamp(name: string, ref: RefName): number
}

/** All repositories of a service, and their processes. */
export interface Git {
  /** Creates an empty bare repository (HEAD on main, refs as files, SHA-1, our settings). Throws `RepositoryExists`. */
  create(name: string): Promise<Repository>
  /**
   * Returns the repository with this name. Fast, because open repositories are kept. Throws `NoRepository`,
   * `UnsupportedRepository`, `DamagedRepository`.
   */
  open(name: string): Promise<Repository>
  exists(name: string): Promise<boolean>
  /**
   * Returns the commit that a ref of a repository names now, like `Refs.head`, without opening the repository.
   * Null also if there is no repository. On a node: the last known value; `open` reads moves of other nodes.
   */
  head(name: string, ref: RefName): CommitId | null
  /**
   * Creates a second repository with the same objects (hard links, not alternates). It gets only the refs
   * refs/heads/main, refs/bindery/adopted and refs/bindery/sync/.
   */
  duplicate(from: string, to: string): Promise<Repository>
  /**
   * Removes files, texts and people from the whole history of a repository. Writes the result as a bare repository at
   * `target`, a path in the folder of the repositories; null = only returns what would change. Nothing may write to the
   * repository at the same time, which itself does not change.
   */
  rewrite(name: string, order: RewriteOrder, target: string | null): Promise<RewriteResult>
  /** Deletes the repository from the disk. Renames it first, so that a partly deleted repository is never opened. */
  remove(name: string): Promise<void>
  /**
   * Returns the sizes of repositories in bytes: of their files or, in a database, of their packs and indexes. A missing
   * repository has no size.
   */
  sizes(names: readonly string[]): Promise<Map<string, number>>
  /**
   * Deletes scratch repositories of remotes that were not used for a long time, or exceed the total size limit. They
   * are recreated on demand. Returns the number of bytes freed.
   */
  trimScratches(): Promise<number>
  /** Returns the names of the repositories on this disk with more than `packs` packs, the fullest first. */
  crowded(packs: number): Promise<string[]>
  /** If refs come from a database: stamps that show whether a ref has moved, without opening its repository. */
  readonly refStamps?: RefStamps
  /** Number of Git processes started since the repositories were opened. It should not rise in steady state. */
  readonly processesStarted: number
  close(): Promise<void>
}
