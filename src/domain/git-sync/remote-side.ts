// Where the commits of a remote are while a space is synced with it: in the space, or, of a folder of a large repository, beside it.
import type { FetchedFolder, FolderScratch, Repository } from '../../git/index.js'
import { EMPTY_TREE, GitError, MissingObject } from '../../git/index.js'
import type { CommitId, RefName, TreeId } from '../../kernel/ids.js'
import { folderCommit, localCommit, mappedBefore } from './directory.js'
import { fetchFolder, holdOf, logForScratch, MappedOtherwise } from './folder-arrival.js'
import type { SyncLog } from './log-entries.js'
import { originalIn } from './original-commit.js'
import { type Contact, type FetchHints, fetchHead } from './sync.js'

/** Commits made here, one on top of the other, that are mapped without a fetch. */
const MAX_MADE = 100
/** Commits that are compared with a head in the search for the one that a commit here was made of. */
const MAX_ORIGINALS = 20

/** The commits of a remote, and what they are here. */
export interface RemoteSide {
  /** Where the remote's commits are, and where those are made that are pushed to it. */
  readonly commits: FolderScratch
  /** Whether that is not the repository of the space. */
  readonly beside: boolean
  /** Fetches a ref and returns its head. Throws `RemoteError`. */
  fetch(ref: RefName, hints?: FetchHints): Promise<CommitId>
  /** The commit here for a commit of the remote that was fetched, is in the log, or was made here; null if its history never had the folder. */
  local(log: SyncLog, commit: CommitId): Promise<CommitId | null>
  /** The commit of the remote, in the history of `head`, of which a commit here was made; null if there is none among the newest ones. */
  original(mapped: CommitId, head: CommitId): Promise<CommitId | null>
}

/** A contact with the commits of its remote. */
export type Sided<C extends Contact> = C & { side: RemoteSide }

/**
 * Does work with the commits of the remote. Of a folder they are in a scratch repository, which nobody else uses meanwhile. The work must be safe to repeat.
 * It must not be asked for under the lock of a space.
 */
export async function onRemoteSide<C extends Contact, T>(
  contact: C,
  work: (sided: Sided<C>) => Promise<T>,
): Promise<T> {
  const { repo } = contact.space
  const whole = (): Promise<T> => work({ ...contact, side: sideInSpace(contact) })
  if ((await logForScratch(contact)) === null) return whole()
  try {
    return await repo.onScratch(contact.connection, holdOf(contact), (scratch) =>
      work({ ...contact, side: new ScratchSide(contact, scratch) }),
    )
  } catch (error) {
    if (error instanceof MappedOtherwise) return whole()
    throw error
  }
}

const sideInSpace = (contact: Contact): RemoteSide => {
  const { repo } = contact.space
  const { directory } = contact.remote
  return {
    commits: repo,
    beside: false,
    fetch: (ref, hints) => fetchHead(contact, ref, hints),
    local: (log, commit) => localCommit(repo, log, directory, commit),
    original: (mapped, head) => originalIn(repo, directory, mapped, head),
  }
}

class ScratchSide implements RemoteSide {
  readonly beside = true
  #fetched: FetchedFolder | null = null

  constructor(
    readonly contact: Contact,
    readonly commits: FolderScratch,
  ) {}

  async fetch(ref: RefName, hints: FetchHints = {}): Promise<CommitId> {
    const log = await logForScratch(this.contact)
    if (log === null) throw new MappedOtherwise()
    const fetched = await fetchFolder(this.contact, this.commits, log, { ref, ...hints })
    // A head that was known says nothing; each other one knows all that was ever fetched.
    if (fetched.head !== hints.known || this.#fetched === null) this.#fetched = fetched
    return fetched.head
  }

  async local(log: SyncLog, commit: CommitId, depth = 0): Promise<CommitId | null> {
    const { repo } = this.contact.space
    const logged = mappedBefore(log).get(commit)
    if (logged !== undefined && (await repo.hasCommit(logged))) return logged
    const found = this.#fetched?.find(commit)
    if (found !== undefined) return found
    if (depth > MAX_MADE) throw new GitError(`commit ${commit} of the remote was not fetched`)
    return this.#map(log, commit, depth)
  }

  /** Maps a commit that was made here, as those are mapped that are fetched. */
  async #map(log: SyncLog, id: CommitId, depth: number): Promise<CommitId | null> {
    const { repo } = this.contact.space
    const info = await this.commits.commit(id)
    const mapped = new Set<CommitId>()
    for (const parent of info.parents) {
      const local = await this.local(log, parent, depth + 1)
      if (local !== null) mapped.add(local)
    }
    const parents = await independent(repo, [...mapped])
    const entry = await (await this.commits.at(id)).entry(this.contact.remote.directory)
    const own = entry?.mode === '040000' ? (entry.oid as TreeId) : null
    if (own === null && parents.length === 0) return null
    const tree = own ?? EMPTY_TREE
    const [only] = parents
    if (only !== undefined && parents.length === 1 && (await repo.commit(only)).tree === tree) return only
    return repo.write(folderCommit(info, parents, tree))
  }

  async original(mapped: CommitId, head: CommitId): Promise<CommitId | null> {
    for (const one of this.#fetched?.originals(mapped, MAX_ORIGINALS) ?? [])
      if (await this.commits.isAncestor(one, head)) return one
    return null
  }
}

/** The commits that are not ancestors of others of them. */
async function independent(repo: Repository, commits: readonly CommitId[]): Promise<CommitId[]> {
  const kept: CommitId[] = []
  for (const one of commits) {
    const within = await Promise.all(commits.map((other) => other !== one && repo.isAncestor(one, other)))
    if (!within.includes(true)) kept.push(one)
  }
  return kept
}

/** The first parent of a commit's first parent, and so on, `steps` times; null if the history ends before, or is not there. */
export async function nthParent(
  commits: Pick<Repository, 'commit'>,
  from: CommitId,
  steps: number,
): Promise<CommitId | null> {
  let at: CommitId | undefined = from
  try {
    for (let step = 0; step < steps && at !== undefined; step++) at = (await commits.commit(at)).parents[0]
  } catch (error) {
    if (error instanceof MissingObject) return null
    throw error
  }
  return at ?? null
}
