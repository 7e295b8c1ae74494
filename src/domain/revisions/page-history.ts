/** Finds the revisions that changed a page, across renames and deletions. */
import { comparePages } from '../../content/compare-structures.js'
import { readConfig } from '../../content/config.js'
import { entryOfOverride, idOf } from '../../content/identity.js'
import { mentionTest } from '../../content/mentions.js'
import { isBelow, isMarkdown, keyBelow } from '../../content/paths.js'
import { mayChangeEntry } from '../../content/summary/entry-change.js'
import { isFile, readBounded } from '../../content/read-file.js'
import { decodeText, MAX_TEXT_BYTES } from '../../content/text.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { deletionOf } from './deleted-pages.js'
import { overridesAt } from './identity.js'
import { structureAt } from './structures.js'
import type { PageRevision } from '../context/content-cache.js'

/**
 * Lists the revisions on the first-parent line of `head` that changed a page, newest first: its file (at its path at
 * the time) or its entry in the table of contents (title, position). For a deleted page, the list ends with its
 * deletion. For a restored page, it also has the revisions before the deletion. Empty if the page never existed.
 */
export async function pageHistory(
  app: App,
  space: LoadedSpace,
  head: CommitId,
  page: string,
): Promise<readonly PageRevision[]> {
  const key = `${space.doc.id}:${head}:${page}`
  const known = app.content.pageHistories.get(key)
  if (known) return known
  const found: PageRevision[] = []
  for (let at: CommitId | null = head; at !== null; ) {
    const path = await pathOfPage(app, space, at, page)
    if (path !== null) at = await addRevisionsAtPath(app, space, { from: at, path, page }, found)
    else {
      const deletion = await deletionOf(app, space, head, at, page)
      if (deletion) found.push({ id: deletion.commit, path: deletion.path })
      at =
        deletion && (await addRevisionsAtPath(app, space, { from: deletion.parent, path: deletion.path, page }, found))
    }
  }
  app.content.pageHistories.set(key, found)
  return found
}

/**
 * Adds the revisions from `from` downwards that changed the page while its file was at `path`. Returns the revision
 * before the file got that path, or null.
 */
async function addRevisionsAtPath(
  app: App,
  space: LoadedSpace,
  { from, path, page }: { from: CommitId; path: string; page: string },
  into: PageRevision[],
): Promise<CommitId | null> {
  const { repo } = space
  const { summary } = (await readConfig(await repo.objects.snapshot(from), app.texts.for(space.doc.id))).config
  const [ofFile, ofSummary] = await Promise.all(
    [path, summary].map(async (one) => new Set(await repo.history.ids({ from, path: one, firstParent: true }))),
  )
  const mentions = mentionTest([path])
  const slices = new Slices()
  for (const id of await repo.history.firstParents(from)) {
    if (slices.due) await slices.rest()
    const isFile = ofFile?.has(id) === true
    if (!isFile && !ofSummary?.has(id)) continue
    const parent = (await repo.objects.commit(id)).parents[0]
    if (
      isFile ||
      (parent !== undefined &&
        (await entryChanged(app, space, { before: parent, after: id }, { summary, page, mentions })))
    )
      into.push({ id, path: isFile ? path : summary })
    if (parent === undefined) return null
    if (isFile && !(await isPageAt(app, space, parent, path, page))) return parent
  }
  return null
}

/**
 * The searched entry: the page's entry in the table of contents, which is the file `summary`. `mentions` tests a line
 * for the page's path.
 */
interface EntryQuery {
  summary: string
  page: string
  mentions: (text: string) => boolean
}

/** Whether a revision changed the page's entry in the table of contents. */
async function entryChanged(
  app: App,
  space: LoadedSpace,
  { before, after }: { before: CommitId; after: CommitId },
  { summary, page, mentions }: EntryQuery,
): Promise<boolean> {
  const { repo, doc } = space
  const key = `${doc.id}:${after}`
  const known = app.content.listed.get(key)
  if (known) return known.has(page)
  const textAt = async (commit: CommitId): Promise<string | null> => {
    const snapshot = await repo.objects.snapshot(commit)
    const entry = await snapshot.entry(summary)
    const bytes = entry ? await readBounded(snapshot, entry.oid, MAX_TEXT_BYTES) : new Uint8Array()
    return bytes && decodeText(bytes)
  }
  const [was, is] = await Promise.all([textAt(before), textAt(after)])
  // A quick comparison of the texts settles the majority of revisions. Texts that are too large (null) need the
  // comparison of both structures.
  if (was !== null && is !== null && !mayChangeEntry(was, is, mentions)) return false
  const { created, deleted, kept } = await comparePages(
    await structureAt(app, space, before),
    await structureAt(app, space, after),
  )
  const changed = kept
    .filter((one) => one.moved !== null || one.before.title !== one.after.title)
    .map((one) => one.after)
  const pages = new Set([...created, ...deleted, ...changed].map((entry) => entry.id))
  app.content.listed.set(key, pages)
  return pages.has(page)
}

/** Whether the file at a path of a commit is the page. */
async function isPageAt(app: App, space: LoadedSpace, commit: CommitId, path: string, page: string): Promise<boolean> {
  const snapshot = await space.repo.objects.snapshot(commit)
  if ((await snapshot.entry(path)) === null) return false
  const [{ config }, overrides] = await Promise.all([
    readConfig(snapshot, app.texts.for(space.doc.id)),
    overridesAt(app, space, commit),
  ])
  return idOf(overrides)('page', keyBelow(config.root, path)) === page
}

/**
 * Returns the path of a page's file at a commit, listed in the table of contents or not. Null if there is no such page
 * or it has no file.
 */
async function pathOfPage(app: App, space: LoadedSpace, commit: CommitId, page: string): Promise<string | null> {
  const structure = app.content.structures.get(`${space.doc.id}:${commit}`)
  const entry = structure?.byId.get(page)
  if (entry) return entry.type === 'document' ? entry.gitPath : null
  const snapshot = await space.repo.objects.snapshot(commit)
  const [{ config }, overrides] = await Promise.all([
    readConfig(snapshot, app.texts.for(space.doc.id)),
    overridesAt(app, space, commit),
  ])
  const override = [...overrides].find(([, id]) => id === page)
  if (override) {
    const { kind, key } = entryOfOverride(override[0])
    const path = config.root === '' ? key : `${config.root}/${key}`
    return kind === 'page' && (await snapshot.entry(path)) !== null ? path : null
  }
  const identify = idOf(overrides)
  const pages = (await snapshot.walk()).filter(
    (file) => isFile(file) && isBelow(config.root, file.path) && isMarkdown(file.path),
  )
  return pages.find((file) => identify('page', keyBelow(config.root, file.path)) === page)?.path ?? null
}
