/** The health of a site: daily counts without data about readers, the state of its pages, and the responses about them. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { Id, nullable, oneOf, Timestamp } from './common.js'

/** The counts of a site on one day in UTC, as stored. */
export interface SiteDayDoc {
  /** `<site>:<day>` */
  id: string
  site: string
  /** Such as `2026-11-27`. */
  day: string
  reads: number
  searches: number
  emptySearches: number
  missing: number
  redirected: number
  /** Broken links in the pages of the site; null if they were not counted that day. */
  brokenLinks: number | null
  /** Texts that several addresses sent, with their counts. */
  texts: Record<'searches' | 'missing' | 'redirected', Record<string, number>>
}

export const siteDays = table<SiteDayDoc>()({
  name: 'site-days',
  indexes: { site: (one) => one.site },
  orders: {
    day: { group: (one) => one.site, by: (one) => one.day },
    oldest: { group: () => 'all', by: (one) => one.day },
  },
  owner: 'site',
})

/** The reads of one page of a site by day, as stored. */
export interface SitePageReadsDoc {
  /** `<site>:<site space>:<page>` */
  id: string
  site: string
  days: Record<string, number>
}

/** Returns the last day on which the page was read, or an empty string. */
export const lastDayOf = ({ days }: Pick<SitePageReadsDoc, 'days'>): string => Object.keys(days).sort().at(-1) ?? ''

export const sitePageReads = table<SitePageReadsDoc>()({
  name: 'site-page-reads',
  indexes: { site: (one) => one.site },
  orders: { lastDay: { group: () => 'all', by: lastDayOf } },
  owner: 'site',
})

const count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) })
const texts = (description: string) =>
  Type.Array(Type.Object({ text: Type.String(), count: count() }), { description, maxItems: 100 })

export const SiteHealth = Type.Object(
  {
    object: Type.Literal('site-health'),
    counted: Type.Boolean({ description: 'Whether readers are counted (`statistics` of the site).' }),
    days: Type.Array(
      Type.Object({
        day: Type.String({ description: 'A day in UTC, such as `2026-11-27`.' }),
        reads: count('Pages that browsers opened.'),
        searches: count(),
        emptySearches: count('Searches without results.'),
        missing: count('Requests for addresses of no page.'),
        redirected: count('Requests for old addresses.'),
        brokenLinks: nullable(count('Broken links in the pages; null if they were not counted that day.')),
      }),
      { description: 'The last 90 days that have counts, oldest first.' },
    ),
    searches: texts('Queries without results, most frequent first.'),
    missing: texts('Addresses of no page.'),
    redirected: texts('Old addresses that redirect to a page.'),
    pages: Type.Object({
      total: count(),
      unread: count('Pages without a read in the last 30 days.'),
      outdated: count('Pages whose code changed after their last change.'),
      brokenLinks: count('Pages with broken links.'),
      unhelpful: count('Pages that more readers rated as not helpful than as helpful.'),
    }),
  },
  { $id: 'SiteHealth' },
)

const pageFilters = ['all', 'unread', 'outdated', 'broken-links', 'unhelpful'] as const
export type SiteHealthFilter = (typeof pageFilters)[number]
export const SiteHealthFilter = oneOf(pageFilters, { default: 'all' })

export const SiteHealthPage = Type.Object(
  {
    object: Type.Literal('site-health-page'),
    space: Id,
    siteSpace: Id,
    page: Type.Object({ id: Type.String(), title: Type.String(), path: Type.String() }),
    reads: count('Reads in the last 30 days.'),
    helpful: count(),
    unhelpful: count(),
    brokenLinks: count(),
    changedAt: nullable(Timestamp),
    outdated: nullable(
      Type.Object(
        {
          path: Type.String({ description: 'The path of the code that changed last.' }),
          changedAt: Timestamp,
        },
        { description: 'The change of the code that the page names with `codePaths`; null if the page is newer.' },
      ),
    ),
  },
  { $id: 'SiteHealthPage' },
)
export type SiteHealthPage = Static<typeof SiteHealthPage>
