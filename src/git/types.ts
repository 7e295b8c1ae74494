import type { BlobId, CommitId, RefName, TreeId } from '../kernel/ids.js'

/** A person as Git records it: who, and when (seconds since 1970, minutes west of UTC negative as in `+0200` = 120). */
export interface Signature {
  name: string
  email: string
  /** Seconds since 1970-01-01 UTC. */
  seconds: number
  /** Offset from UTC in minutes, east positive. */
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
  /** Headers Git itself does not define, such as `page-ids`; continuation lines joined by `\n`. */
  headers: Record<string, string>
}

/** One immutable commit's files. All reads go by object ID and are cached. */
export interface Snapshot {
  readonly commit: CommitId
  readonly tree: TreeId
  /** The entry at `path` (blob or tree), or null. '' is the root tree. */
  entry(path: string): Promise<TreeEntry | null>
  /** A folder's own entries in Git's order, or null where it is no folder. */
  list(path: string): Promise<TreeEntry[] | null>
  /** A blob's bytes. Throws `MissingObject`, `ObjectTooLarge`. */
  read(oid: string, maxBytes?: number): Promise<Buffer>
  /** All blobs below `prefix`, in Git's order. Trees come from the cache by oid. */
  walk(prefix?: string): Promise<TreeEntry[]>
  /** Sizes of blobs in bytes, in the order asked. */
  sizes(oids: readonly string[]): Promise<number[]>
}

/** What to put at a path: bytes, an existing blob, or null to delete. A delete of a folder deletes all below it. */
export type FileChange =
  | { path: string; content: Uint8Array; mode?: EntryMode }
  | { path: string; oid: TreeEntry['oid']; mode?: EntryMode }
  | { path: string; delete: true }
  /** A whole folder, instead of what is there, names and all: they are not looked at. */
  | { path: string; tree: TreeId }

export interface WriteInput {
  /** Recorded parents; the first one's tree is what `changes` apply to, unless `tree` is given. */
  parents: readonly CommitId[]
  changes: readonly FileChange[]
  /** The tree that `changes` apply to, instead of the first parent's. */
  tree?: TreeId
  message: string
  author: Signature
  committer: Signature
  /** Additional commit headers, such as `page-ids`; values may hold `\n`. */
  headers?: Record<string, string>
}

export type ConflictKind = 'content' | 'add/add' | 'modify/delete' | 'rename' | 'binary' | 'file/directory' | 'mode'

export interface MergeConflict {
  path: string
  kind: ConflictKind
  /** Stage blobs, where that side has the path. */
  base?: TreeEntry
  ours?: TreeEntry
  theirs?: TreeEntry
}

export type MergeOutcome =
  | { clean: true; tree: TreeId }
  | { clean: false /** Git's tree with markers in it: never to be committed. */; tree: TreeId; conflicts: MergeConflict[] }

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

export interface HistoryQuery {
  from: CommitId
  /** Commits reachable from these are left out. */
  not?: readonly CommitId[]
  /** Only commits that touch this path. */
  path?: string
  firstParent?: boolean
  /** Only commits whose author has this e-mail address, in whatever case. */
  author?: string
  limit?: number
  skip?: number
}

/** Two blobs to be compared as text. */
export interface TextDiffQuery {
  before: string
  after: string
  /** Word by word instead of line by line. */
  words: boolean
  /** A longer answer is not given. */
  maxBytes: number
}

/** A remote repository and, for one operation only, the credential it wants. */
export interface Remote {
  /** URL without credentials. */
  url: string
  username?: string
  password?: string
}

export interface FetchResult {
  /** The commit the remote's ref names. */
  head: CommitId
  /** Objects that arrived. */
  objects: number
}

/** Commits that become durable together: `Repository.stage`. */
export interface Staging {
  /** Like `Repository.write`, but durable only after `settle`; until then only this process can read it, and no Git process. */
  write(input: WriteInput): Promise<CommitId>
  /** Resolves when all that was written is durable. May be called again after further writes. */
  settle(): Promise<void>
  /** Bytes of what was written and may not be on the disk yet. */
  readonly bytes: number
}

/** One bare repository. Safe beside an admin's plain `git`. */
export interface Repository {
  readonly path: string
  /** What a ref names now, read from the disk: an admin's move is seen at once. Synchronous: a loose ref is one small read. */
  head(ref: RefName): CommitId | null
  /** Refs below a prefix such as `refs/heads/`. */
  refs(prefix: string): Promise<Map<RefName, CommitId>>
  /** Throws `MissingObject` where the commit is not there (or is no commit). */
  at(commit: CommitId): Promise<Snapshot>
  /** The files of a tree that no commit names yet. */
  tree(tree: TreeId): Omit<Snapshot, 'commit'>
  commit(id: CommitId): Promise<CommitInfo>
  /** Whether the object is here and is a commit. */
  hasCommit(id: string): Promise<boolean>
  /** Makes durable objects (fsynced) and answers the commit; moves no ref. Throws `InvalidPath`, `PathCollision`. */
  write(input: WriteInput): Promise<CommitId>
  /** Begins commits that are made one on top of the other in memory and become durable together. */
  stage(): Staging
  /** Makes a durable blob. */
  writeBlob(content: Uint8Array): Promise<BlobId>
  /** A tree with changes applied. Like a merge's, it can be read, and a commit can take it up; the repository does not hold it before. */
  draft(tree: TreeId, changes: readonly FileChange[]): Promise<TreeId>
  /** Merges trees; nothing gets into the repository before a commit takes the result up (`WriteInput.tree`), soon. `base` replaces the merge base (rewritten histories). */
  merge(input: { ours: CommitId; theirs: CommitId; base?: CommitId }): Promise<MergeOutcome>
  /** Compare-and-swap of one or several refs in one `update-ref` transaction. Throws `StaleRef`, `RefLocked`. Durable when it resolves. */
  move(moves: readonly RefMove[], reason: string): Promise<void>
  mergeBase(a: CommitId, b: CommitId): Promise<CommitId | null>
  /** All newest common commits: histories that crossed have several. */
  mergeBases(a: CommitId, b: CommitId): Promise<CommitId[]>
  isAncestor(ancestor: CommitId, descendant: CommitId): Promise<boolean>
  /** Commits only `left` has, and only `right` has. */
  aheadBehind(left: CommitId, right: CommitId): Promise<{ ahead: number; behind: number }>
  history(query: HistoryQuery): Promise<CommitInfo[]>
  /** The IDs that `history` would answer, without reading the commits. */
  historyIds(query: HistoryQuery): Promise<CommitId[]>
  /** `from` and its first parents down to the root, newest first; from memory. */
  firstParents(from: CommitId): Promise<CommitId[]>
  /**
   * The hunks of `git diff` between two blobs, each from its `@@` line on; with `words` in Git's porcelain word form.
   * Empty where they are equal, null where longer than `maxBytes`.
   */
  diffText(query: TextDiffQuery): Promise<Buffer | null>
  /** How trees (or commits' trees) differ; `renames` asks for `-M` detection. Without it, in process, by tree oid. `null` = the empty tree. */
  diff(before: CommitId | TreeId | null, after: CommitId | TreeId, options?: { renames?: boolean }): Promise<TreeChange[]>
  /** What the remote's ref names, without fetching; null = no such ref. */
  remoteHead(remote: Remote, ref: RefName): Promise<CommitId | null>
  /** The full name of the remote's default branch; null where there is none, or it has no commit. */
  remoteDefault(remote: Remote): Promise<RefName | null>
  /** Fetches `ref` into a quarantine, checks it, moves the objects in. Moves no ref of ours. */
  fetch(remote: Remote, ref: RefName, limits: FetchLimits): Promise<FetchResult>
  /** Pushes `commit` to `ref` under a lease: the remote's ref must be `expected`. Throws `StaleRemote`, `RemoteRejected`. */
  push(remote: Remote, ref: RefName, commit: CommitId, expected: CommitId | null): Promise<void>
  /** Packs, and drops what nothing has named for two weeks; nothing where nothing changed since the last time. */
  maintain(how?: Maintenance): Promise<void>
  /** `git fsck --strict`; answers its complaints, empty = sound. */
  check(): Promise<string[]>
  /** Compares what is read here with what isomorphic-git reads, which gets packs of so many bytes in all (default: 128 MiB). */
  deepCheck(maxPackBytes?: number): Promise<DeepFindings>
}

export interface DeepFindings {
  /** Empty = sound. */
  complaints: string[]
  /** What was not compared, and why. */
  notes: string[]
}

export interface Maintenance {
  /** Runs work with the repository's writers held off, for the short part that needs it. Default: there are none. */
  exclusive?: <T>(work: () => Promise<T>) => Promise<T>
  /** Packs and drops however little there is. */
  thorough?: boolean
}

export interface FetchLimits {
  /** The only folder that the limits on files and their names look at; '' or none = all. */
  directory?: string
  /** Bytes of one blob. */
  maxBlobBytes: number
  /** Bytes of the objects that arrive. */
  maxPackBytes: number
  /** Entries of the fetched tree. */
  maxEntries: number
  /** Milliseconds for the whole operation. */
  timeoutMs: number
}

export interface GitOptions {
  /** Folder of the repositories; `<spaceId>.git` below it. */
  reposDir: string
  /** Protocols that a remote may use, e.g. ['https', 'ssh'] (http and file for development). */
  allowedProtocols: readonly string[]
  /** Largest blob that is ever read into memory, in bytes. */
  maxBlobBytes: number
}

/** All repositories of a service, and the processes that serve them. */
export interface Git {
  /** Makes an empty bare repository (main as HEAD, files ref format, SHA-1, our settings). Throws `RepositoryExists`. */
  create(name: string): Promise<Repository>
  /** The repository of that name. Throws `NoRepository`, `UnsupportedRepository`. Cheap: handles are kept. */
  open(name: string): Promise<Repository>
  exists(name: string): Promise<boolean>
  /** A second repository with the same objects, hard-linked, never by alternates; copies refs/heads/main and refs/bindery/adopted and sync only. */
  duplicate(from: string, to: string): Promise<Repository>
  /** Deletes the repository from the disk (rename first, so nothing half deleted is opened again). */
  remove(name: string): Promise<void>
  close(): Promise<void>
}
