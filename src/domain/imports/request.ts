/** Handles import requests: validates them, queues the import with its job, and waits a limited time for its end. */
import { badRequest, conflict, notFound, ServiceError } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import {
  type ContentImportDoc,
  type ContentImportRequest,
  type ContentImportSource,
  contentImports,
  jobs,
  spaces,
  jobOf,
} from '../../model/index.js'
import { OutboundError } from '../../outbound/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { openRevision } from '../revisions/revisions.js'
import { branchOf, guardOf, type ImportRun } from './commit.js'
import { defined } from '../../kernel/defined.js'
import { cleanTitle } from './read-document.js'
import { archiveUrl } from './source-page.js'

/** Maximum number of queued and running imports per space. */
const MAX_OPEN_IMPORTS = 5
/** Number of imports that are kept per space. */
const MAX_KEPT_IMPORTS = 50

/** The target of an import: the main content or a change request, and optionally a page. */
interface Target {
  space: LoadedSpace
  changeRequest?: LoadedChangeRequest
  page?: string
}

/** A file that was sent with the request. */
interface SentFile {
  name: string
  content: Buffer
}

/** The sources that are a file. */
const OF_FILES: readonly ContentImportSource[] = ['zip', 'docx', 'markdown', 'html', 'notion', 'confluence']
const MAX_NAME = 200

/** An import and the head of its branch. */
interface RequestedImport {
  doc: Document<ContentImportDoc>
  head: string
}

const isOpen = ({ state }: ContentImportDoc): boolean => state === 'queued' || state === 'running'

/**
 * Queues an import and waits until it ends, at most for the configured time. It then continues in the background.
 * Throws 400 if the URL or the file cannot be read, 404 (page), 409 (change request, approvals, too many imports), 423.
 */
export async function requestContentImport(
  app: App,
  actor: Actor,
  target: Target,
  input: ContentImportRequest,
  files: readonly SentFile[],
): Promise<RequestedImport> {
  const from = await originOf(app, input, files)
  const { id, run } = draftOf(app, actor, target, { source: input.source, url: from.url })
  const { ref, start } = await branchOf(run)
  if (target.page !== undefined && !(await openRevision(app, target.space, start)).structure.byId.has(target.page))
    throw notFound('The page')
  const guard = guardOf(run)
  await guard.check()
  if (from.file) run.doc.upload = await keepFile(target.space, from.file)
  await app.store.transact((tx) => enqueue(app, tx, run.doc))
  // An admin's import overrides the rule that merges need approvals. This is decided now and recorded in the audit log
  // of this request.
  guard.moved()
  app.wakes.jobs()
  if (input.wait !== false)
    await app.waits.until(id, app.settings.imports.waitMs, async () => !isOpen(await getImport(app, id)))
  const doc = await getImport(app, id)
  if (doc.problem)
    throw new ServiceError(doc.problem.code, doc.problem.message, doc.problem.paths ? { paths: doc.problem.paths } : {})
  return { doc, head: doc.revision ?? target.space.repo.refs.head(ref) ?? start }
}

async function getImport(app: App, id: string): Promise<Document<ContentImportDoc>> {
  const doc = await app.store.get(contentImports, id)
  if (!doc) throw notFound('The import')
  return doc
}

async function checkUrl(app: App, url: string): Promise<void> {
  try {
    await app.http.check(url)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw badRequest(`The URL cannot be read: ${error.message}`, [{ path: '/url', message: error.message }])
  }
}

/** Returns the address to read, and the file if one was sent. Throws 400. */
async function originOf(
  app: App,
  { url, source }: ContentImportRequest,
  files: readonly SentFile[],
): Promise<{ url: string; file?: SentFile }> {
  const [file, second] = files
  const wrong = (path: string, message: string) => badRequest(`${path.slice(1)} ${message}`, [{ path, message }])
  if (!file) {
    if (url === undefined) throw wrong('/url', 'is required, unless a form contains the file itself.')
    await checkUrl(app, url)
    return { url }
  }
  if (second) throw badRequest(`Send one file. The form has ${files.length}.`)
  if (url !== undefined) throw wrong('/url', 'and a file were sent. Send one of them.')
  if (!OF_FILES.includes(source))
    throw wrong('/source', `"${source}" is read from an address. A file is one of ${OF_FILES.join(', ')}.`)
  if (file.content.length === 0) throw badRequest(`The file "${file.name}" is empty.`)
  const name = cleanTitle(file.name, 'file').slice(0, MAX_NAME)
  return { url: archiveUrl(name), file: { name, content: file.content } }
}

/** Stores a file durably, so that the import survives a restart. */
const keepFile = async ({ repo }: LoadedSpace, { name, content }: SentFile) => ({
  name,
  oid: await repo.objects.writeBlob(content),
})

function draftOf(
  app: App,
  actor: Actor,
  { space, changeRequest, page }: Target,
  input: Pick<ContentImportDoc, 'url' | 'source'>,
): { id: string; run: ImportRun } {
  const id = newId()
  const doc: ContentImportDoc = {
    id,
    space: space.doc.id,
    ...(changeRequest ? { changeRequest: changeRequest.doc.id } : {}),
    ...defined({ page }),
    source: input.source,
    url: input.url,
    state: 'queued',
    stage: 'queued',
    importedResources: 0,
    totalResources: 0,
    failures: [],
    moreFailures: 0,
    requestedBy: actor.user.id,
    createdAt: app.clock.now().toISOString(),
  }
  return { id, run: { app, actor, space, doc } }
}

/** Writes an import and its job. The imports of a space run one at a time, in parallel with its syncs. */
async function enqueue(app: App, tx: Transaction, doc: ContentImportDoc): Promise<void> {
  const before = (await tx.find(contentImports, 'space', doc.space)).sort((a, b) =>
    a.createdAt < b.createdAt ? -1 : 1,
  )
  if (before.filter(isOpen).length >= MAX_OPEN_IMPORTS)
    throw conflict(
      `${MAX_OPEN_IMPORTS} imports into this space are queued or running. Retry when one of them has ended.`,
    )
  for (const old of before.slice(0, Math.max(0, before.length + 1 - MAX_KEPT_IMPORTS)))
    if (!isOpen(old)) await tx.remove(contentImports, old.id)
  await tx.insert(contentImports, doc)
  const lane = `content-import:${doc.space}`
  const space = await tx.get(spaces, doc.space)
  const queued = await tx.find(jobs, 'lane', lane)
  await tx.insert(jobs, {
    id: doc.id,
    ...jobOf('content-import', { import: doc.id }),
    lane,
    ...(space ? { organization: space.organization } : {}),
    state: 'queued',
    sequence: 1 + Math.max(0, ...queued.map(({ sequence }) => sequence)),
    attempts: 0,
    createdAt: app.clock.now().toISOString(),
  })
}

/** Finds the import with this ID in the space, or null. */
export async function findImport(
  app: App,
  space: Pick<LoadedSpace, 'doc'>,
  id: string,
): Promise<Document<ContentImportDoc> | null> {
  const doc = await app.store.get(contentImports, id)
  return doc?.space === space.doc.id ? doc : null
}
