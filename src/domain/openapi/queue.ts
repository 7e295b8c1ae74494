/** Queues the processing of specifications: for a new source, and after the configured interval. */
import { newId } from '../../kernel/ids.js'
import {
  isJob,
  type JobDoc,
  jobOf,
  jobs,
  openApiSpecs,
  type OpenApiSpecDoc,
  openApiVersions,
  spaces,
} from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { eachInOrder } from '../context/in-order.js'

export const PROCESS_OPENAPI = 'process-openapi'
/** Kind of job that finds the spaces with a specification that has a new version. */
export const SPREAD_OPENAPI = 'spread-openapi'
/** Kind of job that creates the revision of a space for a new version. */
export const COMPUTE_REVISION = 'compute-revision'

/**
 * Returns the lane. An organization's jobs run one at a time, so that its slow servers do not delay the specifications
 * of others.
 */
const laneOf = ({ organization }: Pick<OpenApiSpecDoc, 'organization'>): string => `openapi-${organization}`

type SpecificationKey = Pick<Document<OpenApiSpecDoc>, 'id' | 'organization'>

/** Queues a job for a specification, unless one is queued, which will read the source as it is then. */
export async function queueProcessing(app: App, tx: Transaction, spec: SpecificationKey): Promise<boolean> {
  return insertOnce(app, tx, {
    ...jobOf(PROCESS_OPENAPI, { spec: spec.id }),
    lane: laneOf(spec),
    organization: spec.organization,
  })
}

/** Queues the search for the spaces that use the specification with a slug, which has a new version or was deleted. */
export const queueSpreading = (
  app: App,
  tx: Transaction,
  { slug, organization }: Pick<OpenApiSpecDoc, 'slug' | 'organization'>,
): Promise<boolean> =>
  insertOnce(app, tx, {
    ...jobOf(SPREAD_OPENAPI, { organization, slug }),
    lane: `${SPREAD_OPENAPI}-${organization}`,
    organization,
  })

/** Queues the revision of a space that uses the specification with a slug. */
export async function queueComputed(app: App, tx: Transaction, space: string, slug: string): Promise<boolean> {
  const owner = await tx.get(spaces, space)
  const order = { ...jobOf(COMPUTE_REVISION, { space, slug }), lane: `${COMPUTE_REVISION}-${space}` }
  return insertOnce(app, tx, { ...order, ...(owner ? { organization: owner.organization } : {}) })
}

/** Queues a job at the end of its lane, unless an equal job is queued, which will see the state at that time. */
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

/** Removes the queued job of a specification. */
export async function dropProcessing(tx: Transaction, spec: SpecificationKey): Promise<void> {
  for (const job of await tx.find(jobs, 'lane', laneOf(spec)))
    if (job.state === 'queued' && isJob(job, PROCESS_OPENAPI) && job.payload.spec === spec.id)
      await tx.remove(jobs, job.id)
}

/**
 * Queues the specifications with a URL whose last processing is older than the configured interval. Returns their
 * number.
 */
export async function queueRefreshes(app: App): Promise<number> {
  const every = app.settings.specRefreshMs
  if (every === null) return 0
  const before = app.clock.now().getTime() - every
  let queued = 0
  for await (const { id, organization, lastProcessedAt } of eachInOrder(app.store, openApiSpecs, 'refresh')) {
    if (Date.parse(lastProcessedAt ?? '') > before) break
    if (
      await app.store.transact(
        async (tx) => (await tx.get(openApiSpecs, id)) !== null && queueProcessing(app, tx, { id, organization }),
      )
    )
      queued++
  }
  return queued
}

/** Removes the files that no specification or version refers to. Returns their number. */
export function sweepSpecFiles(app: App): Promise<number> {
  return app.specFiles.sweep(
    async (hash) =>
      (await app.store.count(openApiVersions, 'file', hash)) > 0 ||
      (await app.store.count(openApiSpecs, 'text', hash)) > 0,
  )
}
