/** Selects the pages of a PDF as readers see them in the table of contents. */
import type { DocumentEntry, GeneratedEntry, PageEntry } from '../../content/types.js'
import { gateFor, type VisitorContext, type VisitorPage } from '../../access/index.js'
import { notFound } from '../../kernel/errors.js'
import type { KnownPage } from '../context/content-cache.js'
import { visitorPageOf } from '../sites/visitor-pages.js'

/** The scope of a PDF. */
export interface PdfChoice {
  /** ID of a page, which is printed with its subpages. Absent = the whole space. */
  page?: string
  /** Whether to print the page without its subpages. */
  only?: boolean
}

/** A page with text. */
export type PrintedEntry = DocumentEntry | GeneratedEntry

/** A page or group to print. */
export type Chosen =
  | { type: 'group'; id: string; title: string; pages: Chosen[] }
  | { type: 'page'; entry: PrintedEntry; pages: Chosen[] }

/** An unknown reader. No condition is true, since a PDF may be passed on. */
const anyReader: VisitorContext = {
  published: true,
  visibility: 'public',
  shareKey: false,
  token: false,
  holds: () => false,
}

type KnownPageLookup = (entry: DocumentEntry) => KnownPage | undefined

/**
 * Selects the pages that the visitor gate lists for an unknown reader. Hidden pages, pages with a condition and drafts
 * are omitted with their subpages. Links have no text. A page that is requested by ID is always printed, since the
 * caller's access was checked before.
 */
export function choosePages(pages: readonly PageEntry[], known: KnownPageLookup, { page, only }: PdfChoice): Chosen[] {
  if (page === undefined) return visible(pages, known)
  const entry = find(pages, page)
  if (!entry) return choosePlace(generatedBy(pages, page), known, page, only)
  const below = only ? [] : visible(entry.pages, known)
  if (entry.type === 'document' || entry.type === 'generated') return [{ type: 'page', entry, pages: below }]
  return [{ type: 'group', id: entry.id, title: entry.title, pages: below }]
}

/** Selects the pages that replace a computed entry without a title. */
function choosePlace(
  generated: readonly GeneratedEntry[],
  known: KnownPageLookup,
  page: string,
  only = false,
): Chosen[] {
  const [first] = generated
  if (!first) throw notFound(`Page ${page}`)
  return only ? [{ type: 'group', id: page, title: first.shown.spec, pages: [] }] : visible(generated, known)
}

const generatedBy = (pages: readonly PageEntry[], id: string): GeneratedEntry[] =>
  pages.flatMap((entry) => {
    if (entry.type !== 'generated') return generatedBy(entry.pages, id)
    return entry.key.startsWith(`${id}\0`) ? [entry] : []
  })

function visible(
  pages: readonly PageEntry[],
  known: KnownPageLookup,
  sees = gateFor(anyReader),
  within?: VisitorPage,
): Chosen[] {
  return pages.flatMap((entry): Chosen[] => {
    const gatedPage = visitorPageOf(entry, entry.type === 'document' ? known(entry) : undefined, within)
    if (!sees(gatedPage, 'list')) return []
    const below = visible(entry.pages, known, sees, gatedPage)
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

/** Iterates over all selected pages in order. */
export function* eachChosen(chosen: readonly Chosen[]): Generator<PrintedEntry> {
  for (const one of chosen) {
    if (one.type === 'page') yield one.entry
    yield* eachChosen(one.pages)
  }
}
