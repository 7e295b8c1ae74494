/** Reads the current head of a branch, also if another node moved it. */
import { NoRepository } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { App } from './app.js'
import { repositoryName } from './refs.js'

/**
 * Returns the commit that a ref of a space points to. Null if there is no such ref or no repository. Throws
 * `DatabaseAway`.
 */
export async function headNow(app: Pick<App, 'git'>, space: string, ref: RefName): Promise<CommitId | null> {
  try {
    return (await app.git.open(repositoryName(space))).refs.head(ref)
  } catch (error) {
    if (error instanceof NoRepository) return null
    throw error
  }
}
