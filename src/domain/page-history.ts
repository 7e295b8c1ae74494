import { readConfig } from '../content/config.js'
import { entryOfOverride, idOf } from '../content/identity.js'
import { isBelow, isMarkdown, keyBelow } from '../content/paths.js'
import type { CommitId } from '../kernel/ids.js'
import type { App, LoadedSpace } from './app.js'
import { overridesAt } from './identity.js'

/**
 * The revisions on the first-parent line up to `head` that changed the file of a page, newest first, across renames: where
 * the page came to its path, the search goes on at the path that had its ID before. Empty where `head` has no such page.
 */
export async function pageHistory(app: App, space: LoadedSpace, head: CommitId, page: string): Promise<readonly CommitId[]> {
  const key = `${space.doc.id}:${head}:${page}`
  const known = app.content.pageHistories.get(key)
  if (known) return known
  const found: CommitId[] = []
  for (let at: CommitId | null = head; at !== null; ) {
    const path = await pathOfPage(app, space, at, page)
    at = path === null ? null : await follow(app, space, at, path, page, found)
  }
  app.content.pageHistories.set(key, found)
  return found
}

/** Adds the revisions in which the page's file was at `path`; answers the one before it came there, or null. */
async function follow(app: App, space: LoadedSpace, from: CommitId, path: string, page: string, into: CommitId[]): Promise<CommitId | null> {
  const { repo } = space
  for (const id of await repo.historyIds({ from, path, firstParent: true })) {
    into.push(id)
    const parent = (await repo.commit(id)).parents[0]
    if (parent === undefined) return null
    if (!(await holds(app, space, parent, path, page))) return parent
  }
  return null
}

/** Whether a path has the page's ID at a commit. */
async function holds(app: App, space: LoadedSpace, commit: CommitId, path: string, page: string): Promise<boolean> {
  const snapshot = await space.repo.at(commit)
  if ((await snapshot.entry(path)) === null) return false
  const [{ config }, overrides] = await Promise.all([readConfig(snapshot), overridesAt(app, space.doc.id, space.repo, commit)])
  return idOf(overrides)('page', keyBelow(config.root, path)) === page
}

/** The file of a page at a commit, listed in its table of contents or not. */
async function pathOfPage(app: App, space: LoadedSpace, commit: CommitId, page: string): Promise<string | null> {
  const structure = app.content.structures.get(`${space.doc.id}:${commit}`)
  const entry = structure?.byId.get(page)
  if (entry) return entry.type === 'document' ? entry.gitPath : null
  const snapshot = await space.repo.at(commit)
  const [{ config }, overrides] = await Promise.all([readConfig(snapshot), overridesAt(app, space.doc.id, space.repo, commit)])
  const override = [...overrides].find(([, id]) => id === page)
  if (override) {
    const { kind, key } = entryOfOverride(override[0])
    const path = config.root === '' ? key : `${config.root}/${key}`
    return kind === 'page' && (await snapshot.entry(path)) !== null ? path : null
  }
  const identify = idOf(overrides)
  const pages = (await snapshot.walk()).filter((file) => isBelow(config.root, file.path) && isMarkdown(file.path))
  return pages.find((file) => identify('page', keyBelow(config.root, file.path)) === page)?.path ?? null
}
