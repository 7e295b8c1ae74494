import type { BlobId, CommitId, RefName, TreeId } from '../kernel/ids.js'
import type { Lease } from '../kernel/lease.js'
import type { DeepFindings } from './deep/types.js'
import type { HistoryQuery, TextDiffQuery } from './history/types.js'
import type { Remote, RemoteBranches } from './remote/types.js'
import type { PushedPack, ServedPack, UploadPackRequest } from './serve/types.js'

export type { DeepFindings, HistoryQuery, Remote, RemoteBranches, TextDiffQuery }

/** Who did something, and when, as Git records it. */
export interface Signature {
  name: string
  email: string
  /** Seconds since 1970-01-01 UTC. */
  seconds: number
  /** Offset from UTC in minutes, east positive: `+0200` is 120. */
  offset: number
}

export type EntryMode = '100644' | '100755' | '120000' | '160000' | '040000'

export interface TreeEntry {
  /** Path from the repository's root. */
  path: string
  mode: EntryMode
  oid: string
}

export interface CommitInfo {
  id: CommitId
  tree: TreeId
  parents: CommitId[]
  author: Signature
  committer: Signature
  /** The whole message, as written. */
  message: string
  /** Headers that Git itself does not define, such as `page-ids`; continuation lines joined by `\n`. */
  headers: Record<string, string>
}

/** The files of one commit, which never change. Reads go by object ID and are cached. */
export interface Snapshot {
  readonly commit: CommitId
  readonly tree: TreeId
  /** The entry at `path` (blob or tree), or null. '' is the root tree. */
  entry(path: string): Promise<TreeEntry | null>
  /** A folder's own entries in Git's order, or null if there is no such folder. */
  list(path: string): Promise<TreeEntry[] | null>
  /** A blob's bytes. Throws `MissingObject`, `ObjectTooLarge`. */
  read(oid: string, maxBytes?: number): Promise<Buffer>
  /** All blobs below `prefix`, in Git's order. */
  walk(prefix?: string): Promise<TreeEntry[]>
  /** Sizes of blobs in bytes, in the order of `oids`. */
  sizes(oids: readonly string[]): Promise<number[]>
}

/** What to put at a path: bytes, or an existing blob; or a deletion, which deletes a folder with everything in it. */
export type FileChange =
  | { path: string; content: Uint8Array; mode?: EntryMode }
  | { path: string; oid: TreeEntry['oid']; mode?: EntryMode }
  | { path: string; delete: true }
  /** A whole folder, which replaces what is there. The names in it are not checked. */
  | { path: string; tree: TreeId }

export interface WriteInput {
  /** The commit's parents. `changes` apply to the tree of the first one, unless `tree` is given. */
  parents: readonly CommitId[]
  changes: readonly FileChange[]
  /** The tree that `changes` apply to, instead of the first parent's. */
  tree?: TreeId
  message: string
  author: Signature
  committer: Signature
  /** Additional commit headers, such as `page-ids`; values may hold `\n`. */
  headers?: Record<string, string>
  /** Signs the commit, if the operator has given a key. */
  sign?: boolean
}

export type ConflictKind = 'content' | 'add/add' | 'modify/delete' | 'rename' | 'binary' | 'file/directory' | 'mode'

export interface MergeConflict {
  path: string
  kind: ConflictKind
  /** The entry of each side that has the path. */
  base?: TreeEntry
  ours?: TreeEntry
  theirs?: TreeEntry
}

export type MergeOutcome =
  | { clean: true; tree: TreeId }
  | { clean: false /** Git's tree, with conflict markers in its files: never to be committed. */; tree: TreeId; conflicts: MergeConflict[] }

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

export interface FetchResult {
  /** The commit that the remote's ref names. */
  head: CommitId
  /** How many objects arrived. */
  objects: number
}

/** A move of one ref of a remote: from `expected` (null = it does not exist) to `commit`. */
export interface PushOrder {
  ref: RefName
  commit: CommitId
  expected: CommitId | null
}

/** Commits that become durable together: `Repository.stage`. */
export interface Staging {
  /** Like `Repository.write`, but the commit is durable only after `settle`; until then only this process can read it, no Git process. */
  write(input: WriteInput): Promise<CommitId>
  /** Resolves when everything written so far is durable. May be called again after further writes. */
  settle(): Promise<void>
  /** Bytes that were written and may not be on the disk yet. */
  readonly bytes: number
}

/** One bare repository. Administrators may use plain `git` on it at the same time. */
export interface Repository {
  readonly path: string
  /** Whether the operator has given a key that signs commits. */
  readonly signs: boolean
  /** The commit that a ref names now, read from the disk, so a move by plain Git is seen at once. Synchronous: a loose ref is one small read. */
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
  /** `from`, its first parent, and so on down to the root; from memory. */
  firstParents(from: CommitId): Promise<CommitId[]>
  /**
   * The hunks of `git diff` between two blobs, from the first `@@` line on; with `words`, as `--word-diff=porcelain` prints them.
   * Empty if the blobs are equal, null if the hunks are longer than `maxBytes`.
   */
  diffText(query: TextDiffQuery): Promise<Buffer | null>
  /** How trees (or the trees of commits) differ; `null` = the empty tree. With `renames`, Git looks for renamed files (`-M`). */
  diff(before: CommitId | TreeId | null, after: CommitId | TreeId, options?: { renames?: boolean }): Promise<TreeChange[]>
  /** The commit that the remote's ref names, without fetching it; null = no such ref. */
  remoteHead(remote: Remote, ref: RefName): Promise<CommitId | null>
  /** The commits that refs of the remote name, by one question; refs that it does not have are left out. */
  remoteHeads(remote: Remote, refs: readonly RefName[]): Promise<Map<RefName, CommitId>>
  /** The remote's branches. */
  remoteBranches(remote: Remote): Promise<RemoteBranches>
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

export interface Maintenance {
  /** Runs work while nobody writes to the repository, for the short part that needs this. Default: there are no writers. */
  exclusive?: <T>(work: () => Promise<T>) => Promise<T>
  /** Packs and deletes however little there is. */
  thorough?: boolean
}

export interface FetchLimits {
  /** The folder that the limits on files apply to; '' or absent = the whole tree. */
  directory?: string
  /** Largest blob, in bytes. */
  maxBlobBytes: number
  /** Size of all objects that arrive, in bytes. */
  maxPackBytes: number
  /** Number of files and folders in the fetched tree. */
  maxEntries: number
  /** Milliseconds for the whole operation. */
  timeoutMs: number
  /** Whether somebody pushes here, instead of being fetched from: for the words of errors. */
  pushed?: boolean
  /** A head that was fetched and checked before: if it is still the head, nothing is checked or kept. */
  known?: CommitId
  /** What is checked was taken out of this folder of this commit of the remote: for the words of errors. */
  within?: { directory: string; head: CommitId }
  /** Called several times a second with the bytes that have arrived. */
  received?: (bytes: number) => void
  /** Whether the repository has nothing of the remote: then it is not asked what both have, which saves the remote a request. */
  unrelated?: boolean
}

/** Whose scratch repository of a remote is used (two owners never share one), and the milliseconds that may be waited for it. */
export interface ScratchHold {
  owner: string
  timeoutMs: number
}

/**
 * The commits of a remote of which a space has one folder only, and new ones on top of them. They can name the space's objects, but none of them gets into the
 * space. What was written may be gone at the next use.
 */
export type FolderScratch = Pick<Repository, 'hasCommit' | 'commit' | 'at' | 'stage' | 'write' | 'merge' | 'isAncestor' | 'fetchFolder' | 'push'>

/** What an import of one folder takes of a remote: the commits that change the folder, as commits of the folder alone. */
export interface FolderOrder extends Omit<FetchLimits, 'pushed' | 'directory' | 'within' | 'unrelated'>, ScratchHold {
  /** A folder below the root. */
  directory: string
  /** Commits here whose objects need not be brought again: they and their ancestors are complete. */
  have: readonly CommitId[]
  /** What the commit here is made of, for a commit of the remote; the same for the same input. */
  folderCommit(of: CommitInfo, parents: readonly CommitId[], tree: TreeId): WriteInput
  /** Called while the history is mapped, with the number of commits that are done and of all. */
  mapped?: (done: number, total: number) => Promise<void>
}

/** What was fetched. If the head is the one of `known`, nothing more is said. */
export interface FetchedFolder {
  head: CommitId
  /** The head as a commit of the folder alone; null if that history never had the folder. */
  theirs: CommitId | null
  /** The commit here for a commit of the remote, if that is in the history of the head; null as above. */
  find(remote: string): CommitId | null | undefined
  /** Commits of the remote that are `mapped` here, at most `limit`, parents first: the first one changed the folder, unless several did in the same way. */
  originals(mapped: CommitId, limit: number): CommitId[]
}

export interface GitOptions {
  /** The folder that contains the repositories, as `<spaceId>.git`. */
  reposDir: string
  /** Largest blob that is ever read into memory, in bytes. */
  maxBlobBytes: number
}

/** All repositories of a service, and the processes that serve them. */
export interface Git {
  /** Creates an empty bare repository (HEAD on main, refs as files, SHA-1, our settings). Throws `RepositoryExists`. */
  create(name: string): Promise<Repository>
  /** The repository of that name. Cheap, since open repositories are kept. Throws `NoRepository`, `UnsupportedRepository`. */
  open(name: string): Promise<Repository>
  exists(name: string): Promise<boolean>
  /** The commit that a ref of a repository names now, as `Repository.head`, without opening the repository; null also if there is no repository. */
  head(name: string, ref: RefName): CommitId | null
  /** Creates a second repository with the same objects (hard links, not alternates). Of the refs it gets refs/heads/main, refs/bindery/adopted and refs/bindery/sync/ only. */
  duplicate(from: string, to: string): Promise<Repository>
  /** Deletes the repository from the disk. It is renamed first, so that a half deleted one is never opened. */
  remove(name: string): Promise<void>
  /** Deletes scratch repositories of remotes that were not used for long, or are too large together. They are made anew when they are needed. */
  trimScratches(): Promise<void>
  /** How many Git processes were started since the repositories were opened. In steady state it should not rise. */
  readonly processesStarted: number
  close(): Promise<void>
}
