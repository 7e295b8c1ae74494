/** Joins printed documents to one PDF: page numbers, links between documents, and the outline. */
import { required } from '../kernel/defined.js'
import {
  type PDFContext,
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFHexString,
  PDFName,
  PDFNull,
  PDFNumber,
  type PDFObject,
  type PDFRef,
  PDFString,
} from 'pdf-lib'
import { addOutline } from './outline.js'
import { ORIGIN, type PrintOrder } from './order.js'

/** A position in a printed document: its page from 0, and the point on it. */
interface LinkPosition {
  page: number
  x: number
  y: number
}

/** A printed document with the positions of its elements by ID. */
export interface BookPart {
  pdf: PDFDocument
  places: Map<string, LinkPosition>
}

const numberOf = (object: PDFObject | undefined): number => (object instanceof PDFNumber ? object.asNumber() : 0)

/** Reads a document that Chromium printed. */
export async function readPart(bytes: Uint8Array): Promise<BookPart> {
  const pdf = await PDFDocument.load(bytes, { updateMetadata: false })
  const pages = new Map(pdf.getPages().map((page, index) => [page.ref.toString(), index]))
  const places = new Map<string, LinkPosition>()
  const dests = pdf.catalog.lookup(PDFName.of('Dests'))
  for (const [name, value] of dests instanceof PDFDict ? dests.entries() : []) {
    const target = value instanceof PDFArray ? value : pdf.context.lookup(value)
    if (!(target instanceof PDFArray)) continue
    const page = pages.get(String(target.get(0)))
    if (page !== undefined)
      places.set(decoded(name.decodeText()), { page, x: numberOf(target.lookup(2)), y: numberOf(target.lookup(3)) })
  }
  return { pdf, places }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** A position in the joined document. */
interface Target {
  page: PDFRef
  place: LinkPosition
}

/** Joins printed documents. A single document keeps its accessibility tags; the front matter has none. */
export async function joinParts(
  front: BookPart | null,
  documents: readonly Uint8Array[],
  order: PrintOrder,
): Promise<Uint8Array> {
  const only = documents.length === 1 ? await readPart(required(documents[0])) : null
  const book = only?.pdf ?? (await PDFDocument.create({ updateMetadata: false }))
  const targets = new Map<string, Target>()
  for (const bytes of documents) {
    const part = only ?? (await readPart(bytes))
    const own = part === only
    if (!own) for (const page of await book.copyPages(part.pdf, part.pdf.getPageIndices())) book.addPage(page)
    const from = own ? 0 : book.getPageCount() - part.pdf.getPageCount()
    for (const [id, place] of part.places) targets.set(id, { page: book.getPage(from + place.page).ref, place })
  }
  const fronts = front ? await book.copyPages(front.pdf, front.pdf.getPageIndices()) : []
  for (const [index, page] of fronts.entries()) book.insertPage(index, page)
  relink(book, targets)
  describe(book, order, fronts.length)
  addOutline(book, order.outline, (anchor) => destination(book.context, targets.get(anchor)))
  return book.save({
    useObjectStreams: true,
    objectsPerTick: Number.POSITIVE_INFINITY,
    addDefaultPage: false,
    updateFieldAppearances: false,
  })
}

const destination = (context: PDFContext, target: Target | undefined): PDFArray | null =>
  target ? context.obj([target.page, PDFName.of('XYZ'), target.place.x, target.place.y, PDFNull]) : null

/** Converts links within the book to positions in it. Removes links without a target. */
function relink(book: PDFDocument, targets: ReadonlyMap<string, Target>): void {
  const { context } = book
  for (const page of book.getPages()) {
    const annotations = page.node.Annots()
    for (let at = (annotations?.size() ?? 0) - 1; annotations && at >= 0; at--) {
      const link = annotations.lookup(at)
      if (!(link instanceof PDFDict)) continue
      const ids = idsOf(link)
      if (ids === null) continue
      const found = ids.map((id) => targets.get(id)).find((target) => target !== undefined)
      link.delete(PDFName.of('A'))
      const dest = destination(context, found)
      if (dest) link.set(PDFName.of('Dest'), dest)
      else annotations.remove(at)
    }
  }
  book.catalog.delete(PDFName.of('Dests'))
}

/** Returns the target IDs of a link, the best one first; null if the link leaves the book. */
function idsOf(link: PDFDict): string[] | null {
  const named = link.lookup(PDFName.of('Dest'))
  if (named instanceof PDFName) return [decoded(named.decodeText())]
  const action = link.lookup(PDFName.of('A'))
  const uri = action instanceof PDFDict ? action.lookup(PDFName.of('URI')) : undefined
  if (!(uri instanceof PDFString || uri instanceof PDFHexString)) return null
  const text = uri.decodeText()
  if (!text.startsWith(`${ORIGIN}/`) || !URL.canParse(text)) return null
  const { hash, searchParams } = new URL(text)
  return [decoded(hash.slice(1)), searchParams.get('page') ?? '']
}

/** Sets title, author, language and page numbers (roman numerals for the front matter). */
function describe(book: PDFDocument, { title, author, lang, date }: PrintOrder, fronts: number): void {
  book.setTitle(title, { showInWindowTitleBar: true })
  book.setAuthor(author)
  book.setCreator('Bindery')
  book.setProducer('Bindery')
  book.setCreationDate(new Date(date))
  book.setModificationDate(new Date(date))
  if (lang) book.setLanguage(lang)
  const { context } = book
  const roman = fronts > 0 ? [0, context.obj({ S: PDFName.of('r') })] : []
  book.catalog.set(
    PDFName.of('PageLabels'),
    context.obj({ Nums: context.obj([...roman, fronts, context.obj({ S: PDFName.of('D') })]) }),
  )
}
