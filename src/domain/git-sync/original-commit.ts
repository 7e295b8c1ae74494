// Finds the remote commit from which a commit of one folder was made.
import type { CommitInfo, Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'

/** Maximum number of newest commits of a branch that are searched. */
const MAX_COMMITS = 2_000

/**
 * Returns the remote commit in the history of `head` from which a commit of one folder was made. It has the same
 * author, committer, dates and message, and that content in the folder. Returns null if it is not among the newest
 * commits.
 */
export async function findOriginal(
  repo: Repository,
  directory: string,
  mapped: CommitId,
  head: CommitId,
): Promise<CommitId | null> {
  if (directory === '') return mapped
  const { tree, ...made } = await repo.commit(mapped)
  const identityOf = ({ author, committer, message }: Pick<CommitInfo, 'author' | 'committer' | 'message'>): string =>
    JSON.stringify([author, committer, message.trimEnd()])
  for (const one of await repo.history({ from: head, limit: MAX_COMMITS })) {
    if (identityOf(one) === identityOf(made) && (await (await repo.at(one.id)).entry(directory))?.oid === tree)
      return one.id
  }
  return null
}
