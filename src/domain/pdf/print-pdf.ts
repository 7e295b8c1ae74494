/** Prints a PDF in a job. */
import { ServiceError } from '../../kernel/errors.js'
import { PrintFailure } from '../../printing/index.js'
import type { App } from '../context/app.js'
import { repositoryName } from '../context/refs.js'
import { openShown } from '../revisions/computed.js'
import { writeBook } from './book.js'
import { factsOf } from './pdfs.js'
import type { PdfOrder } from '../../model/index.js'
import { asOid } from '../../kernel/ids.js'

/**
 * Prints and stores the PDF of an order, unless it exists. Returns the reason why it cannot be printed, as a sentence,
 * or null. A job that a crash interrupted starts over. Throws if the service is stopping.
 */
export async function printPdf(app: App, job: string, order: PdfOrder): Promise<string | null> {
  if (await app.pdfs.find(order.space, order.key)) return null
  const folder = await app.pdfs.workFolder(job)
  try {
    const { facts, space } = await factsOf(app, order)
    const repo = await app.git.open(repositoryName(space.id))
    const revision = await openShown(
      app,
      { doc: space, role: 'read', repo },
      asOid(order.revision),
      order.changeRequest !== undefined,
    )
    await writeBook(app, revision, folder, order, facts)
    const printed = await app.printer.print(folder)
    await app.pdfs.keep(order.space, order.key, folder, printed)
    const { pages, bytes, peakBytes, missingGlyphs } = printed
    app.log.info(
      { space: space.id, pages, bytes, peakBytes, missingGlyphs: missingGlyphs.length },
      'A PDF was printed.',
    )
    return null
  } catch (error) {
    if (error instanceof PrintFailure && error.kind !== 'closed') return error.message
    if (error instanceof ServiceError && error.status === 404) return error.message
    throw error
  } finally {
    await app.pdfs.discard(folder)
  }
}
