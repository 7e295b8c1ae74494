/** Requests, finds and queues PDFs of spaces and change requests. */
import { createHash } from 'node:crypto'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import { conflict, notFound, ServiceError } from '../../kernel/errors.js'
import { asOid } from '../../kernel/ids.js'
import {
  changeRequests,
  type JobDoc,
  organizations,
  type SpaceDoc,
  spaces,
  isJob,
  type PdfOrder,
} from '../../model/index.js'
import type { Shelved } from '../../kernel/file-shelf.js'
import type { PrintResult } from '../../printing/index.js'
import type { Document } from '../../store/index.js'
import type { BookFacts } from '../../render/index.js'
import type { App } from '../context/app.js'
import { queueFile } from '../context/queue-file.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { lfsStamp } from '../revisions/lfs-files.js'
import { specStamp } from '../openapi/spec-at.js'
import { isValidLink, type PdfLink, pdfUrl } from './links.js'

/** Version of the layout. Increase it if the same content yields another PDF, so that stored ones are replaced. */
const BOOK_VERSION = 2
/** Maximum number of waiting PDFs per organization and per space. */
const MAX_WAITING = 20
const MAX_WAITING_OF_SPACE = 4

const PRINT_PDF = 'print-pdf'

type PdfRequest = Omit<PdfLink, 'expires' | 'name'>

/**
 * Returns the signed URL of a PDF and starts printing it. If it is already printed, the result includes its
 * diagnostics. Throws 503 if this machine cannot print PDFs.
 */
export async function requestPdf(app: App, request: PdfRequest): Promise<{ url: string; diagnostics?: Diagnostic[] }> {
  const { facts, key, space } = await factsOf(app, request)
  const stored = await app.pdfs.find(request.space, key)
  if (!stored) {
    requireEngine(app)
    // If too many wait, it is queued when its URL is requested.
    await queue(app, space, { ...request, key }).catch((error) => {
      if (!(error instanceof ServiceError)) throw error
    })
  }
  const missing = stored ? diagnosticsOf(stored) : []
  return {
    url: pdfUrl(app, { ...request, name: fileName(facts.title) }),
    ...(missing.length > 0 ? { diagnostics: missing } : {}),
  }
}

function diagnosticsOf({ missingGlyphs }: PrintResult): Diagnostic[] {
  if (missingGlyphs.length === 0) return []
  const shown = missingGlyphs.slice(0, 20).join(' ')
  const message = `No font on the server has these characters, so the PDF lacks them: ${shown}${missingGlyphs.length > 20 ? ' …' : ''}. Install the packages fonts-noto-core, fonts-noto-cjk and fonts-noto-color-emoji.`
  return [{ code: 'missing-glyphs', message }]
}

/**
 * Returns the PDF of a signed URL. Null while it is being printed. Throws 404 if the URL is invalid or has expired, 409
 * with the reason if the PDF cannot be printed, and 503 if this machine cannot print or too many wait.
 */
export async function openPdf(app: App, link: PdfLink, signature: string): Promise<Shelved<PrintResult> | null> {
  if (!isValidLink(app, link, signature)) throw notFound('This PDF')
  const { key, space } = await factsOf(app, link)
  const stored = await app.pdfs.find(link.space, key)
  if (stored) return stored
  requireEngine(app)
  const job = await queue(app, space, { ...link, key })
  if (job.state === 'failed')
    throw conflict(`The PDF could not be printed: ${job.error ?? 'the server log contains the reason.'}`)
  return null
}

function requireEngine(app: App): void {
  const missing = app.printer.missing()
  if (missing !== null) throw new ServiceError('unavailable', missing)
}

/**
 * Returns the facts for the cover, and the key under which the PDF is stored. Throws 404 if the space or the revision
 * is gone.
 */
export async function factsOf(
  app: App,
  request: PdfRequest,
): Promise<{ facts: BookFacts; key: string; space: Document<SpaceDoc> }> {
  const space = await app.store.get(spaces, request.space)
  if (!space || space.deletedAt !== undefined) throw notFound('This PDF')
  const repo = await app.git.open(repositoryName(space.id))
  if (!(await repo.objects.hasCommit(request.revision))) throw notFound('This PDF')
  const { committer } = await repo.objects.commit(asOid(request.revision))
  const organization = await app.store.get(organizations, space.organization)
  const changeRequest =
    request.changeRequest === undefined ? null : await app.store.get(changeRequests, request.changeRequest)
  const facts: BookFacts = {
    title: space.title,
    organization: organization?.title ?? '',
    ...(changeRequest ? { subtitle: `Change request #${changeRequest.number}: ${changeRequest.subject}` } : {}),
    date: new Date(committer.seconds * 1000).toISOString(),
    lang: space.language ?? '',
  }
  // The lock and the head decide which version of a specification is shown.
  const specs = [await specStamp(app, space.organization), space.editMode, repo.refs.head(MAIN) === request.revision]
  const lfs = await lfsStamp(app, space.id)
  const parts = [
    BOOK_VERSION,
    request.revision,
    request.page ?? '',
    request.only === true,
    facts,
    specs,
    ...(lfs === '0' ? [] : [lfs]),
  ]
  return { facts, key: createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40), space }
}

const fileName = (title: string): string =>
  `${
    title
      .replace(/[\p{Cc}/\\:*?"<>|]+/gu, ' ')
      .trim()
      .slice(0, 100) || 'space'
  }.pdf`

/** Queues the job of a PDF unless it is queued, and returns its document. Throws 503 if too many wait. */
function queue(app: App, { organization }: Pick<SpaceDoc, 'organization'>, request: PdfOrder): Promise<JobDoc> {
  const { space, revision, changeRequest, page, only, key } = request
  return queueFile(app, {
    kind: PRINT_PDF,
    id: `print-pdf:${space}:${key}`,
    lane: `print-pdf:${organization}`,
    organization,
    payload: {
      space,
      revision,
      key,
      ...(changeRequest ? { changeRequest } : {}),
      ...(page ? { page } : {}),
      ...(only ? { only } : {}),
    },
    isFull: (waiting) =>
      waiting.length >= MAX_WAITING ||
      waiting.filter((job) => isJob(job, PRINT_PDF) && job.payload.space === space).length >= MAX_WAITING_OF_SPACE,
    full: 'Too many PDFs are being printed. Try again later.',
  })
}
