/** Compares the pages of two revisions: created, deleted, moved and edited pages. */
import { comparePages } from '../../../content/compare-structures.js'
import { sameValue } from '../../../content/json.js'
import type { TreeLocation } from '../../../content/compare-structures.js'
import type { DocumentEntry, PageEntry } from '../../../content/types.js'
import { eachInSlices, mapInSlices, sortInSlices } from '../../../kernel/slices.js'
import { type Change, frontMatterAttributes } from '../../../model/index.js'
import type { App } from '../../context/app.js'
import { readDocument } from '../revisions.js'
import type { FoundChange, Comparison } from './comparison.js'
import { defined } from '../../../kernel/defined.js'

/** Lists the changed pages in the order of the table of contents. Deleted pages are last. */
export async function findPageChanges(app: App, comparison: Comparison): Promise<FoundChange[]> {
  const { before, after } = comparison
  if (before.structure === after.structure) {
    const edited: PageEntry[] = []
    await eachInSlices(comparison.changed.keys(), (path) => {
      const entry = after.structure.byGitPath.get(path)
      if (entry) edited.push(entry)
    })
    return mapInSlices(await sortInSlices(edited, byStart), (entry) => pageEdited(app, comparison, entry, entry))
  }
  const { created, deleted, kept } = await comparePages(before.structure, after.structure)
  const found = await mapInSlices(created, (entry) => ({ entry, change: createdOrDeleted('page_created', entry) }))
  await eachInSlices(kept, (one) => {
    if (one.moved) found.push({ entry: one.after, change: pageMoved(one.after, one.moved) })
    if (isEdited(comparison, one.before, one.after))
      found.push({ entry: one.after, change: pageEdited(app, comparison, one.before, one.after) })
  })
  const sorted = await sortInSlices(found, (a, b) => byStart(a.entry, b.entry))
  const changes = await mapInSlices(sorted, ({ change }) => change)
  await eachInSlices(deleted, (entry) => void changes.push(createdOrDeleted('page_deleted', entry)))
  return changes
}

const byStart = (a: PageEntry, b: PageEntry): number =>
  (a.start ?? 0) - (b.start ?? 0) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)

const changedPage = (entry: PageEntry) => ({
  id: entry.id,
  type: entry.type === 'generated' ? ('document' as const) : entry.type,
  title: entry.title,
  path: entry.path,
  ...(entry.type === 'document' ? { file: entry.gitPath } : {}),
})

const createdOrDeleted = (type: 'page_created' | 'page_deleted', entry: PageEntry): FoundChange => ({
  page: entry.id,
  describe: () => ({ type, page: changedPage(entry) }),
})

const presentPlace = ({ path, parent, position, gitPath }: TreeLocation) => ({
  path,
  position,
  ...(parent === null ? {} : { parent }),
  ...(gitPath === null ? {} : { file: gitPath }),
})

const pageMoved = (entry: PageEntry, { from, to }: { from: TreeLocation; to: TreeLocation }): FoundChange => ({
  page: entry.id,
  describe: () => ({ type: 'page_moved', page: changedPage(entry), from: presentPlace(from), to: presentPlace(to) }),
})

/** Returns the two blobs of a page that both revisions contain. Null if they are equal. */
function editedBlobs(
  { changed }: Comparison,
  before: PageEntry,
  after: PageEntry,
): { before: string; after: string } | null {
  if (before.type !== 'document' || after.type !== 'document') return null
  const was = changed.get(before.gitPath)?.before
  const is = changed.get(after.gitPath)?.after
  return was && is && was.oid !== is.oid ? { before: was.oid, after: is.oid } : null
}

/** The members of an entry that a page without a file consists of. */
export const ownMembers = (entry: PageEntry): object => ({
  type: entry.type,
  title: entry.title,
  href: entry.type === 'link' ? entry.href : undefined,
  computed: entry.type === 'computed' ? entry.computed : undefined,
})

/** Removes the blank lines between the front matter and the text. */
const body = (markdown: string): string => markdown.replace(/^[\r\n]+/, '')

const isEdited = (comparison: Comparison, before: PageEntry, after: PageEntry): boolean =>
  before.title !== after.title ||
  before.type !== after.type ||
  editedBlobs(comparison, before, after) !== null ||
  (after.type !== 'document' && !sameValue(ownMembers(before), ownMembers(after)))

function pageEdited(app: App, comparison: Comparison, before: PageEntry, after: PageEntry): FoundChange {
  const blobs = editedBlobs(comparison, before, after)
  const attributes: Record<string, object> = {}
  const compare = (name: string, was: unknown, is: unknown): void => {
    if (!sameValue(was, is)) attributes[name] = { ...defined({ before: was, after: is }) }
  }
  return {
    page: after.id,
    ...(blobs
      ? { text: { ...blobs, from: (before as DocumentEntry).gitPath, to: (after as DocumentEntry).gitPath } }
      : {}),
    describe: async (isBrief): Promise<Change> => {
      if (isBrief) return { type: 'page_edited', page: changedPage(after), attributes: {} }
      const [was, is] = [ownMembers(before), ownMembers(after)] as [Record<string, unknown>, Record<string, unknown>]
      for (const name of Object.keys(is)) compare(name, was[name], is[name])
      if (blobs) {
        const [old, now] = await Promise.all([
          readDocument(app, comparison.before, before as DocumentEntry),
          readDocument(app, comparison.after, after as DocumentEntry),
        ])
        for (const name of frontMatterAttributes)
          compare(name, old.source.attributes[name], now.source.attributes[name])
        // Texts that are too large to keep in memory differ because their blobs differ.
        const isLarge = old.large !== undefined || now.large !== undefined
        if (isLarge || body(old.source.markdown) !== body(now.source.markdown)) attributes.document = {}
      }
      return { type: 'page_edited', page: changedPage(after), attributes: attributes }
    },
  }
}
