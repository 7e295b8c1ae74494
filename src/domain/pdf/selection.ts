/** Which pages are in a PDF, as readers see them in the table of contents. */
import type { DocumentEntry, GeneratedEntry, PageEntry } from '../../content/types.js'
import { gateFor, type VisitorContext, type VisitorPage } from '../../access/index.js'
import { notFound } from '../../kernel/errors.js'
import type { KnownPage } from '../context/content-cache.js'
import { visitorPageOf } from '../sites/visitor-pages.js'

/** What a PDF is made of. */
export interface PdfChoice {
  /** ID of a page: that page with its subpages. Absent = the whole space. */
  page?: string
  /** The page alone. */
  only?: boolean
}

/** A page with text. */
export type PrintedEntry = DocumentEntry | GeneratedEntry

/** A page or group that is printed. */
export type Chosen =
  | { type: 'group'; id: string; title: string; pages: Chosen[] }
  | { type: 'page'; entry: PrintedEntry; pages: Chosen[] }

/** Somebody of whom nothing is known, so that no condition holds: a PDF is passed on. */
const anyReader: VisitorContext = {
  published: true,
  visibility: 'public',
  shareKey: false,
  token: false,
  holds: () => false,
}

type KnownPageLookup = (entry: DocumentEntry) => KnownPage | undefined

/**
 * The pages that are printed: those that the gate lists for somebody of whom nothing is known. So hidden pages, pages with a
 * condition and drafts are left out with all that is below them; links have no text. A page that is
 * asked for by its ID is printed in any case: whether the caller may read it was decided before.
 */
export function choosePages(pages: readonly PageEntry[], known: KnownPageLookup, { page, only }: PdfChoice): Chosen[] {
  if (page === undefined) return visible(pages, known)
  const entry = find(pages, page)
  if (!entry) return choosePlace(yieldedBy(pages, page), known, page, only)
  const below = only ? [] : visible(entry.pages, known)
  if (entry.type === 'document' || entry.type === 'generated') return [{ type: 'page', entry, pages: below }]
  return [{ type: 'group', id: entry.id, title: entry.title, pages: below }]
}

/** The pages that stand in the place of a computed entry without a title. */
function choosePlace(yielded: readonly GeneratedEntry[], known: KnownPageLookup, page: string, only = false): Chosen[] {
  const [first] = yielded
  if (!first) throw notFound(`Page ${page}`)
  return only ? [{ type: 'group', id: page, title: first.shown.spec, pages: [] }] : visible(yielded, known)
}

const yieldedBy = (pages: readonly PageEntry[], id: string): GeneratedEntry[] =>
  pages.flatMap((entry) => {
    if (entry.type !== 'generated') return yieldedBy(entry.pages, id)
    return entry.key.startsWith(`${id}\0`) ? [entry] : []
  })

function visible(
  pages: readonly PageEntry[],
  known: KnownPageLookup,
  sees = gateFor(anyReader),
  within?: VisitorPage,
): Chosen[] {
  return pages.flatMap((entry): Chosen[] => {
    const asked = visitorPageOf(entry, entry.type === 'document' ? known(entry) : undefined, within)
    if (!sees(asked, 'list')) return []
    const below = visible(entry.pages, known, sees, asked)
    if (entry.type === 'document' || entry.type === 'generated') return [{ type: 'page', entry, pages: below }]
    return below.length === 0 ? [] : [{ type: 'group', id: entry.id, title: entry.title, pages: below }]
  })
}

function find(pages: readonly PageEntry[], id: string): PageEntry | null {
  for (const entry of pages) {
    const found = entry.id === id ? entry : find(entry.pages, id)
    if (found) return found
  }
  return null
}

/** All pages that were chosen, in order. */
export function* eachChosen(chosen: readonly Chosen[]): Generator<PrintedEntry> {
  for (const one of chosen) {
    if (one.type === 'page') yield one.entry
    yield* eachChosen(one.pages)
  }
}
