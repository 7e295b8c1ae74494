// Gives access to the commits of a remote during a sync. They are in the space's repository or, for a folder of a large
// repository, in a scratch repository.
import type { FetchedFolder, FolderScratch, Repository } from '../../git/index.js'
import { EMPTY_TREE, GitError, MissingObject } from '../../git/index.js'
import { asOid, type CommitId, type RefName } from '../../kernel/ids.js'
import { folderCommit, mappedBefore } from './directory.js'
import { fetchFolder, scratchOptions } from './folder-arrival.js'
import type { SyncLog } from './log-entries.js'
import { type Contact, type FetchHints, fetchHead } from './sync.js'

/** Maximum number of consecutive commits made here that are mapped without a fetch. */
const MAX_MADE = 100
/** Maximum number of commits that are checked in the search for the remote commit of a local commit. */
const MAX_ORIGINALS = 20

/** The commits of a remote, and their local forms. */
export interface RemoteSide {
  /** The repository that has the remote's commits, and that receives the commits to push. */
  readonly commits: FolderScratch
  /** Whether `commits` is a scratch repository and not the space's repository. */
  readonly usesScratch: boolean
  /** Fetches a ref and returns its head. Throws `RemoteError`. */
  fetch(ref: RefName, hints?: FetchHints): Promise<CommitId>
  /**
   * Returns the local commit for a remote commit that was fetched, is in the log, or was made here. Returns null if the
   * folder never existed in its history.
   */
  local(log: SyncLog, commit: CommitId): Promise<CommitId | null>
  /**
   * Returns the remote commit in the history of `head` from which a local commit was made. Returns null if it is not
   * among the newest ones.
   */
  original(mapped: CommitId, head: CommitId): Promise<CommitId | null>
}

/** A contact with access to the commits of its remote. */
export type Sided<C extends Contact> = C & { side: RemoteSide }

/**
 * Runs work with the commits of the remote. For a folder, they are in a scratch repository that no other task uses
 * during the work. The work must be safe to repeat. Do not call this under the lock of a space.
 */
export async function onRemoteSide<C extends Contact, T>(
  contact: C,
  work: (sided: Sided<C>) => Promise<T>,
): Promise<T> {
  if (contact.remote.directory === '') return work({ ...contact, side: sideInSpace(contact) })
  return contact.space.repo.remote.onScratch(contact.connection, scratchOptions(contact), (scratch) =>
    work({ ...contact, side: new ScratchSide(contact, scratch) }),
  )
}

const sideInSpace = (contact: Contact): RemoteSide => ({
  commits: contact.space.repo,
  usesScratch: false,
  fetch: (ref, hints) => fetchHead(contact, ref, hints),
  local: async (_log, commit) => commit,
  original: async (mapped) => mapped,
})

class ScratchSide implements RemoteSide {
  readonly usesScratch = true
  #fetched: FetchedFolder | null = null

  constructor(
    readonly contact: Contact,
    readonly commits: FolderScratch,
  ) {}

  async fetch(ref: RefName, hints: FetchHints = {}): Promise<CommitId> {
    const fetched = await fetchFolder(this.contact, this.commits.remote, { ref, ...hints })
    // A fetch that returns the known head has no new mapping. Any other fetch has the mapping of all fetched commits.
    if (fetched.head !== hints.known || this.#fetched === null) this.#fetched = fetched
    return fetched.head
  }

  async local(log: SyncLog, commit: CommitId, depth = 0): Promise<CommitId | null> {
    const { repo } = this.contact.space
    const logged = mappedBefore(log).get(commit)
    if (logged !== undefined && (await repo.objects.hasCommit(logged))) return logged
    const found = this.#fetched?.find(commit)
    if (found !== undefined) return found
    if (depth > MAX_MADE) throw new GitError(`commit ${commit} of the remote was not fetched`)
    return this.#map(log, commit, depth)
  }

  /** Maps a commit that was made here in the same way as a fetched one. */
  async #map(log: SyncLog, id: CommitId, depth: number): Promise<CommitId | null> {
    const { repo } = this.contact.space
    const info = await this.commits.objects.commit(id)
    const mapped = new Set<CommitId>()
    for (const parent of info.parents) {
      const local = await this.local(log, parent, depth + 1)
      if (local !== null) mapped.add(local)
    }
    const parents = await independent(repo, [...mapped])
    const entry = await (await this.commits.objects.snapshot(id)).entry(this.contact.remote.directory)
    const own = entry?.mode === '040000' ? asOid(entry.oid) : null
    if (own === null && parents.length === 0) return null
    const tree = own ?? EMPTY_TREE
    const [only] = parents
    if (only !== undefined && parents.length === 1 && (await repo.objects.commit(only)).tree === tree) return only
    return repo.objects.write(folderCommit(info, parents, tree))
  }

  async original(mapped: CommitId, head: CommitId): Promise<CommitId | null> {
    for (const one of this.#fetched?.originals(mapped, MAX_ORIGINALS) ?? [])
      if (await this.commits.history.isAncestor(one, head)) return one
    return null
  }
}

/** Returns the commits that are not ancestors of another one. */
async function independent(repo: Repository, commits: readonly CommitId[]): Promise<CommitId[]> {
  const kept: CommitId[] = []
  for (const one of commits) {
    const within = await Promise.all(commits.map((other) => other !== one && repo.history.isAncestor(one, other)))
    if (!within.includes(true)) kept.push(one)
  }
  return kept
}

/**
 * Follows first parents for `steps` steps and returns the commit. Returns null if the history ends earlier or a commit
 * is missing.
 */
export async function nthParent(
  objects: Pick<Repository['objects'], 'commit'>,
  from: CommitId,
  steps: number,
): Promise<CommitId | null> {
  let at: CommitId | undefined = from
  try {
    for (let step = 0; step < steps && at !== undefined; step++) at = (await objects.commit(at)).parents[0]
  } catch (error) {
    if (error instanceof MissingObject) return null
    throw error
  }
  return at ?? null
}
