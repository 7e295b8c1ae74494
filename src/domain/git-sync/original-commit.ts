// Finds the commit of a remote of which a commit of one folder was made.
import type { CommitInfo, Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'

/** How many of a branch's newest commits are searched. */
const SEARCH = 2_000

/**
 * The commit of the remote below `head` from which a commit of one folder was made: it has the same author, committer, dates and message, and that
 * content in the folder. Null if it is not among the newest ones.
 */
export async function originalIn(
  repo: Repository,
  directory: string,
  mapped: CommitId,
  head: CommitId,
): Promise<CommitId | null> {
  if (directory === '') return mapped
  const { tree, ...made } = await repo.commit(mapped)
  const saidBy = ({ author, committer, message }: Pick<CommitInfo, 'author' | 'committer' | 'message'>): string =>
    JSON.stringify([author, committer, message.trimEnd()])
  for (const one of await repo.history({ from: head, limit: SEARCH })) {
    if (saidBy(one) === saidBy(made) && (await (await repo.at(one.id)).entry(directory))?.oid === tree) return one.id
  }
  return null
}
