/** Pages with those below them as JSON. What an edit leaves as it is, is not made again. */
import type { PageEntry } from '../../content/types.js'
import type { FileDates, PresentedPage, PresentedTree } from '../../domain/context/content-cache.js'
import { datesOf } from '../../domain/revisions/page-dates.js'
import { eachDocument, knownPages, structureNumber } from '../../domain/revisions/revisions.js'
import { ofTree } from '../../domain/revisions/weights.js'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import { RawJson } from '../../kernel/raw-json.js'
import { eachInSlices, inSlices, Slices } from '../../kernel/slices.js'
import type { Format, Page } from '../../model/index.js'
import { type PageContext, presentOwn, revisionUrl } from './present-page.js'
import { spaceStamp } from './validators.js'

/** One page with its subpages; content only in a `format`, and only of the page itself. */
export async function presentPage(context: PageContext, entry: PageEntry, format?: Format): Promise<Page> {
  const { json } = await presentPages(context, entry.pages)
  return { ...(await presentOwn(context, entry, format)), pages: json } as Page
}

/** Pages of a tree as JSON, and diagnostics of those that cost too much to be read. */
interface PresentedPages {
  json: Page[]
  costly: Diagnostic[]
}

/** Pages of a tree, in order, without their content. Tens of thousands are written as JSON in slices, with others having their turn. */
export async function presentPages(context: PageContext, entries: readonly PageEntry[]): Promise<PresentedPages> {
  if (entries.length === 0) return { json: [], costly: [] }
  const known = entries === context.revision.structure.pages ? knownTree(context) : null
  await readDocuments(context, entries, known)
  const slices = new Slices()
  const costly: Diagnostic[] = []
  const done: Buffer[] = []
  let parts: string[] = []
  const lasting = new Map<string, PresentedPage>()
  const { commit } = context.revision.snapshot
  let isNew = false
  const write = async (list: readonly PageEntry[]): Promise<void> => {
    parts.push('[')
    for (const [index, entry] of list.entries()) {
      const same = knownPage(context, known, entry)
      const { page, lasts } = same ? { page: same, lasts: true } : await makePage(context, entry)
      isNew ||= !same && lasts
      if (lasts) lasting.set(entry.id, page)
      costly.push(...page.costly)
      parts.push(index === 0 ? '' : ',', page.before, commit, page.after, ',"pages":')
      await write(entry.pages)
      parts.push('}')
      if (slices.due) {
        done.push(Buffer.from(parts.join('')))
        parts = []
        await slices.rest()
      }
    }
    parts.push(']')
  }
  await write(entries)
  if (known && isNew) {
    const tree = { ...known, pages: lasting }
    context.app.content.trees.set(keyOf(context), tree, await inSlices(ofTree(tree)))
  }
  return { json: new RawJson([...done, Buffer.from(parts.join(''))]) as unknown as Page[], costly }
}

/** Reads what is to be known of the files whose pages are made anew. */
async function readDocuments(
  context: PageContext,
  entries: readonly PageEntry[],
  known: PresentedTree | null,
): Promise<void> {
  const unknown = function* () {
    for (const entry of eachDocument(entries)) if (!knownPage(context, known, entry)) yield entry
  }
  const pages = await knownPages(context.app, context.revision, unknown())
  await eachInSlices(pages, ([path, page]) => void context.listed.set(path, page))
}

const keyOf = ({ revision, options }: PageContext): string => `${revision.space.doc.id}:${options.metadata}`

/** The pages as they were presented last, if that was by the same structure and settings; else none of them. */
function knownTree(context: PageContext): PresentedTree {
  const { app, revision } = context
  const [structure, stamp] = [structureNumber(revision.structure), spaceStamp(revision.space.doc)]
  const known = app.content.trees.get(keyOf(context))
  return known?.structure === structure && known.stamp === stamp ? known : { structure, stamp, pages: new Map() }
}

const ownDates = ({ dates }: PageContext, entry: PageEntry): FileDates | null =>
  entry.type === 'document' ? (datesOf(dates, entry.gitPath) ?? null) : null

/** A page as it was presented before, if its file is the same: a commit that changes a file has dates of its own for it. */
function knownPage(context: PageContext, known: PresentedTree | null, entry: PageEntry): PresentedPage | undefined {
  const page = known?.pages.get(entry.id)
  return page && page.dates === ownDates(context, entry) ? page : undefined
}

/** A page as it is presented, and whether it stays so for as long as its file and the structure do. */
async function makePage(context: PageContext, entry: PageEntry): Promise<{ page: PresentedPage; lasts: boolean }> {
  const { app, revision } = context
  const own = await presentOwn(context, entry)
  const json = JSON.stringify(own)
  // What comes before the address has no quotes but escaped ones in its texts.
  const start = `"urls":{"app":"${revisionUrl(app, revision.space.doc.id, '')}`
  const at = json.indexOf(start) + start.length
  const dates = ownDates(context, entry)
  const costly = ((own.diagnostics ?? []) as Diagnostic[]).filter((one) => one.code === 'too-costly')
  return {
    page: { before: json.slice(0, at), after: json.slice(at + revision.snapshot.commit.length, -1), costly, dates },
    // Covers name files by IDs, which depend on other pages.
    lasts: own.cover === undefined && (dates !== null || entry.type !== 'document'),
  }
}
