/** The door of this folder: books in, PDFs out. */
export { PrintFailure } from './failure.js'
export { ORIGIN, type OutlineItem, type Printed, type PrintOrder } from './order.js'
export { createPrinter, type Printer, type PrinterOptions } from './printer.js'
export { type KeptPdf, openShelf, type PdfShelf } from './shelf.js'
