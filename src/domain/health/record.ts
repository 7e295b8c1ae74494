/** Stores the counts of readers and of broken links by day, and removes old ones. */
import {
  lastDayOf,
  sitePageReads,
  type SiteDayDoc,
  type SiteDoc,
  siteDays,
  sites,
  siteSpacesOf,
  spaces,
} from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { eachInOrder, removeFirst } from '../context/in-order.js'
import { isNothing, type SiteCounts } from '../context/reader-counts.js'
import { repositoryName } from '../context/refs.js'
import { LinkReport } from '../links/report.js'
import { openMain } from '../revisions/main-content.js'

/** Days that counts of a site, and reads of a page, are kept. */
const KEPT_DAYS = 400
export const PAGE_DAYS = 90
/** Maximum number of texts of a kind on one day. The most frequent ones are kept. */
const MAX_TEXTS = 100
/** Maximum number of pages that one transaction writes. */
const PAGES_PER_WRITE = 200

/** Returns a day in UTC, such as `2026-11-27`. @param before number of days before today */
export const dayOf = ({ clock }: Pick<App, 'clock'>, before = 0): string =>
  new Date(clock.now().getTime() - before * 86_400_000).toISOString().slice(0, 10)

const emptyDay = (site: string, day: string): SiteDayDoc => ({
  id: `${site}:${day}`,
  site,
  day,
  reads: 0,
  searches: 0,
  emptySearches: 0,
  missing: 0,
  redirected: 0,
  brokenLinks: null,
  texts: { searches: {}, missing: {}, redirected: {} },
})

/** Adds counts by text, and keeps the most frequent texts. */
export function addTexts(to: Readonly<Record<string, number>>, more: Iterable<[string, number]>): [string, number][] {
  const sums = new Map(Object.entries(to))
  for (const [text, count] of more) sums.set(text, (sums.get(text) ?? 0) + count)
  return [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MAX_TEXTS)
}

/** Writes the counts since the last call. @param all also searches that may still be typed */
export async function storeCounts(app: App, { all = false } = {}): Promise<void> {
  for (const [site, counts] of app.readers.take(all)) {
    if (isNothing(counts)) continue
    const day = dayOf(app)
    await app.store.transact((tx) => addToDay(tx, site, day, counts))
    const pages = [...counts.pages]
    for (let at = 0; at < pages.length; at += PAGES_PER_WRITE)
      await app.store.transact((tx) => addReads(app, tx, site, pages.slice(at, at + PAGES_PER_WRITE)))
  }
}

/** Whether the site still exists and counts its readers. */
const isCounted = async (tx: Transaction, site: string): Promise<boolean> =>
  (await tx.get(sites, site))?.statistics?.enabled === true

async function addToDay(tx: Transaction, site: string, day: string, counts: SiteCounts): Promise<void> {
  if (!(await isCounted(tx, site))) return
  await changeDay(tx, site, day, (stored) => ({
    ...stored,
    reads: stored.reads + counts.reads,
    searches: stored.searches + counts.searches,
    emptySearches: stored.emptySearches + counts.emptySearches,
    missing: stored.missing + counts.missing,
    redirected: stored.redirected + counts.redirected,
    texts: {
      searches: Object.fromEntries(addTexts(stored.texts.searches, counts.texts.searches)),
      missing: Object.fromEntries(addTexts(stored.texts.missing, counts.texts.missing)),
      redirected: Object.fromEntries(addTexts(stored.texts.redirected, counts.texts.redirected)),
    },
  }))
}

async function changeDay(
  tx: Transaction,
  site: string,
  day: string,
  change: <T extends SiteDayDoc>(stored: T) => T,
): Promise<void> {
  const stored = await tx.get(siteDays, `${site}:${day}`)
  if (stored) await tx.replace(siteDays, change(stored))
  else await tx.insert(siteDays, change(emptyDay(site, day)))
}

async function addReads(app: App, tx: Transaction, site: string, pages: readonly [string, number][]): Promise<void> {
  if (!(await isCounted(tx, site))) return
  const today = dayOf(app)
  const oldest = dayOf(app, PAGE_DAYS)
  for (const [page, count] of pages) {
    const id = `${site}:${page}`
    const stored = await tx.get(sitePageReads, id)
    const days = Object.fromEntries(Object.entries(stored?.days ?? {}).filter(([day]) => day > oldest))
    days[today] = (days[today] ?? 0) + count
    if (stored) await tx.replace(sitePageReads, { ...stored, days })
    else await tx.insert(sitePageReads, { id, site, days })
  }
}

/** Counts the broken links of every site that counts its readers, once a day, and removes old counts. */
export async function recordHealth(app: App): Promise<void> {
  const day = dayOf(app)
  const [firstDay, firstRead] = [dayOf(app, KEPT_DAYS), dayOf(app, PAGE_DAYS)]
  await removeFirst(app.store, siteDays, 'oldest', (one) => one.day < firstDay)
  await removeFirst(app.store, sitePageReads, 'lastDay', (one) => lastDayOf(one) < firstRead)
  for await (const site of eachInOrder(app.store, sites, 'counted')) {
    if (((await app.store.get(siteDays, `${site.id}:${day}`))?.brokenLinks ?? null) !== null) continue
    const brokenLinks = await countBroken(app, site)
    await app.store.transact(async (tx) => {
      if (await isCounted(tx, site.id)) await changeDay(tx, site.id, day, (stored) => ({ ...stored, brokenLinks }))
    })
  }
}

/** Counts the broken links of a site's spaces as they are for everyone. */
async function countBroken(app: App, site: Document<SiteDoc>): Promise<number> {
  let broken = 0
  for (const id of new Set(siteSpacesOf(site.structure).map(({ space }) => space))) {
    const doc = await app.store.get(spaces, id)
    if (!doc || doc.deletedAt !== undefined || !(await app.git.exists(repositoryName(id)))) continue
    const repo = await app.git.open(repositoryName(id))
    const report = await LinkReport.of(app, null, await openMain(app, { doc, repo, role: 'read' }))
    broken += (await report.having('broken', report.graph.links)).length
  }
  return broken
}
