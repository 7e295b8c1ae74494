// Maps the commits of a remote to commits of one folder, for syncs of that folder.
import { required } from '../../kernel/defined.js'
import type { CommitInfo, Repository, Staging, WriteInput } from '../../git/index.js'
import { type CommitId, type TreeId, asOid } from '../../kernel/ids.js'
import { PAGE_IDS } from '../revisions/identity.js'
import { SyncFailure } from './failure.js'
import { describeRemote, type SyncRemote } from './remote.js'
import type { SyncLog } from './log-entries.js'

/** The error of an import from a folder that the remote does not have. */
export const noFolder = (remote: SyncRemote): SyncFailure =>
  new SyncFailure(
    `${describeRemote(remote)} has no folder ${remote.directory}/. Correct repoProjectDirectory, or export first to create the folder.`,
  )

/** The local commit for a remote commit; null if the folder did not exist yet. */
type Mapped = CommitId | null

/** Number of commits that become durable together. */
const BATCH = 500

/** Returns the remote commits that the log maps already. */
export const mappedBefore = (log: SyncLog): Map<string, CommitId> =>
  new Map(log.entries.map(({ remote, theirs }) => [remote, theirs]))

/**
 * Returns the local commit for a remote commit. Without a directory, it is the commit itself. With one, each commit
 * that changed the folder becomes a commit with the folder's tree and the same author, committer, dates and message.
 * Mapping it again gives the same commit. Returns null if the folder never existed in that history.
 */
export async function localCommit(repo: Repository, log: SyncLog, directory: string, head: CommitId): Promise<Mapped> {
  if (directory === '') return head
  const known = mappedBefore(log)
  for (const [remote, theirs] of known)
    if (!(await repo.hasCommit(theirs)) || !(await repo.hasCommit(remote))) known.delete(remote)
  return new DirectoryMapper(repo, known, directory).map(head)
}

/** Builds the commit that contains only the folder, for a commit of the remote. */
export function folderCommit(
  { message, author, committer, headers }: Pick<CommitInfo, 'message' | 'author' | 'committer' | 'headers'>,
  parents: readonly CommitId[],
  tree: TreeId,
): WriteInput {
  const header = headers[PAGE_IDS]
  return {
    parents,
    changes: [],
    tree,
    message,
    author,
    committer,
    ...(header === undefined ? {} : { headers: { [PAGE_IDS]: header } }),
  }
}

class DirectoryMapper {
  readonly #done: Map<string, Mapped>
  readonly #trees = new Map<string, TreeId | null>()
  readonly #staging: Staging
  #written = 0

  constructor(
    readonly repo: Repository,
    readonly known: ReadonlyMap<string, CommitId>,
    readonly directory: string,
  ) {
    this.#done = new Map(known)
    this.#staging = repo.stage()
  }

  /**
   * Maps a commit and its ancestors, parents first. Avoids recursion because histories are long. The result is durable
   * when this resolves.
   */
  async map(head: CommitId): Promise<Mapped> {
    // Ancestors of mapped commits are read one by one, and only if a branch reaches them without passing a mapped
    // commit.
    const listed = this.#done.has(head)
      ? []
      : await this.repo.history({ from: head, not: [...this.known.keys()].map(asOid) })
    // Ancestry of new commits is checked before they are on disk. This loads the mapped commits that the check needs
    // into memory.
    for (const commit of new Set(this.known.values())) await this.repo.isAncestor(commit, commit)
    const commits = new Map(listed.map((commit) => [commit.id, commit]))
    const stack: CommitId[] = [head]
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (this.#done.has(top)) {
        stack.pop()
        continue
      }
      const commit: CommitInfo = commits.get(top) ?? (await this.repo.commit(top))
      const unmapped = commit.parents.filter((parent) => !this.#done.has(parent))
      if (unmapped.length > 0) stack.push(...unmapped)
      else this.#done.set(top, await this.#mapOne(commit))
    }
    await this.#staging.settle()
    return this.#done.get(head) ?? null
  }

  async #mapOne(commit: CommitInfo): Promise<Mapped> {
    const parents = await this.#independent(
      [...new Set(commit.parents.map((parent) => this.#done.get(parent) ?? null))].filter((parent) => parent !== null),
    )
    const tree = await this.#folder(commit)
    if (parents.length === 0 && tree === null) return null
    if (
      parents.length === 1 &&
      (await this.repo.commit(required(parents[0]))).tree === (tree ?? (await this.#emptyTree()))
    )
      return required(parents[0])
    if (++this.#written % BATCH === 0) await this.#staging.settle()
    return this.#staging.write(folderCommit(commit, parents, tree ?? (await this.#emptyTree())))
  }

  /**
   * Removes parents that are ancestors of other parents. The merge of a branch that never changed the folder is not a
   * merge here.
   */
  async #independent(parents: CommitId[]): Promise<CommitId[]> {
    if (parents.length < 2) return parents
    const kept: CommitId[] = []
    for (const parent of parents) {
      const contained = await Promise.all(
        parents.map((other) => other !== parent && this.repo.isAncestor(parent, other)),
      )
      if (!contained.includes(true)) kept.push(parent)
    }
    return kept
  }

  async #folder(commit: CommitInfo): Promise<TreeId | null> {
    const known = this.#trees.get(commit.tree)
    if (known !== undefined) return known
    const entry = await (await this.repo.at(commit.id)).entry(this.directory)
    const tree = entry?.mode === '040000' ? asOid(entry.oid) : null
    this.#trees.set(commit.tree, tree)
    return tree
  }

  #empty: TreeId | null = null
  async #emptyTree(): Promise<TreeId> {
    if (this.#empty === null) {
      const nobody = { name: 'nobody', email: 'nobody@localhost', seconds: 0, offset: 0 }
      const commit = await this.repo.write({
        parents: [],
        changes: [],
        message: 'Empty tree\n',
        author: nobody,
        committer: nobody,
      })
      this.#empty = (await this.repo.commit(commit)).tree
    }
    return this.#empty
  }
}
