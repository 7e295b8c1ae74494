/** Finds the last change of a file: its commit, its time and its author. */
import type { CommitInfo } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { LastChange } from '../context/content-cache.js'
import type { SpaceRepository } from '../context/loaded.js'
import { datesAt, datesOf } from './page-dates.js'

/** Maximum number of commits of a merge that are searched for the author of a change. */
const MAX_COMMITS = 200

/**
 * Returns the last change of a file on the first-parent line of a commit. Null if there is no such file. The author of
 * a merged change is the author of its newest commit, and not the user who merged it.
 */
export async function lastChangeOf(
  app: App,
  space: SpaceRepository,
  head: CommitId,
  path: string,
): Promise<LastChange | null> {
  const dates = datesOf(await datesAt(app, space, head), path)
  return dates ? changeAt(app, space, dates.commit, path) : null
}

/** Returns the change that a commit made to a file. */
export async function changeAt(app: App, space: SpaceRepository, commit: CommitId, path: string): Promise<LastChange> {
  const key = `${space.doc.id}:${commit}:${path}`
  const known = app.content.lastChanges.get(key)
  if (known) return known
  const { seconds } = (await space.repo.objects.commit(commit)).committer
  const { author, id } = await authoredCommit(space, commit, path)
  const change = { commit, seconds, author: author.name, authored: id }
  app.content.lastChanges.set(key, change)
  return change
}

async function authoredCommit({ repo }: SpaceRepository, commit: CommitId, path: string): Promise<CommitInfo> {
  const own = await repo.objects.commit(commit)
  const [first] = own.parents
  if (first === undefined || own.parents.length < 2) return own
  const merged = await repo.history.log({ from: commit, not: [first], path, limit: MAX_COMMITS })
  return merged.find((one) => one.parents.length < 2) ?? own
}
