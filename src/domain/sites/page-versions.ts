/** Lists the versions of a page that a visitor may open: the changes of its file on main. */
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { LastChange } from '../context/content-cache.js'
import { changeAt } from '../revisions/last-change.js'
import { datesAt, datesOf } from '../revisions/page-dates.js'
import { entryThen, hasPast, openPast } from './past-page.js'
import type { ReadPage } from './visitor-paths.js'
import type { Visitor } from './visitor.js'

/** Maximum number of changes that are listed. For each, the gate reads the page tree of its commit. */
export const MAX_VERSIONS = 20

/** The versions of a page, newest first. */
export interface PageVersions {
  versions: LastChange[]
  /** The commit of the last change, which made the current version. */
  current: CommitId | undefined
  /** Whether the file has older changes that are not listed. */
  hasMore: boolean
}

/**
 * Lists the newest changes of the file of a page at its present path, without versions that the visitor may not open. Null
 * if the page has no past. Throws 503 if too many readers open the past.
 */
export async function versionsOf(app: App, visitor: Visitor, page: ReadPage): Promise<PageVersions | null> {
  const { entry, pages } = page
  if (entry.type !== 'document' || !(await hasPast(app, page))) return null
  const { space, repo, snapshot } = pages.revision
  const asked = { from: snapshot.commit, path: entry.gitPath, limit: MAX_VERSIONS + 1 }
  const changes = await repo.history.fileChanges(asked)
  const versions: LastChange[] = []
  for (const { commit } of changes.slice(0, MAX_VERSIONS)) {
    const past = await openPast(app, pages.revision, { commit })
    if (past && (await entryThen(app, visitor, past, page)))
      versions.push(await changeAt(app, space, commit, entry.gitPath))
  }
  return { versions, current: changes[0]?.commit, hasMore: changes.length > MAX_VERSIONS }
}

/** Whether a page has a past with more than one version. */
export async function hasVersions(app: App, page: ReadPage): Promise<boolean> {
  const { entry, pages } = page
  if (entry.type !== 'document' || !(await hasPast(app, page))) return false
  const { space, snapshot } = pages.revision
  const dates = datesOf(await datesAt(app, space, snapshot.commit), entry.gitPath)
  return dates !== undefined && dates.created !== dates.updated
}
