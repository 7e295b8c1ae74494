import { comparePages } from '../../../content/compare-structures.js'
import { sameValue } from '../../../content/json.js'
import type { TreeLocation } from '../../../content/compare-structures.js'
import type { DocumentEntry, PageEntry } from '../../../content/types.js'
import { Slices } from '../../../kernel/slices.js'
import { type Change, type ChangedAttributes, frontMatterAttributes } from '../../../model/index.js'
import type { App } from '../../context/app.js'
import { readDocument } from '../revisions.js'
import type { Draft, Pair } from './pair.js'

/** How the pages differ, in the order of the table of contents; deleted ones last. */
export async function draftPages(app: App, pair: Pair): Promise<Draft[]> {
  const { before, after } = pair
  if (before.structure === after.structure) {
    const edited = [...pair.changed.keys()].flatMap((path) => after.structure.byGitPath.get(path) ?? [])
    return edited.sort(byPlace).map((entry) => draftEdit(app, pair, entry, entry))
  }
  const { created, deleted, kept } = await comparePages(before.structure, after.structure)
  const drafts = created.map((entry) => ({ entry, draft: simple('page_created', entry) }))
  const slices = new Slices()
  for (const one of kept) {
    if (slices.due) await slices.rest()
    if (one.moved) drafts.push({ entry: one.after, draft: draftMove(one.after, one.moved) })
    if (isEdited(pair, one.before, one.after)) drafts.push({ entry: one.after, draft: draftEdit(app, pair, one.before, one.after) })
  }
  return [...drafts.sort((a, b) => byPlace(a.entry, b.entry)).map(({ draft }) => draft), ...deleted.map((entry) => simple('page_deleted', entry))]
}

const byPlace = (a: PageEntry, b: PageEntry): number => (a.line ?? 0) - (b.line ?? 0) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)

const changedPage = (entry: PageEntry) => ({
  id: entry.id,
  type: entry.type,
  title: entry.title,
  path: entry.path,
  ...(entry.type === 'document' ? { file: entry.gitPath } : {}),
})

const simple = (type: 'page_created' | 'page_deleted', entry: PageEntry): Draft => ({ page: entry.id, make: () => ({ type, page: changedPage(entry) }) })

const presentPlace = ({ path, parent, position, gitPath }: TreeLocation) => ({
  path,
  position,
  ...(parent === null ? {} : { parent }),
  ...(gitPath === null ? {} : { file: gitPath }),
})

const draftMove = (entry: PageEntry, { from, to }: { from: TreeLocation; to: TreeLocation }): Draft => ({
  page: entry.id,
  make: () => ({ type: 'page_moved', page: changedPage(entry), from: presentPlace(from), to: presentPlace(to) }),
})

/** The blobs of a document that both revisions have, where they differ. */
function editedBlobs({ changed }: Pair, before: PageEntry, after: PageEntry): { before: string; after: string } | null {
  if (before.type !== 'document' || after.type !== 'document') return null
  const was = changed.get(before.gitPath)?.before
  const is = changed.get(after.gitPath)?.after
  return was && is && was.oid !== is.oid ? { before: was.oid, after: is.oid } : null
}

const ownMembers = (entry: PageEntry): object => ({
  type: entry.type,
  title: entry.title,
  href: entry.type === 'link' ? entry.href : undefined,
  computed: entry.type === 'computed' ? entry.computed : undefined,
})

/** The blank lines that set a text off from its front matter are not part of it. */
const body = (markdown: string): string => markdown.replace(/^[\r\n]+/, '')

const isEdited = (pair: Pair, before: PageEntry, after: PageEntry): boolean =>
  before.title !== after.title ||
  before.type !== after.type ||
  editedBlobs(pair, before, after) !== null ||
  (after.type !== 'document' && !sameValue(ownMembers(before), ownMembers(after)))

function draftEdit(app: App, pair: Pair, before: PageEntry, after: PageEntry): Draft {
  const blobs = editedBlobs(pair, before, after)
  const attributes: Record<string, object> = {}
  const compare = (name: string, was: unknown, is: unknown): void => {
    if (!sameValue(was, is)) attributes[name] = { ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) }
  }
  return {
    page: after.id,
    ...(blobs ? { text: { ...blobs, from: (before as DocumentEntry).gitPath, to: (after as DocumentEntry).gitPath } } : {}),
    make: async (): Promise<Change> => {
      const [was, is] = [ownMembers(before), ownMembers(after)] as [Record<string, unknown>, Record<string, unknown>]
      for (const name of Object.keys(is)) compare(name, was[name], is[name])
      if (blobs) {
        const [old, now] = await Promise.all([readDocument(app, pair.before, before as DocumentEntry), readDocument(app, pair.after, after as DocumentEntry)])
        for (const name of frontMatterAttributes) compare(name, old.source.attributes[name], now.source.attributes[name])
        // Of a text that nobody holds, the blobs say that it differs.
        const isLarge = old.large !== undefined || now.large !== undefined
        if (isLarge || body(old.source.markdown) !== body(now.source.markdown)) attributes.document = {}
      }
      return { type: 'page_edited', page: changedPage(after), attributes: attributes as ChangedAttributes }
    },
  }
}
