/** Endpoints of the health of a site: counts by day, the state of its pages, and both as CSV. */
import { Type } from '@sinclair/typebox'
import type { Actor } from '../../domain/context/actor.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedSite } from '../../domain/context/loaded.js'
import { csvOf } from '../../domain/health/csv.js'
import { healthByDay, healthOf, healthOfPages } from '../../domain/health/report.js'
import { paginate } from '../../kernel/paging.js'
import { listOf, oneOf, pageQuery, SiteHealth, SiteHealthFilter, SiteHealthPage } from '../../model/index.js'
import { binary } from '../declaration.js'
import { stream } from '../reply.js'
import { endpoint } from '../service.js'

const section = 'Sites'
const base = '/v1/orgs/{organizationId}/sites/{siteId}/health'

export const getSiteHealth = endpoint({
  method: 'GET',
  path: base,
  summary: 'Get the health of a site',
  description:
    'Counts by day, queries without results, missing and old addresses, and the number of pages that need attention. Reads are counted while `statistics` of ' +
    'the site is enabled, without cookies and without data about readers. A text of a reader is kept only after three addresses of clients have sent it on ' +
    'one day. Counts are kept for 400 days. Pages of spaces that you cannot see are left out.',
  section,
  needs: 'site:edit',
  returns: SiteHealth,
  handle: ({ app, actor, site }) => healthOf(app, actor, site),
})

export const listSiteHealthPages = endpoint({
  method: 'GET',
  path: `${base}/pages`,
  summary: 'List the pages of a site with their reads, feedback, broken links and outdated code',
  description:
    'In the order of the tables of contents. A page is outdated if a path in `codePaths` of its front matter changed in the repository of its space, or of `codeSpace` of that space, after the page. ' +
    '`filter` selects pages that need attention.',
  section,
  needs: 'site:edit',
  query: Type.Object({ ...pageQuery, filter: SiteHealthFilter }),
  returns: listOf(SiteHealthPage, { $id: 'SiteHealthPageList' }),
  handle: async ({ app, actor, site, query }) => {
    const pages = await healthOfPages(app, actor, site, query.filter)
    const numbered = pages.map((page, at) => ({ page, at }))
    const found = paginate(numbered, query, ({ page, at }) => [at, `${page.siteSpace}:${page.page.id}`])
    return { ...found, items: found.items.map(({ page }) => page) }
  },
})

export const downloadSiteHealth = endpoint({
  method: 'GET',
  path: `${base}/csv`,
  summary: 'Download the health of a site as CSV',
  description:
    "`table=pages`: one row for each page. `table=days`: one row for each of the last 90 days with counts. Cells that a spreadsheet would take for a formula start with `'`.",
  section,
  needs: 'site:edit',
  query: Type.Object({ table: oneOf(['pages', 'days'] as const, { default: 'pages' }) }),
  returns: binary('text/csv'),
  handle: async ({ app, actor, site, query: { table } }) => {
    const content = Buffer.from(table === 'days' ? await daysAsCsv(app, site) : await pagesAsCsv(app, actor, site))
    return stream({
      contentType: 'text/csv; charset=utf-8',
      size: content.length,
      open: (range) => (range ? content.subarray(range.start, range.end + 1) : content),
      fileName: `health-${table}.csv`,
      disposition: 'attachment',
    })
  },
})

async function daysAsCsv(app: App, site: LoadedSite): Promise<string> {
  const header = ['day', 'reads', 'searches', 'emptySearches', 'missing', 'redirected', 'brokenLinks'] as const
  return csvOf(
    header,
    (await healthByDay(app, site)).map((day) => header.map((name) => day[name])),
  )
}

async function pagesAsCsv(app: App, actor: Actor, site: LoadedSite): Promise<string> {
  const header = ['space', 'page', 'title', 'path', 'reads', 'helpful', 'unhelpful', 'brokenLinks', 'changedAt']
  return csvOf(
    [...header, 'outdatedBy', 'outdatedSince'],
    (await healthOfPages(app, actor, site)).map((one) => [
      one.space,
      one.page.id,
      one.page.title,
      one.page.path,
      one.reads,
      one.helpful,
      one.unhelpful,
      one.brokenLinks,
      one.changedAt,
      one.outdated?.path ?? null,
      one.outdated?.changedAt ?? null,
    ]),
  )
}
