/** The entry point of `printing/`: prints books as PDFs. */
export { PrintFailure } from './failure.js'
export { ORIGIN, type OutlineItem, type Printed, type PrintOrder } from './order.js'
export { createPrinter, type Printer, type PrinterOptions } from './printer.js'
export { type KeptPdf, openShelf, type PdfShelf } from './shelf.js'
