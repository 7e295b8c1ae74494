import { auditLog, type DeliveryDoc, deliveries, earlierEvents, events, failedEntries, webhooks } from '../../model/index.js'
import type { Table, Document, Journal } from '../../store/index.js'
import type { App } from '../context/app.js'

const DAY_MS = 24 * 60 * 60 * 1000
/** Documents removed in one transaction, so that nobody waits long for his turn. */
const AT_ONCE = 500
/** How many are kept at most, however young. */
const MOST = {
  /** Of a webhook, that succeeded, and that failed. */
  deliveries: 5_000,
  /** Of an organization, that were refused or failed: who may do nothing must not fill the disk with his attempts. */
  failedRequests: 20_000,
}

/** Removes the first documents of a sorted list as long as they are old, or more than `most`; answers how many. */
async function removeOld<T extends object, O extends string>(
  app: App,
  of: Table<T, string, O>,
  order: O,
  group: string,
  isOld: (document: Document<T>) => boolean,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  for (let removed = 0; ; ) {
    const { documents, count } = await app.store.page(of, order, group, { limit: AT_ONCE, direction: 'asc' })
    const young = documents.findIndex((document, index) => !isOld(document) && index >= count - most)
    const old = young < 0 ? documents : documents.slice(0, young)
    if (old.length > 0) {
      await app.store.transact(async (tx) => {
        for (const { id } of old) await tx.remove(of, id)
      })
    }
    removed += old.length
    if (old.length < AT_ONCE) return removed
  }
}

/** Drops the records of a journal's group that are older than `before`, or more than `most`; answers how many. */
async function dropOld<T extends object>(app: App, of: Journal<T>, group: string, before: string, most: number): Promise<number> {
  const { next } = await app.store.extent(of, group)
  const { records } = await app.store.read(of, group, { direction: 'asc', limit: 1, from: before })
  return app.store.drop(of, group, Math.max(records[0]?.position ?? next, next - most))
}

/** Removes the lists of events of earlier releases none of which is kept any more. */
async function forgetEarlier(app: App, organization: string): Promise<void> {
  const { count, next } = await app.store.extent(events, organization)
  for (const { id, first, ids } of await app.store.find(earlierEvents, 'organization', organization)) {
    if (first + ids.length <= next - count) await app.store.remove(earlierEvents, id)
  }
}

/** Removes events, deliveries and entries of audit logs whose days are over, or that are too many. Sequences of events go on. */
export async function removeWhatIsOver(app: App, most = MOST): Promise<number> {
  const now = app.clock.now().getTime()
  const before = (days: number): string => new Date(now - days * DAY_MS).toISOString()
  const [eventsBefore, auditBefore] = [before(app.settings.eventDays), before(app.settings.auditDays)]
  let removed = 0
  for (const organization of await app.store.groups(events)) {
    removed += await dropOld(app, events, organization, eventsBefore, Number.POSITIVE_INFINITY)
    await forgetEarlier(app, organization)
  }
  for (const { id } of await app.store.all(webhooks)) {
    const isOld = (delivery: DeliveryDoc): boolean => delivery.createdAt < eventsBefore
    removed += await removeOld(app, deliveries, 'created', id, isOld)
    for (const status of ['succeeded', 'failed']) removed += await removeOld(app, deliveries, 'created', `${id}/${status}`, isOld, most.deliveries)
  }
  for (const group of await app.store.groups(auditLog)) {
    const isFailed = group.endsWith(failedEntries(''))
    removed += await dropOld(app, auditLog, group, auditBefore, isFailed ? most.failedRequests : Number.POSITIVE_INFINITY)
  }
  return removed
}
