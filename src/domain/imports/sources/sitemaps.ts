/** Finds a website's pages through its sitemaps. */
import type { SitemapFacts } from '../../../conversion/index.js'
import { ResourceFailure } from '../failure.js'
import type { Gathering } from '../gathering.js'
import { converted } from '../read-document.js'
import type { Robots } from './robots.js'
import { pageUrl, type Scope } from './scope.js'

const MAX_SITEMAPS = 20
const MAX_BYTES = 10 * 1024 * 1024

/**
 * Lists the pages of the scope from the sitemaps of its origin, in their order. Unreadable sitemaps are skipped, since
 * pages are also found through links.
 */
export async function pagesOfSitemaps(gathering: Gathering, scope: Scope, robots: Robots): Promise<string[]> {
  const queue = [
    ...new Set([...robots.sitemaps, `${scope.origin}${scope.prefix}/sitemap.xml`, `${scope.origin}/sitemap.xml`]),
  ]
  const seen = new Set<string>()
  const pages = new Set<string>()
  for (let url = queue.shift(); url !== undefined && seen.size < MAX_SITEMAPS && !gathering.late; url = queue.shift()) {
    // A sitemap may be on another host only if the site's robots.txt names it.
    if (seen.has(url) || !URL.canParse(url) || (new URL(url).origin !== scope.origin && !robots.sitemaps.includes(url)))
      continue
    seen.add(url)
    const found = await readSitemap(gathering, url, robots.delayMs)
    for (const one of found.sitemaps) queue.push(one)
    for (const one of found.pages) {
      const page = pageUrl(scope, one)
      if (page !== null && pages.size < gathering.app.settings.imports.maxPages) pages.add(page)
    }
  }
  return [...pages]
}

async function readSitemap(gathering: Gathering, url: string, delayMs: number): Promise<SitemapFacts> {
  try {
    const { body, headers } = await gathering.fetcher.body(url, { maxBytes: MAX_BYTES, delayMs })
    if (/^\s*text\/html/i.test(headers['content-type'] ?? '')) return { pages: [], sitemaps: [] }
    return (await converted(gathering.app.conversions.run<SitemapFacts>(gathering.spaceId, 'sitemap', [body]))).facts
  } catch (error) {
    if (error instanceof ResourceFailure) return { pages: [], sitemaps: [] }
    throw error
  }
}
