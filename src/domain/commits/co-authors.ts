// Names everybody who wrote what one commit brings.
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { UserDoc } from '../../model/index.js'
import { isComputed } from '../revisions/revision-type.js'

/** The authors of the commits in `from` that `not` do not contain, as values of `Co-authored-by` trailers, without the acting user. */
export async function coAuthors(repo: Repository, from: CommitId, not: readonly CommitId[], acting: Pick<UserDoc, 'email'>): Promise<string[]> {
  const commits = await repo.history({ from, not })
  const names = new Map(
    commits
      .filter((one) => one.author.email.toLowerCase() !== acting.email && !isComputed(one))
      .map((one) => [one.author.email.toLowerCase(), `${one.author.name} <${one.author.email}>`]),
  )
  return [...names.values()]
}
