/** Stores and lists readers' feedback on the pages of a site, without data about the readers. */
import { newId } from '../../kernel/ids.js'
import { type Page, type PageQuery, paginate } from '../../kernel/paging.js'
import { MAX_FEEDBACK_COMMENT, type SiteFeedbackDoc, siteFeedback, sites } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedSite } from '../context/loaded.js'
import { hourlyCount } from './hourly-count.js'
import { findVisibleSiteSpace } from './view.js'
import type { ReadPage } from './visitor-paths.js'

/** Maximum number of entries per site. The oldest ones are dropped. */
const MAX_ENTRIES = 2_000
/** Number of entries per hour from one address, and for one site. */
const LIMITS = { address: 20, site: 1_000 }
const HOUR_MS = 3_600_000
const MAX_TITLE = 200
const MAX_PATH = 1_000

const count = hourlyCount(LIMITS, 'There is too much feedback from this address. Try again in an hour.')

/** Returns the stored form of a reader's text: without control characters, and cut to the maximum length. */
const cleaned = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .trim()
    .slice(0, MAX_FEEDBACK_COMMENT)
    .replace(/\p{Cs}/gu, '')

/** The rating and the comment of a reader about a page. */
export interface GivenFeedback {
  helpful: boolean
  comment?: string
  /** The address of the client, for counting only. */
  ip: string
}

/** Stores feedback about a page that the reader may read, and returns its ID, which only this reader knows. */
export async function giveFeedback(
  app: App,
  site: string,
  { siteSpace, entry, path }: ReadPage,
  { helpful, comment = '', ip }: GivenFeedback,
): Promise<string> {
  count(site, ip)
  const text = cleaned(comment)
  const draft: SiteFeedbackDoc = {
    id: newId(),
    site,
    siteSpace: siteSpace.entry.id,
    page: entry.id,
    title: entry.title.slice(0, MAX_TITLE).replace(/\p{Cs}/gu, ''),
    path: (path || '/').slice(0, MAX_PATH),
    helpful,
    ...(text === '' ? {} : { comment: text }),
    createdAt: app.clock.now().toISOString(),
  }
  await app.store.transact(async (tx) => {
    if (!(await tx.get(sites, site))?.published) return
    await tx.insert(siteFeedback, draft)
    await dropOldest(tx, site)
  })
  return draft.id
}

async function dropOldest(tx: Transaction, site: string): Promise<void> {
  const extra = (await tx.count(siteFeedback, 'site', site)) - MAX_ENTRIES
  if (extra <= 0) return
  const { documents } = await tx.page(siteFeedback, 'createdAt', site, { limit: extra, direction: 'asc' })
  for (const { id } of documents) await tx.remove(siteFeedback, id)
}

/**
 * Adds a comment to feedback that has none, within an hour. Returns whether there is such feedback.
 * @param id the ID that `giveFeedback` returned
 */
export async function commentFeedback(
  app: App,
  site: string,
  id: string,
  given: Pick<GivenFeedback, 'ip'> & { comment: string },
): Promise<boolean> {
  const comment = cleaned(given.comment)
  if (comment === '') return false
  count(site, given.ip)
  const now = app.clock.now().getTime()
  return app.store.transact(async (tx) => {
    const feedback = await tx.get(siteFeedback, id)
    const isOpen = feedback?.site === site && feedback.comment === undefined
    if (!isOpen || now - Date.parse(feedback.createdAt) > HOUR_MS) return false
    await tx.replace(siteFeedback, { ...feedback, comment })
    return true
  })
}

/** Lists feedback about the spaces of a site that the caller may see, newest first. */
export async function listFeedback(
  app: App,
  actor: Actor,
  site: LoadedSite,
  query: PageQuery,
): Promise<Page<Document<SiteFeedbackDoc>>> {
  const all = await app.store.find(siteFeedback, 'site', site.doc.id)
  const visible = new Map<string, boolean>()
  for (const { siteSpace } of all)
    if (!visible.has(siteSpace))
      visible.set(siteSpace, (await findVisibleSiteSpace(app, actor, site, siteSpace)) !== null)
  const shown = all.filter(({ siteSpace }) => visible.get(siteSpace))
  return paginate(shown, query, ({ createdAt, id }) => [createdAt, id], 'desc')
}
