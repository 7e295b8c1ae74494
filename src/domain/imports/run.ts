/** Runs an import: reads its source, writes one commit, and records the outcome. */
import { ChangeError } from '../../content/edit/change-error.js'
import { TextTooCostly } from '../../content/work/text-work.js'
import { EMPTY_TREE } from '../../git/index.js'
import { ServiceError } from '../../kernel/errors.js'
import { type ContentImportDoc, contentImports, type ImportProblem, spaces, users } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { repositoryName } from '../context/refs.js'
import { branchOf, commitImport, earlierCommit, guardedRun, guardOf, type ImportRun } from './commit.js'
import { ImportRefused, ResourceFailure } from './failure.js'
import { gather } from './gather.js'
import { Gathering, type Progress } from './gathering.js'
import { shownUrl, withoutQuery } from './shown-url.js'
import { allPages } from './source-page.js'
import { isOneOf } from '../../kernel/guards.js'

/** The outcome of a run. */
type ImportEnd = Partial<
  Pick<ContentImportDoc, 'revision' | 'problem' | 'importedResources' | 'totalResources' | 'failures' | 'moreFailures'>
>

const CODES = ['bad-request', 'forbidden', 'not-found', 'conflict', 'too-large', 'locked'] as const

/** Converts the error that ended an import to the problem that its request reports. Null if the error is unexpected. */
function problemOf(error: unknown): ImportProblem | null {
  if (error instanceof ImportRefused || error instanceof ResourceFailure || error instanceof ChangeError)
    return { code: 'bad-request', message: error.message }
  if (error instanceof TextTooCostly)
    return { code: 'too-large', message: `A page is too large for this import. ${error.message}` }
  if (!(error instanceof ServiceError) || !isOneOf(CODES, error.code)) return null
  return {
    code: error.code,
    message: error.message,
    ...(error.extra.paths ? { paths: error.extra.paths } : {}),
  }
}

/** Opens the space of an import for its user. Throws 404 if there is none. */
async function openRun(app: App, id: string): Promise<ImportRun> {
  const doc = await app.store.get(contentImports, id)
  const space = doc && (await app.store.get(spaces, doc.space))
  const user = doc && (await app.store.get(users, doc.requestedBy))
  if (!doc || !space || space.deletedAt !== undefined) throw new ImportRefused('The space was deleted.')
  if (!user) throw new ImportRefused('The user who requested the import was deleted.')
  return {
    app,
    doc,
    space: { doc: space, role: 'edit', repo: await app.git.open(repositoryName(space.id)) },
    actor: { user, token: { id: 'job', readOnly: false } },
  }
}

/** Reads the file that was sent with the request of an import; null if it names an address. */
async function sentFile({ space, doc: { upload } }: ImportRun): Promise<{ name: string; content: Uint8Array } | null> {
  return upload ? { name: upload.name, content: await space.repo.objects.tree(EMPTY_TREE).read(upload.oid) } : null
}

/**
 * Runs an import. After a crash, a new run finds the completed steps and continues. Throws unexpected errors and
 * `Interrupted`.
 */
export async function runImport(app: App, id: string, signal: AbortSignal): Promise<ImportEnd> {
  let gathering: Gathering | undefined
  let url = ''
  try {
    const run = await openRun(app, id)
    url = run.doc.url
    const done = await earlierCommit(run)
    if (done !== null) return { revision: done }
    await change(app, id, (doc) => ({ ...doc, state: 'running', stage: 'reading' }))
    // Check the permission before reading, so that a user without it gets the reason at once.
    await branchOf(run)
    await guardOf(guardedRun(run)).check()
    const { source } = run.doc
    gathering = new Gathering(app, { space: run.space, url, source, file: await sentFile(run) }, signal, (progress) =>
      reportProgress(app, id, progress),
    )
    const gathered = await gather(gathering)
    const imported =
      allPages(gathered.pages).filter(({ isFolder }) => !isFolder).length +
      new Set([...gathered.files.values()].map(({ digest }) => digest)).size
    const counts = { importedResources: imported, totalResources: imported + gathering.failed }
    const failures = { failures: gathering.failures, moreFailures: gathering.moreFailures }
    // Store the counts now, since a run after a crash cannot determine them again.
    await change(app, id, (doc) => ({ ...doc, ...counts, ...failures, stage: 'writing' }))
    const revision = await commitImport(run, gathered, counts)
    return { ...counts, ...failures, revision }
  } catch (error) {
    const problem = problemOf(error)
    if (problem === null) throw error
    return {
      problem: { ...problem, message: withoutQuery(url, problem.message) },
      ...(gathering ? { failures: gathering.failures, moreFailures: gathering.moreFailures } : {}),
    }
  }
}

const reportProgress = (app: App, id: string, progress: Progress): Promise<void> =>
  change(app, id, (doc) => ({ ...doc, ...progress }))

async function change(app: App, id: string, update: (doc: ContentImportDoc) => ContentImportDoc): Promise<void> {
  await app.store.transact(async (tx) => {
    const doc = await tx.get(contentImports, id)
    if (doc) await tx.replace(contentImports, { ...doc, ...update(doc) })
  })
}

/** Records the outcome of an import in the transaction that ends its job. */
export async function writeImportEnd(app: App, tx: Transaction, id: string, end: ImportEnd): Promise<void> {
  const doc = await tx.get(contentImports, id)
  if (!doc) return
  const finishedAt = app.clock.now().toISOString()
  const failed = end.problem !== undefined
  await tx.replace(contentImports, {
    ...doc,
    ...end,
    ...(failed ? { importedResources: 0 } : {}),
    url: shownUrl(doc.url),
    state: failed ? 'failed' : 'completed',
    stage: 'done',
    finishedAt,
  })
  const space = await tx.get(spaces, doc.space)
  if (space && !failed && doc.changeRequest === undefined) await tx.replace(spaces, { ...space, updatedAt: finishedAt })
}
