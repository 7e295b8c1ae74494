/** The job that prints a PDF. */
import type { PdfOrder } from '../domain/pdf/pdfs.js'
import { printPdf } from '../domain/pdf/print-pdf.js'
import type { JobKind } from './job-kind.js'
import { queues } from './queues.js'

/** Prints a PDF. */
export const pdf: JobKind<PdfOrder> = {
  kind: 'print-pdf',
  queue: queues.pdf,
  async run(app, job) {
    const error = await printPdf(app, job.id, job.payload)
    return error === null ? {} : { error }
  },
  failed: (_app, _job, error) => ({ error }),
}
