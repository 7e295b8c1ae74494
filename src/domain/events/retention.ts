// Removes what is too old or too much to keep: events, webhook deliveries and audit entries.
import { auditLog, deliveries, events, failedEntries, webhooks } from '../../model/index.js'
import type { Journal } from '../../store/index.js'
import type { App } from '../context/app.js'

const DAY_MS = 24 * 60 * 60 * 1000
/** Documents removed in one transaction, so that other transactions need not wait long. */
const BATCH = 500
/** How many are kept at most, however recent. */
const MAX_KEPT = {
  /** Of one webhook: as many that succeeded, and as many that failed. */
  deliveries: 5_000,
  /** Of one organization: requests that failed or were refused, which anybody can send in any number. */
  failedRequests: 20_000,
}

/** Removes deliveries of a list, oldest first, that were made before a time, or are more than `most`. Returns how many. */
async function removeDeliveries(
  app: App,
  list: string,
  before: string,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  for (let removed = 0; ; ) {
    const { documents, count } = await app.store.page(deliveries, 'created', list, { limit: BATCH, direction: 'asc' })
    const firstKept = documents.findIndex(({ createdAt }, index) => createdAt >= before && index >= count - most)
    const old = firstKept < 0 ? documents : documents.slice(0, firstKept)
    if (old.length > 0) {
      await app.store.transact(async (tx) => {
        for (const { id } of old) await tx.remove(deliveries, id)
      })
    }
    removed += old.length
    if (old.length < BATCH) return removed
  }
}

/** Drops records of a journal's group that are older than `before`, or more than `most`. Returns how many. */
async function dropOld<T extends object>(
  app: App,
  of: Journal<T>,
  group: string,
  before: string,
  most: number,
): Promise<number> {
  const { next } = await app.store.extent(of, group)
  const { records } = await app.store.read(of, group, { direction: 'asc', limit: 1, from: before })
  return app.store.drop(of, group, Math.max(records[0]?.position ?? next, next - most))
}

/** Removes events, webhook deliveries and audit entries that are too old or too many. Returns how many. Sequences of events go on. */
export async function applyRetention(app: App, most = MAX_KEPT): Promise<number> {
  const now = app.clock.now().getTime()
  const before = (days: number): string => new Date(now - days * DAY_MS).toISOString()
  const [eventsBefore, auditBefore] = [before(app.settings.eventDays), before(app.settings.auditDays)]
  let removed = 0
  for (const organization of await app.store.groups(events)) {
    removed += await dropOld(app, events, organization, eventsBefore, Number.POSITIVE_INFINITY)
  }
  for (const { id } of await app.store.all(webhooks)) {
    removed += await removeDeliveries(app, id, eventsBefore)
    for (const status of ['succeeded', 'failed'])
      removed += await removeDeliveries(app, `${id}/${status}`, eventsBefore, most.deliveries)
  }
  for (const group of await app.store.groups(auditLog)) {
    const isFailed = group.endsWith(failedEntries(''))
    removed += await dropOld(
      app,
      auditLog,
      group,
      auditBefore,
      isFailed ? most.failedRequests : Number.POSITIVE_INFINITY,
    )
  }
  return removed
}
