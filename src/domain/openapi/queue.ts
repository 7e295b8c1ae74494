/** Queues the processing of specifications: when one gets a source, and again after the time that the settings say. */
import { newId } from '../../kernel/ids.js'
import { type JobDoc, jobs, openApiSpecs, type OpenApiSpecDoc, openApiVersions } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'

export const PROCESS_OPENAPI = 'process-openapi'

/** The jobs of one organization run one after the other, so that its slow servers hold up nobody else's specifications. */
const laneOf = ({ organization }: Pick<OpenApiSpecDoc, 'organization'>): string => `openapi-${organization}`

type Named = Pick<Document<OpenApiSpecDoc>, 'id' | 'organization'>

/** Queues a job for a specification, unless one waits already: that one will read the source as it is by then. */
export async function queueProcessing(app: App, tx: Transaction, spec: Named): Promise<boolean> {
  const all = await tx.find(jobs, 'lane', laneOf(spec))
  if (all.some((job) => job.state === 'queued' && job.payload.spec === spec.id)) return false
  const sequence = 1 + all.reduce((most, job) => Math.max(most, job.sequence), 0)
  const job: JobDoc = {
    id: newId(),
    kind: PROCESS_OPENAPI,
    lane: laneOf(spec),
    payload: { spec: spec.id },
    state: 'queued',
    sequence,
    attempts: 0,
    createdAt: app.clock.now().toISOString(),
  }
  await tx.insert(jobs, job)
  return true
}

/** Removes the job of a specification that waits. */
export async function dropProcessing(tx: Transaction, spec: Named): Promise<void> {
  for (const job of await tx.find(jobs, 'lane', laneOf(spec))) if (job.state === 'queued' && job.payload.spec === spec.id) await tx.remove(jobs, job.id)
}

/** Queues the specifications given by URL that were last processed longer ago than the settings say. Returns how many. */
export async function queueRefreshes(app: App): Promise<number> {
  const every = app.settings.specRefreshMs
  if (every === null) return 0
  const before = app.clock.now().getTime() - every
  let queued = 0
  for (const { id, organization, source, processingState, lastProcessedAt } of await app.store.all(openApiSpecs)) {
    if (!('url' in source) || processingState !== 'complete' || Date.parse(lastProcessedAt ?? '') > before) continue
    if (await app.store.transact(async (tx) => (await tx.get(openApiSpecs, id)) !== null && queueProcessing(app, tx, { id, organization }))) queued++
  }
  return queued
}

/** Removes the files that no specification and no version names. */
export async function sweepSpecFiles(app: App): Promise<void> {
  await app.specFiles.sweep(
    async (hash) => (await app.store.count(openApiVersions, 'file', hash)) > 0 || (await app.store.count(openApiSpecs, 'text', hash)) > 0,
  )
}
