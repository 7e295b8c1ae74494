import { comparePages } from '../../content/compare-structures.js'
import { readConfig } from '../../content/config.js'
import { entryOfOverride, idOf } from '../../content/identity.js'
import { mentionTest } from '../../content/mentions.js'
import { isBelow, isMarkdown, keyBelow } from '../../content/paths.js'
import { mayChangeEntry } from '../../content/summary/entry-change.js'
import { readBounded } from '../../content/read-file.js'
import { decodeText, MAX_TEXT_BYTES } from '../../content/text.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { deletionOf } from './deleted-pages.js'
import { overridesAt } from './identity.js'
import { structureAt } from './revisions.js'
import type { PageRevision } from '../context/content-cache.js'

/**
 * The revisions on the first-parent line up to `head` that changed a page, newest first: its file, under whatever path it
 * had, or its entry in the table of contents (title, place). A page that was deleted has the revisions up to that, and one
 * that came back those of both lives. Empty where there was no such page.
 */
export async function pageHistory(app: App, space: LoadedSpace, head: CommitId, page: string): Promise<readonly PageRevision[]> {
  const key = `${space.doc.id}:${head}:${page}`
  const known = app.content.pageHistories.get(key)
  if (known) return known
  const found: PageRevision[] = []
  for (let at: CommitId | null = head; at !== null; ) {
    const path = await pathOfPage(app, space, at, page)
    if (path !== null) at = await follow(app, space, at, path, page, found)
    else {
      const deletion = await deletionOf(app, space, head, at, page)
      if (deletion) found.push({ id: deletion.commit, path: deletion.path })
      at = deletion && (await follow(app, space, deletion.parent, deletion.path, page, found))
    }
  }
  app.content.pageHistories.set(key, found)
  return found
}

/** Adds the revisions that changed the page while its file was at `path`; answers the one before it came there, or null. */
async function follow(app: App, space: LoadedSpace, from: CommitId, path: string, page: string, into: PageRevision[]): Promise<CommitId | null> {
  const { repo } = space
  const { summary } = (await readConfig(await repo.at(from), app.texts.for(space.doc.id))).config
  const [ofFile, ofSummary] = await Promise.all([path, summary].map(async (one) => new Set(await repo.historyIds({ from, path: one, firstParent: true }))))
  const mentions = mentionTest([path])
  const slices = new Slices()
  for (const id of await repo.firstParents(from)) {
    if (slices.due) await slices.rest()
    const isFile = ofFile?.has(id) === true
    if (!isFile && !ofSummary?.has(id)) continue
    const parent = (await repo.commit(id)).parents[0]
    if (isFile || (parent !== undefined && (await entryChanged(app, space, parent, id, summary, page, mentions))))
      into.push({ id, path: isFile ? path : summary })
    if (parent === undefined) return null
    if (isFile && !(await holds(app, space, parent, path, page))) return parent
  }
  return null
}

/** Whether a revision changed the page's entry in the table of contents. */
async function entryChanged(
  app: App,
  space: LoadedSpace,
  before: CommitId,
  after: CommitId,
  summary: string,
  page: string,
  mentions: (text: string) => boolean,
): Promise<boolean> {
  const { repo, doc } = space
  const key = `${doc.id}:${after}`
  const known = app.content.listed.get(key)
  if (known) return known.has(page)
  const textAt = async (commit: CommitId): Promise<string | null> => {
    const snapshot = await repo.at(commit)
    const entry = await snapshot.entry(summary)
    const bytes = entry ? await readBounded(snapshot, entry.oid, MAX_TEXT_BYTES) : new Uint8Array()
    return bytes && decodeText(bytes)
  }
  const [was, is] = await Promise.all([textAt(before), textAt(after)])
  // Of one that is too large for a look, the shapes of the space are compared.
  if (was !== null && is !== null && !mayChangeEntry(was, is, mentions)) return false
  const { created, deleted, kept } = await comparePages(await structureAt(app, doc.id, repo, before), await structureAt(app, doc.id, repo, after))
  const changed = kept.filter((one) => one.moved !== null || one.before.title !== one.after.title).map((one) => one.after)
  const pages = new Set([...created, ...deleted, ...changed].map((entry) => entry.id))
  app.content.listed.set(key, pages)
  return pages.has(page)
}

/** Whether a path has the page's ID at a commit. */
async function holds(app: App, space: LoadedSpace, commit: CommitId, path: string, page: string): Promise<boolean> {
  const snapshot = await space.repo.at(commit)
  if ((await snapshot.entry(path)) === null) return false
  const [{ config }, overrides] = await Promise.all([readConfig(snapshot, app.texts.for(space.doc.id)), overridesAt(app, space.doc.id, space.repo, commit)])
  return idOf(overrides)('page', keyBelow(config.root, path)) === page
}

/** The file of a page at a commit, listed in its table of contents or not. */
export async function pathOfPage(app: App, space: LoadedSpace, commit: CommitId, page: string): Promise<string | null> {
  const structure = app.content.structures.get(`${space.doc.id}:${commit}`)
  const entry = structure?.byId.get(page)
  if (entry) return entry.type === 'document' ? entry.gitPath : null
  const snapshot = await space.repo.at(commit)
  const [{ config }, overrides] = await Promise.all([readConfig(snapshot, app.texts.for(space.doc.id)), overridesAt(app, space.doc.id, space.repo, commit)])
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
