/** Processes a specification: fetches and reads it, and records a new version if its content changed. */
import { newId } from '../../kernel/ids.js'
import {
  openApiSpecs,
  type OpenApiSpecDoc,
  openApiVersions,
  type OpenApiVersionDoc,
  type SpecError,
  type SpecErrorCode,
} from '../../model/index.js'
import { readSpec, type ReadSpec, type SpecProblem } from '../../openapi/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { emit } from '../events/events.js'
import { FetchFailure, SpecFetch } from './fetching.js'
import { queueSpreading } from './queue.js'
import { defined } from '../../kernel/defined.js'

/** Limits in addition to the time to fetch files. */
const LIMITS = { cpuMs: 30_000, wallMs: 60_000, heapMb: 768 }
/** Number and size of a specification's versions that are kept. The newest is always kept. */
const KEPT_VERSIONS = { count: 100, bytes: 256 * 1024 * 1024 }

type Spec = Document<OpenApiSpecDoc>
/** The changes of an outcome. Undefined validators are removed. */
type Changed = Partial<Omit<OpenApiSpecDoc, 'validators'>> & { validators?: OpenApiSpecDoc['validators'] | undefined }

/** Writes the outcome of a processing, in the transaction that ends its job. */
type SpecOutcome = (tx: Transaction) => Promise<void>

/**
 * Processes a specification with its current source. It may be interrupted at any point and run again. Only the outcome
 * writes, and it writes nothing if `signal` was aborted.
 */
export async function processSpec(app: App, id: string, signal: AbortSignal): Promise<SpecOutcome> {
  // The worker's signal lives as long as the service, so its listeners must end with the job.
  const stop = new AbortController()
  const abort = (): void => stop.abort()
  signal.addEventListener('abort', abort)
  try {
    const spec = await markStarted(app, id)
    return spec && !signal.aborted ? await readNow(app, spec, stop.signal) : async () => {}
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function readNow(app: App, spec: Spec, signal: AbortSignal): Promise<SpecOutcome> {
  const fetches = new SpecFetch(app, signal)
  try {
    if (spec.lastVersion !== undefined && spec.validators && (await fetches.isUnchanged(spec.validators)))
      return outcome(app, spec, async () => ({}))
    const read = await readSource(app, spec, fetches, signal)
    if ('problem' in read) return failed(app, spec, read.problem)
    const files = {
      content: await app.specFiles.write(read.document),
      ...(await writeDerived(app, read)),
    }
    return outcome(app, spec, (tx, stored) =>
      recordVersion(app, tx, stored, { read, files, validators: fetches.validators() }),
    )
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error
    return failed(app, spec, error)
  }
}

/** Records that a new source is being processed. A source that is only refreshed stays `complete`. */
const markStarted = (app: App, id: string): Promise<Spec | null> =>
  app.store.transact(async (tx) => {
    const spec = await tx.get(openApiSpecs, id)
    return spec?.processingState === 'pending'
      ? tx.replace(openApiSpecs, { ...spec, processingState: 'progress' })
      : spec
  })

async function readSource(
  app: App,
  { source, lastVersion }: Spec,
  fetches: SpecFetch,
  signal: AbortSignal,
): Promise<ReadSpec | { problem: SpecProblem }> {
  const root =
    'url' in source ? await fetches.file(source.url) : { body: await app.specFiles.read(source.text), url: null }
  const last = lastVersion === undefined ? null : await app.store.get(openApiVersions, lastVersion)
  const previous = last && (await app.specFiles.read(last.outline))
  return readSpec({ body: root.body, url: root.url, previous }, limitsOf(app), (url) => fetches.file(url), signal)
}

const limitsOf = (app: App) => ({
  ...LIMITS,
  wallMs: LIMITS.wallMs + app.settings.specFetchMs,
  resultBytes: 2 * app.settings.maxSpecBytes,
})

/** Creates the files of a version again from its document. Null if the document cannot be read. */
export async function rebuildFiles(app: App, { content }: Pick<OpenApiVersionDoc, 'content'>): Promise<Derived | null> {
  const nothing = (): Promise<never> =>
    Promise.reject(new FetchFailure('FETCH_ERROR', 'A bundled document refers to no files.'))
  const read = await readSpec(
    { body: await app.specFiles.read(content), url: null, previous: null },
    limitsOf(app),
    nothing,
  )
  return 'problem' in read ? null : writeDerived(app, read)
}

type Derived = Pick<OpenApiVersionDoc, 'outline' | 'parts' | 'partBytes' | 'index'>

const writeDerived = async (app: App, read: ReadSpec): Promise<Derived> => ({
  outline: await app.specFiles.write(read.outline),
  parts: await app.specFiles.write(read.parts),
  partBytes: read.parts.length,
  index: await app.specFiles.write(read.index),
})

/** Records the outcome, unless the specification got another source or was deleted in the meantime. */
const outcome =
  (app: App, spec: Spec, change: (tx: Transaction, stored: Spec) => Promise<Changed>): SpecOutcome =>
  async (tx) => {
    const stored = await tx.get(openApiSpecs, spec.id)
    if (stored?.generation !== spec.generation) return
    const { lastProcessErrorCode: _code, lastProcessError: _error, ...rest } = stored
    const { validators, ...changed } = { validators: rest.validators, ...(await change(tx, stored)) }
    const { validators: _old, ...others } = rest
    await tx.replace(openApiSpecs, {
      ...others,
      ...changed,
      ...(validators ? { validators } : {}),
      processingState: 'complete',
      lastProcessedAt: app.clock.now().toISOString(),
    })
  }

/** Records a failure. The newest version stays. */
function failed(app: App, spec: Spec, problem: SpecProblem | FetchFailure): SpecOutcome {
  const code = (problem.code ?? 'PARSE_ERROR') as SpecErrorCode
  const { file, line, column }: Partial<SpecProblem> = problem
  const error: SpecError = {
    message: problem.message,
    ...defined({ file, line, column }),
  }
  return outcome(app, spec, async () => ({ lastProcessErrorCode: code, lastProcessError: error }))
}

/** Ends a processing that failed because of the service. */
export async function giveUpSpec(app: App, tx: Transaction, id: string, message: string): Promise<void> {
  const spec = await tx.get(openApiSpecs, id)
  if (spec) await failed(app, spec, { message, code: 'FETCH_ERROR' })(tx)
}

interface NewVersion {
  read: ReadSpec
  files: Derived & Pick<OpenApiVersionDoc, 'content'>
  validators: OpenApiSpecDoc['validators']
}

/** Writes a version if its content differs from the newest one. */
async function recordVersion(
  app: App,
  tx: Transaction,
  stored: Spec,
  { read, files, validators }: NewVersion,
): Promise<Changed> {
  const last = stored.lastVersion === undefined ? null : await tx.get(openApiVersions, stored.lastVersion)
  if (last?.content === files.content) {
    // Another release may derive other parts from the same document.
    if (last.parts !== files.parts || last.index !== files.index)
      await tx.replace(openApiVersions, { ...last, ...files })
    return { validators }
  }
  const now = app.clock.now().toISOString()
  const version = await tx.insert(openApiVersions, {
    id: newId(),
    spec: stored.id,
    organization: stored.organization,
    number: (last?.number ?? 0) + 1,
    createdAt: now,
    ...files,
    bytes: read.document.length,
    openapi: read.openapi,
    title: read.title,
    ...(read.changes ? { changes: read.changes } : {}),
  })
  await dropOldVersions(tx, stored.id)
  await queueSpreading(app, tx, stored)
  const subject = { openapiSpec: stored.id }
  await emit(app, tx, {
    type: 'openapi_spec.version_created',
    organization: stored.organization,
    subject,
    data: { slug: stored.slug, version: version.id },
  })
  return { validators, lastVersion: version.id, updatedAt: now }
}

async function dropOldVersions(tx: Transaction, spec: string): Promise<void> {
  const versions = (await tx.find(openApiVersions, 'spec', spec)).sort((a, b) => b.number - a.number)
  let bytes = 0
  for (const [index, version] of versions.entries()) {
    bytes += version.bytes + version.partBytes
    if (index > 0 && (index >= KEPT_VERSIONS.count || bytes > KEPT_VERSIONS.bytes))
      await tx.remove(openApiVersions, version.id)
  }
}
