// Removes events, webhook deliveries and audit entries beyond the limits of age and number.
import { auditLog, deliveries, events, failedEntries, webhooks } from '../../model/index.js'
import type { Journal } from '../../store/index.js'
import type { App } from '../context/app.js'
import { eachInOrder } from '../context/in-order.js'

const DAY_MS = 24 * 60 * 60 * 1000
/** Number of documents removed in one transaction, so that other transactions do not wait long. */
const BATCH = 500
/** Maximum number of stored entries, regardless of age. */
const MAX_KEPT = {
  /** Successful deliveries of one webhook, and as many failed ones. */
  deliveries: 5_000,
  /** Failed and rejected requests of one organization, which anyone can send in any number. */
  failedRequests: 20_000,
}

/** Removes deliveries of a list, oldest first, that are older than `before` or exceed `most`. Returns their number. */
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

/** Removes records of a journal group that are older than `before` or exceed `most`. Returns their number. */
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

/**
 * Removes events, webhook deliveries and audit entries that are too old or too many. Returns their number. The
 * sequences of events continue.
 */
export async function applyRetention(app: App, most = MAX_KEPT): Promise<number> {
  const now = app.clock.now().getTime()
  const before = (days: number): string => new Date(now - days * DAY_MS).toISOString()
  const [eventsBefore, auditBefore] = [before(app.settings.eventDays), before(app.settings.auditDays)]
  let removed = 0
  for (const organization of await app.store.groups(events)) {
    removed += await dropOld(app, events, organization, eventsBefore, Number.POSITIVE_INFINITY)
  }
  for await (const { id } of eachInOrder(app.store, webhooks, 'organization')) {
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
