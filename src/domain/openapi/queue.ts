/** Queues the processing of specifications: when one gets a source, and again after the time that the settings say. */
import { newId } from '../../kernel/ids.js'
import { type JobDoc, jobs, openApiSpecs, type OpenApiSpecDoc, openApiVersions, spaces } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'

export const PROCESS_OPENAPI = 'process-openapi'
/** Looks for the spaces that use a specification, which has a new version. */
export const SPREAD_OPENAPI = 'spread-openapi'
/** Makes the revision of a space that tells of a new version. */
export const COMPUTE_REVISION = 'compute-revision'

/** The jobs of one organization run one after the other, so that its slow servers hold up nobody else's specifications. */
const laneOf = ({ organization }: Pick<OpenApiSpecDoc, 'organization'>): string => `openapi-${organization}`

type SpecificationKey = Pick<Document<OpenApiSpecDoc>, 'id' | 'organization'>

/** Queues a job for a specification, unless one waits already: that one will read the source as it is by then. */
export async function queueProcessing(app: App, tx: Transaction, spec: SpecificationKey): Promise<boolean> {
  return insertOnce(app, tx, {
    kind: PROCESS_OPENAPI,
    lane: laneOf(spec),
    organization: spec.organization,
    payload: { spec: spec.id },
  })
}

/** Queues the search for the spaces that use the specification with a slug, which has a new version or is gone. */
export const queueSpreading = (
  app: App,
  tx: Transaction,
  { slug, organization }: Pick<OpenApiSpecDoc, 'slug' | 'organization'>,
): Promise<boolean> =>
  insertOnce(app, tx, {
    kind: SPREAD_OPENAPI,
    lane: `${SPREAD_OPENAPI}-${organization}`,
    organization,
    payload: { organization, slug },
  })

/** Queues the revision of a space that uses the specification with a slug. */
export async function queueComputed(app: App, tx: Transaction, space: string, slug: string): Promise<boolean> {
  const owner = await tx.get(spaces, space)
  const order = { kind: COMPUTE_REVISION, lane: `${COMPUTE_REVISION}-${space}`, payload: { space, slug } }
  return insertOnce(app, tx, { ...order, ...(owner ? { organization: owner.organization } : {}) })
}

/** Queues a job at the end of its lane, unless the same one waits there already: that one sees what is so by then. */
async function insertOnce(
  app: App,
  tx: Transaction,
  wanted: Pick<JobDoc, 'kind' | 'lane' | 'payload' | 'organization'>,
): Promise<boolean> {
  const all = await tx.find(jobs, 'lane', wanted.lane)
  const same = JSON.stringify(wanted.payload)
  if (all.some((job) => job.state === 'queued' && JSON.stringify(job.payload) === same)) return false
  const sequence = 1 + all.reduce((most, job) => Math.max(most, job.sequence), 0)
  await tx.insert(jobs, {
    ...wanted,
    id: newId(),
    state: 'queued',
    sequence,
    attempts: 0,
    createdAt: app.clock.now().toISOString(),
  })
  return true
}

/** Removes the job of a specification that waits. */
export async function dropProcessing(tx: Transaction, spec: SpecificationKey): Promise<void> {
  for (const job of await tx.find(jobs, 'lane', laneOf(spec)))
    if (job.state === 'queued' && job.payload.spec === spec.id) await tx.remove(jobs, job.id)
}

/** Queues the specifications given by URL that were last processed longer ago than the settings say. Returns how many. */
export async function queueRefreshes(app: App): Promise<number> {
  const every = app.settings.specRefreshMs
  if (every === null) return 0
  const before = app.clock.now().getTime() - every
  let queued = 0
  for (const { id, organization, source, processingState, lastProcessedAt } of await app.store.all(openApiSpecs)) {
    if (!('url' in source) || processingState !== 'complete' || Date.parse(lastProcessedAt ?? '') > before) continue
    if (
      await app.store.transact(
        async (tx) => (await tx.get(openApiSpecs, id)) !== null && queueProcessing(app, tx, { id, organization }),
      )
    )
      queued++
  }
  return queued
}

/** Removes the files that no specification and no version names. Returns how many. */
export function sweepSpecFiles(app: App): Promise<number> {
  return app.specFiles.sweep(
    async (hash) =>
      (await app.store.count(openApiVersions, 'file', hash)) > 0 ||
      (await app.store.count(openApiSpecs, 'text', hash)) > 0,
  )
}
