/** PDFs of spaces and change requests: asked for, waited for, fetched. */
import { createHash } from 'node:crypto'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import { conflict, notFound, ServiceError } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import { changeRequests, type JobDoc, jobs, organizations, type SpaceDoc, spaces } from '../../model/index.js'
import type { CachedPdf } from '../../printing/index.js'
import type { Document } from '../../store/index.js'
import type { BookFacts } from '../../render/index.js'
import type { App } from '../context/app.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { lfsStamp } from '../revisions/lfs-files.js'
import { specStamp } from '../openapi/spec-at.js'
import { isValidLink, type PdfLink, pdfUrl } from './links.js'

/** Increases if the same content makes another PDF: those that are kept are then made anew. */
const BOOK_VERSION = 2
/** Maximum number of PDFs that wait, for one organization and for one space. */
const MAX_WAITING = 20
const MAX_WAITING_OF_SPACE = 4
/** A PDF that could not be made is tried again when somebody asks for it after this time. */
const AGAIN_MS = 10 * 60 * 1000

/** What the job that makes a PDF is told. */
export type PdfOrder = Pick<PdfLink, 'space' | 'revision' | 'changeRequest' | 'page' | 'only'> & { key: string }

type PdfRequest = Omit<PdfLink, 'expires' | 'name'>

/**
 * The signed address of a PDF, which is begun to be made, and what is wrong with it if it has been made.
 * Throws 503 if this machine cannot make any.
 */
export async function requestPdf(app: App, wanted: PdfRequest): Promise<{ url: string; diagnostics?: Diagnostic[] }> {
  const { facts, key, space } = await factsOf(app, wanted)
  const kept = await app.pdfs.find(wanted.space, key)
  if (!kept) {
    requireEngine(app)
    // If too many wait, it is queued when its address is fetched.
    await queue(app, space, { ...wanted, key }).catch((error) => {
      if (!(error instanceof ServiceError)) throw error
    })
  }
  const missing = kept ? diagnosticsOf(kept) : []
  return {
    url: pdfUrl(app, { ...wanted, name: fileName(facts.title) }),
    ...(missing.length > 0 ? { diagnostics: missing } : {}),
  }
}

function diagnosticsOf({ missingGlyphs }: CachedPdf): Diagnostic[] {
  if (missingGlyphs.length === 0) return []
  const shown = missingGlyphs.slice(0, 20).join(' ')
  const message = `No font on the server has these characters, and they are missing in the PDF: ${shown}${missingGlyphs.length > 20 ? ' …' : ''}. Install the packages fonts-noto-core, fonts-noto-cjk and fonts-noto-color-emoji.`
  return [{ code: 'missing-glyphs', message }]
}

/**
 * The PDF of a signed address; null while it is being made. Throws 404 if the address is not valid or has expired, 409 with the
 * reason if the PDF cannot be made, 503 if this machine cannot make any or too many wait.
 */
export async function openPdf(app: App, link: PdfLink, signature: string): Promise<CachedPdf | null> {
  if (!isValidLink(app, link, signature)) throw notFound('This PDF')
  const { key, space } = await factsOf(app, link)
  const kept = await app.pdfs.find(link.space, key)
  if (kept) return kept
  requireEngine(app)
  const job = await queue(app, space, { ...link, key })
  if (job.state === 'failed')
    throw conflict(`The PDF could not be made: ${job.error ?? 'the reason is in the log of the server.'}`)
  return null
}

function requireEngine(app: App): void {
  const missing = app.printer.missing()
  if (missing !== null) throw new ServiceError('unavailable', missing)
}

/** What is printed on the cover, and the key under which the PDF is kept. Throws 404 if the space or the revision is gone. */
export async function factsOf(
  app: App,
  wanted: PdfRequest,
): Promise<{ facts: BookFacts; key: string; space: Document<SpaceDoc> }> {
  const space = await app.store.get(spaces, wanted.space)
  if (!space || space.deletedAt !== undefined) throw notFound('This PDF')
  const repo = await app.git.open(repositoryName(space.id))
  if (!(await repo.hasCommit(wanted.revision))) throw notFound('This PDF')
  const { committer } = await repo.commit(wanted.revision as CommitId)
  const organization = await app.store.get(organizations, space.organization)
  const request = wanted.changeRequest === undefined ? null : await app.store.get(changeRequests, wanted.changeRequest)
  const facts: BookFacts = {
    title: space.title,
    organization: organization?.title ?? '',
    ...(request ? { subtitle: `Change request #${request.number}: ${request.subject}` } : {}),
    date: new Date(committer.seconds * 1000).toISOString(),
    lang: space.language ?? '',
  }
  // Which version of a specification is shown depends on the lock and on what is the head.
  const specs = [await specStamp(app, space.organization), space.editMode, repo.head(MAIN) === wanted.revision]
  const lfs = await lfsStamp(app, space.id)
  const parts = [
    BOOK_VERSION,
    wanted.revision,
    wanted.page ?? '',
    wanted.only === true,
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

/** Queues the job of a PDF unless it is queued; returns its document. Throws 503 if too many wait. */
async function queue(app: App, { organization }: Pick<SpaceDoc, 'organization'>, wanted: PdfOrder): Promise<JobDoc> {
  const { space, revision, changeRequest, page, only, key } = wanted
  const lane = `print-pdf:${organization}`
  const id = `print-pdf:${space}:${key}`
  const order = {
    space,
    revision,
    key,
    ...(changeRequest ? { changeRequest } : {}),
    ...(page ? { page } : {}),
    ...(only ? { only } : {}),
  }
  const before = await app.store.get(jobs, id)
  if (before && !isOver(app, before)) return before
  const queued = await app.store.transact(async (tx) => {
    const now = app.clock.now()
    const known = await tx.get(jobs, id)
    if (known && !isOver(app, known)) return known
    const waiting = (await tx.find(jobs, 'lane', lane)).filter(
      (job) => job.state === 'queued' || job.state === 'running',
    )
    if (
      waiting.length >= MAX_WAITING ||
      waiting.filter((job) => job.payload['space'] === space).length >= MAX_WAITING_OF_SPACE
    )
      throw new ServiceError('unavailable', 'Too many PDFs are being made. Try again later.', {
        headers: { 'Retry-After': '30' },
      })
    const job = {
      id,
      kind: 'print-pdf',
      lane,
      organization,
      payload: order,
      state: 'queued' as const,
      sequence: now.getTime(),
      attempts: 0,
      createdAt: now.toISOString(),
    }
    return known ? tx.replace(jobs, { ...job, version: known.version }) : tx.insert(jobs, job)
  })
  app.wakeJobs()
  return queued
}

/** Whether a job is over, so that asking again begins it anew: it is done (and its file was dropped), or failed a while ago. */
function isOver(app: App, job: JobDoc): boolean {
  if (job.state === 'done') return true
  return job.state === 'failed' && app.clock.now().getTime() - Date.parse(job.finishedAt ?? '') > AGAIN_MS
}
