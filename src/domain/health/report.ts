/** Reports the health of a site and of its pages, for a member who may edit it. */
import type { DocumentEntry } from '../../content/types.js'
import { iso } from '../../kernel/clock.js'
import { Slices } from '../../kernel/slices.js'
import {
  type SiteDayDoc,
  siteDays,
  siteFeedback,
  type SiteHealthFilter,
  type SiteHealthPage,
  sitePageReads,
  siteSpacesOf,
} from '../../model/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedSite } from '../context/loaded.js'
import { LinkReport } from '../links/report.js'
import { openMain } from '../revisions/main-content.js'
import { eachDocument, knownPages, type OpenRevision } from '../revisions/revisions.js'
import { findSpace } from '../roles/access.js'
import { findVisibleSiteSpace } from '../sites/view.js'
import { CodeChanges } from './code-changes.js'
import { addTexts, dayOf, storeCounts } from './record.js'

/** Days of the counts in a report, and of the reads of a page. */
const SHOWN_DAYS = 90
const READ_DAYS = 30

/** The counts of pages by `<site space>:<page>`. */
interface PageCounts {
  reads: ReadonlyMap<string, number>
  helpful: ReadonlyMap<string, number>
  unhelpful: ReadonlyMap<string, number>
}

/** Whether a page belongs to a list. */
const HAS: Record<SiteHealthFilter, (page: SiteHealthPage) => boolean> = {
  all: () => true,
  unread: ({ reads }) => reads === 0,
  outdated: ({ outdated }) => outdated !== null,
  'broken-links': ({ brokenLinks }) => brokenLinks > 0,
  unhelpful: ({ helpful, unhelpful }) => unhelpful > helpful,
}

/** Lists the pages of a site in spaces that the caller may see, in the order of the tables of contents. */
export async function healthOfPages(
  app: App,
  actor: Actor,
  site: LoadedSite,
  filter: SiteHealthFilter = 'all',
): Promise<SiteHealthPage[]> {
  await storeCounts(app)
  const counts = await countsOfPages(app, site.doc.id)
  const found: SiteHealthPage[] = []
  for (const { id, space: spaceId } of siteSpacesOf(site.doc.structure)) {
    const space = (await findVisibleSiteSpace(app, actor, site, id)) && (await findSpace(app, actor, spaceId))
    if (!space) continue
    const pages = await pagesIn(app, actor, await openMain(app, space), id, counts)
    found.push(...pages.filter(HAS[filter]))
  }
  return found
}

async function countsOfPages(app: App, site: string): Promise<PageCounts> {
  const since = dayOf(app, READ_DAYS)
  const reads = new Map<string, number>()
  for (const { id, days } of await app.store.find(sitePageReads, 'site', site)) {
    let sum = 0
    for (const [day, count] of Object.entries(days)) if (day > since) sum += count
    reads.set(id.slice(site.length + 1), sum)
  }
  const helpful = new Map<string, number>()
  const unhelpful = new Map<string, number>()
  for (const one of await app.store.find(siteFeedback, 'site', site)) {
    const key = `${one.siteSpace}:${one.page}`
    const counts = one.helpful ? helpful : unhelpful
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return { reads, helpful, unhelpful }
}

async function pagesIn(
  app: App,
  actor: Actor,
  revision: OpenRevision,
  siteSpace: string,
  { reads, helpful, unhelpful }: PageCounts,
): Promise<SiteHealthPage[]> {
  const entries: DocumentEntry[] = [...eachDocument(revision.structure.pages)]
  const known = await knownPages(app, revision, entries)
  const changes = await CodeChanges.of(app, revision)
  const code = await codeOf(app, actor, revision, changes)
  const report = await LinkReport.of(app, actor, revision)
  const broken = new Map<string, number>()
  for (const { source } of await report.having('broken', report.graph.links))
    broken.set(source.gitPath, (broken.get(source.gitPath) ?? 0) + 1)
  const slices = new Slices()
  const pages: SiteHealthPage[] = []
  for (const { id, title, path, gitPath } of entries) {
    if (slices.due) await slices.rest()
    const key = `${siteSpace}:${id}`
    const changed = changes.file(gitPath)
    const paths = known.get(gitPath)?.page.attributes.codePaths ?? []
    const outdated = changed === null || code === null ? null : code.after(paths, changed)
    pages.push({
      object: 'site-health-page',
      space: revision.space.doc.id,
      siteSpace,
      page: { id, title, path },
      reads: reads.get(key) ?? 0,
      helpful: helpful.get(key) ?? 0,
      unhelpful: unhelpful.get(key) ?? 0,
      brokenLinks: broken.get(gitPath) ?? 0,
      changedAt: changed === null ? null : iso(changed),
      outdated: outdated && { path: outdated.path, changedAt: iso(outdated.seconds) },
    })
  }
  return pages
}

/** Returns the changes of the code that the pages of a space describe; null if the caller cannot read its space. */
async function codeOf(
  app: App,
  actor: Actor,
  { space: { doc } }: OpenRevision,
  own: CodeChanges,
): Promise<CodeChanges | null> {
  if (doc.codeSpace === undefined) return own
  const space = await findSpace(app, actor, doc.codeSpace)
  return space && CodeChanges.of(app, await openMain(app, space))
}

/** Lists the counts of a site by day, oldest first. */
export async function healthByDay(app: App, { doc: { id } }: LoadedSite): Promise<SiteDayDoc[]> {
  await storeCounts(app)
  const range = { limit: SHOWN_DAYS, direction: 'desc' } as const
  return (await app.store.page(siteDays, 'day', id, range)).documents.reverse()
}

/** Returns the health of a site. */
export async function healthOf(app: App, actor: Actor, site: LoadedSite) {
  const pages = await healthOfPages(app, actor, site)
  const days = await healthByDay(app, site)
  const count = (filter: SiteHealthFilter): number => pages.filter(HAS[filter]).length
  const texts = (kind: keyof SiteDayDoc['texts']) =>
    addTexts(
      {},
      days.flatMap((day) => Object.entries(day.texts[kind])),
    ).map(([text, times]) => ({ text, count: times }))
  return {
    object: 'site-health' as const,
    counted: site.doc.statistics?.enabled === true,
    days: days.map(({ day, reads, searches, emptySearches, missing, redirected, brokenLinks }) => {
      return { day, reads, searches, emptySearches, missing, redirected, brokenLinks }
    }),
    searches: texts('searches'),
    missing: texts('missing'),
    redirected: texts('redirected'),
    pages: {
      total: pages.length,
      unread: count('unread'),
      outdated: count('outdated'),
      brokenLinks: count('broken-links'),
      unhelpful: count('unhelpful'),
    },
  }
}
