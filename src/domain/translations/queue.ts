/** Queues runs of translations. */
import { isRepositoryFault } from '../../git/index.js'
import { newId } from '../../kernel/ids.js'
import { isJob, type JobDoc, jobOf, jobs, spaces, translations, type TranslationDoc } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { headNow } from '../context/head-now.js'
import { eachInOrder } from '../context/in-order.js'
import { MAIN } from '../context/refs.js'

export const TRANSLATE = 'translate'

const laneOf = (id: string): string => `translation-${id}`

/**
 * Queues a run, unless one is queued, which will read the source as it is then. A requested run replaces a queued
 * automatic one.
 */
export async function queueRun(
  app: App,
  tx: Transaction,
  { id, organization }: Pick<TranslationDoc, 'id' | 'organization'>,
  by: string,
  automatic: boolean,
): Promise<void> {
  const all = await tx.find(jobs, 'lane', laneOf(id))
  const queued = all.find((job) => job.state === 'queued')
  const order = jobOf(TRANSLATE, { translation: id, by, automatic })
  if (queued) {
    if (!automatic && isJob(queued, TRANSLATE) && queued.payload.automatic)
      await tx.replace(jobs, { ...queued, ...order })
    return
  }
  const job: JobDoc = {
    id: newId(),
    ...order,
    lane: laneOf(id),
    organization,
    state: 'queued',
    sequence: 1 + all.reduce((most, one) => Math.max(most, one.sequence), 0),
    attempts: 0,
    createdAt: app.clock.now().toISOString(),
  }
  await tx.insert(jobs, job)
  const stored = await tx.get(translations, id)
  if (stored && stored.status !== 'running') await tx.replace(translations, { ...stored, status: 'pending' })
}

/** Whether a run is queued. */
export const isQueued = async (tx: Transaction, id: string): Promise<boolean> =>
  (await tx.find(jobs, 'lane', laneOf(id))).some(({ state }) => state === 'queued')

/** Removes the queued run. */
export async function dropRun(tx: Transaction, id: string): Promise<void> {
  for (const job of await tx.find(jobs, 'lane', laneOf(id))) if (job.state === 'queued') await tx.remove(jobs, job.id)
}

/** Queues automatic runs for the translations of a space whose main moved since the last run. Returns their number. */
export async function queueAutomatic(app: App, space: string): Promise<number> {
  let queued = 0
  for (const one of await app.store.find(translations, 'source', space)) {
    if (!(await isDue(app, one))) continue
    await app.store.transact(async (tx) => {
      const stored = await tx.get(translations, one.id)
      if (stored?.automatic && stored.automaticBy !== undefined)
        await queueRun(app, tx, stored, stored.automaticBy, true)
    })
    queued++
  }
  if (queued > 0) app.wakes.jobs()
  return queued
}

async function isDue(app: App, one: Document<TranslationDoc>): Promise<boolean> {
  return (
    one.automatic !== undefined &&
    one.automaticBy !== undefined &&
    (await headNow(app, one.source.space, MAIN)) !== (one.seen ?? null)
  )
}

/** Queues automatic runs for all spaces, to catch up after the service was stopped. Returns their number. */
export async function queueAllAutomatic(app: App): Promise<number> {
  let queued = 0
  let last: string | undefined
  for await (const { source } of eachInOrder(app.store, translations, 'automatic')) {
    const { space } = source
    if (space === last) continue
    last = space
    if (!(await app.store.get(spaces, space))) continue
    queued += await queueAutomatic(app, space).catch((error: unknown) => {
      // A damaged repository must not stop the translations of other spaces.
      if (!isRepositoryFault(error)) throw error
      return 0
    })
  }
  return queued
}
