/** Turns pages and their subpages into JSON, and reuses the JSON of pages that have not changed. */
import type { PageEntry } from '../../content/types.js'
import { pageAddress } from '../../domain/context/app-addresses.js'
import type { BlockChanges, FileDates, PresentedPage, PresentedTree } from '../../domain/context/content-cache.js'
import { datesOf } from '../../domain/revisions/page-dates.js'
import { eachDocument, knownPages } from '../../domain/revisions/revisions.js'
import { structureNumber } from '../../domain/revisions/structures.js'
import { ofTree } from '../../domain/revisions/weights.js'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import { RawJson, asSerialized } from '../../kernel/raw-json.js'
import { eachInSlices, inSlices, Slices } from '../../kernel/slices.js'
import type { Format, Page, PageBlockChanges } from '../../model/index.js'
import { type PageContext, presentOwn } from './present-page.js'
import { spaceStamp } from './validators.js'

/** Returns one page with its subpages. It has content only if there is a `format`, and only for the page itself. */
export async function presentPage(context: PageContext, entry: PageEntry, format?: Format): Promise<Page> {
  const { json } = await presentPages(context, entry.pages)
  return { ...(await presentOwn(context, entry, format)), pages: json }
}

/** Pages of a tree as JSON, and diagnostics for pages that are too costly to parse. */
interface PresentedPages {
  json: Page[]
  costly: Diagnostic[]
}

/**
 * Returns the pages of a tree, in order, without their content. Large trees are written in slices, so that other
 * requests can run in between.
 */
export async function presentPages(context: PageContext, entries: readonly PageEntry[]): Promise<PresentedPages> {
  if (entries.length === 0) return { json: [], costly: [] }
  const known = entries === context.revision.structure.pages ? knownTree(context) : null
  await readDocuments(context, entries, known)
  const slices = new Slices()
  const costly: Diagnostic[] = []
  const done: Buffer[] = []
  let parts: string[] = []
  const lasting = new Map<string, PresentedPage>()
  let isNew = false
  const write = async (list: readonly PageEntry[]): Promise<void> => {
    parts.push('[')
    for (const [index, entry] of list.entries()) {
      const same = knownPage(context, known, entry)
      const { page, lasts } = same ? { page: same, lasts: true } : await makePage(context, entry)
      isNew ||= !same && lasts
      if (lasts) lasting.set(entry.id, page)
      costly.push(...page.costly)
      parts.push(index === 0 ? '' : ',', page.before, addressOf(context, entry), page.after, ',"pages":')
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
  return { json: asSerialized(new RawJson([...done, Buffer.from(parts.join(''))])), costly }
}

/** Reads the files of the pages that have to be presented again. */
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

/** Returns the presented pages from the last call if structure and settings are the same; else an empty tree. */
function knownTree(context: PageContext): PresentedTree {
  const { app, revision } = context
  const [structure, stamp] = [structureNumber(revision.structure), spaceStamp(revision.space.doc)]
  const known = app.content.trees.get(keyOf(context))
  return known?.structure === structure && known.stamp === stamp ? known : { structure, stamp, pages: new Map() }
}

const ownDates = ({ dates }: PageContext, entry: PageEntry): FileDates | null =>
  entry.type === 'document' ? (datesOf(dates, entry.gitPath) ?? null) : null

/**
 * Returns a page from an earlier call if its file is unchanged: a commit that changes a file creates new dates for it.
 */
function knownPage(context: PageContext, known: PresentedTree | null, entry: PageEntry): PresentedPage | undefined {
  const page = known?.pages.get(entry.id)
  return page && page.dates === ownDates(context, entry) ? page : undefined
}

const addressOf = ({ app, revision, version }: PageContext, { id }: PageEntry): string =>
  pageAddress(app, revision.space.doc.id, id, version)

/** Presents a page. `lasts` = the result is valid as long as its file and the structure are unchanged. */
async function makePage(context: PageContext, entry: PageEntry): Promise<{ page: PresentedPage; lasts: boolean }> {
  const own = await presentOwn(context, entry)
  const json = JSON.stringify(own)
  // Texts before the URL only contain escaped quotes, so the first match is the URL.
  const start = '"urls":{"app":"'
  const address = addressOf(context, entry)
  const at = json.indexOf(start + address) + start.length
  const dates = ownDates(context, entry)
  const costly = ((own.diagnostics ?? []) as Diagnostic[]).filter((one) => one.code === 'too-costly')
  return {
    page: { before: json.slice(0, at), after: json.slice(at + address.length, -1), costly, dates },
    // Covers name files by ID, and these IDs depend on other pages.
    lasts: own.cover === undefined && (dates !== null || entry.type !== 'document'),
  }
}

/** Presents the last changes of the blocks of a page, with the changes in one list. */
export function presentBlockChanges({ blocks, changes }: BlockChanges): (typeof PageBlockChanges)['static'] {
  const numbers = Object.keys(changes)
    .map(Number)
    .sort((a, b) => a - b)
  return {
    object: 'block-changes',
    blocks: blocks.map((number) => numbers.indexOf(number)),
    changes: numbers.flatMap((number) => {
      const change = changes[number]
      return change === undefined
        ? []
        : [{ revision: change.commit, createdAt: new Date(change.seconds * 1000).toISOString(), author: change.author }]
    }),
  }
}
