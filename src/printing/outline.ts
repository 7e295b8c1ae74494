/** The outline of a PDF: the pages and groups of the space, which PDF readers show next to the text. */
import { type PDFArray, type PDFDict, type PDFDocument, PDFHexString, PDFName, PDFNumber, type PDFRef } from 'pdf-lib'
import type { OutlineItem } from './order.js'

/**
 * Adds the outline. `destination` returns the position of an ID. An item without a position points to the first item
 * below it.
 */
export function addOutline(
  book: PDFDocument,
  items: readonly OutlineItem[],
  destination: (anchor: string) => PDFArray | null,
): void {
  const { context } = book
  const root = context.nextRef()
  const dict = context.obj({ Type: 'Outlines' })
  const made = addItems(items, root, dict)
  if (made === 0) return
  dict.set(PDFName.of('Count'), PDFNumber.of(made))
  context.assign(root, dict)
  book.catalog.set(PDFName.of('Outlines'), root)
  book.catalog.set(PDFName.of('PageMode'), PDFName.of('UseOutlines'))

  /** Returns the number of items on this level. The items below them are collapsed. */
  function addItems(list: readonly OutlineItem[], parent: PDFRef, into: PDFDict): number {
    let before: { ref: PDFRef; item: PDFDict } | null = null
    for (const one of list) {
      const ref = context.nextRef()
      const item = context.obj({ Title: PDFHexString.fromText(one.title), Parent: parent })
      const below = addItems(one.items, ref, item)
      if (below > 0) item.set(PDFName.of('Count'), PDFNumber.of(-below))
      const place = placeOf(one)
      if (place) item.set(PDFName.of('Dest'), place)
      if (before) {
        before.item.set(PDFName.of('Next'), ref)
        item.set(PDFName.of('Prev'), before.ref)
      } else into.set(PDFName.of('First'), ref)
      into.set(PDFName.of('Last'), ref)
      context.assign(ref, item)
      before = { ref, item }
    }
    return list.length
  }

  function placeOf({ anchor, items: below }: OutlineItem): PDFArray | null {
    const own = anchor === undefined ? null : destination(anchor)
    if (own) return own
    for (const one of below) {
      const place = placeOf(one)
      if (place) return place
    }
    return null
  }
}
