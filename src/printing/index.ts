/** The entry point of `printing/`: prints books as PDFs. */
export { findEngine } from './find-engine.js'
export { PrintFailure } from './failure.js'
export { ORIGIN, type OutlineItem, type PrintResult, type PrintOrder } from './order.js'
export { type Cards, createCards } from './cards.js'
export { createPrinter, type Printer, type PrinterOptions } from './printer.js'
