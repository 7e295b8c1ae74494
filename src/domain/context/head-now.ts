/** Where a branch points now, also if another node has moved it. */
import { NoRepository } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { App } from './app.js'
import { repositoryName } from './refs.js'

/** The commit that a ref of a space names; null if there is none, or the space has no repository. Throws `DatabaseAway`. */
export async function headNow(app: Pick<App, 'git'>, space: string, ref: RefName): Promise<CommitId | null> {
  try {
    return (await app.git.open(repositoryName(space))).head(ref)
  } catch (error) {
    if (error instanceof NoRepository) return null
    throw error
  }
}
