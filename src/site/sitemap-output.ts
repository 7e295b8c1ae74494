/** Makes the outputs for search engines and browsers: the sitemap, `robots.txt`, and the OpenSearch description document. */
import { pipeline, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { EmptySitemap, ErrorLevel, SitemapIndexStream, SitemapStream } from 'sitemap'
import type { PageAttributes, PageEntry } from '../content/types.js'
import { datesAt, datesOf } from '../domain/revisions/page-dates.js'
import { pathOfPage } from '../domain/sites/visitor-paths.js'
import { Slices } from '../kernel/slices.js'
import type { SiteResponse } from './exchange.js'
import { OPEN_SEARCH } from './head.js'
import { type ListedSpace, listedSpaces } from './listed-pages.js'
import { servesAgents } from './markdown-output.js'
import { SEARCH } from './search-output.js'
import { hasText } from '../domain/revisions/page-tree.js'
import { variantPaths } from './variants.js'
import type { Visit } from './visit.js'

/** Maximum number of addresses in one file, by the protocol of sitemaps. */
const MAX_URLS = 50_000
/** A longer sitemap is generated while it is sent. */
const MAX_KEPT = 5_000
/** Number of characters that are sent at once. Sending each address alone would take several times as long. */
const CHUNK = 32_768
const SITEMAP = /^\/sitemap(?:-([1-9]\d*))?\.xml$/
const XML = 'application/xml; charset=utf-8'
/** The sitemap of a site whose pages are all hidden from lists. The library makes none without addresses. */
const NO_URLS =
  '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>'

/** The `robots.txt` at the root of a host with several sites, or without a site that robots may enter. */
export const robots = (sitemap?: string): SiteResponse => ({
  status: 200,
  type: 'text/plain; charset=utf-8',
  // Robots must read the pages to find those that search engines must not list.
  body: `User-agent: *\nAllow: /\n${sitemap === undefined ? '' : `Sitemap: ${sitemap}\n`}`,
  audience: 'no one',
})

/** Makes the response for a well-known path. Null for every other path. */
export async function robotOutput(visit: Visit, path: string): Promise<SiteResponse | null> {
  if (path === '/robots.txt')
    return { ...robots(visit.isIndexed ? `${visit.address}/sitemap.xml` : undefined), audience: visit.audience }
  if (path === OPEN_SEARCH) return servesAgents(visit) ? openSearch(visit) : null
  const sitemap = SITEMAP.exec(path)
  return sitemap && visit.isIndexed ? sitemapOutput(visit, Number(sitemap[1] ?? 0)) : null
}

/** Makes a sitemap, or the index of the sitemaps if one file cannot contain all pages. */
async function sitemapOutput(visit: Visit, number: number): Promise<SiteResponse | null> {
  const found = await indexedPages(visit)
  const files = Math.ceil(found.length / MAX_URLS)
  const respond = { status: 200, type: XML, audience: visit.audience }
  if (number === 0 && files > 1) {
    const index = Array.from({ length: files }, (_, at) => ({ url: `${visit.address}/sitemap-${at + 1}.xml` }))
    return { ...respond, body: await text(Readable.from(index).pipe(new SitemapIndexStream())) }
  }
  if (number > files || (number > 0 && files < 2)) return null
  const part = found.slice(MAX_URLS * Math.max(0, number - 1), MAX_URLS * Math.max(1, number))
  const stream = async function* (): AsyncGenerator<string, void> {
    const xml = new SitemapStream({
      level: ErrorLevel.SILENT,
      xmlns: { news: false, video: false, image: false, xhtml: true },
    })
    let pending = ''
    // The loop throws what fails before it.
    pipeline(Readable.from(urlsOf(visit, part), { highWaterMark: 1_000 }), xml, () => {})
    try {
      for await (const chunk of xml) {
        pending += String(chunk)
        if (pending.length < CHUNK) continue
        yield pending
        pending = ''
      }
    } catch (error) {
      if (!(error instanceof EmptySitemap)) throw error
      pending = NO_URLS
    }
    yield pending
  }
  return part.length > MAX_KEPT
    ? { ...respond, body: '', stream }
    : { ...respond, body: await text(Readable.from(stream())) }
}

interface IndexedPage {
  space: ListedSpace
  entry: PageEntry
}

const isIndexed = ({ noIndex, noRobotsIndex, metaLinks }: PageAttributes): boolean =>
  !noIndex && !noRobotsIndex && metaLinks?.canonical === undefined

/** Lists the pages that search engines may list, without copies in older versions. */
async function indexedPages(visit: Visit): Promise<IndexedPage[]> {
  const found: IndexedPage[] = []
  const slices = new Slices()
  for (const space of await listedSpaces(visit)) {
    const { known } = space.pages
    for (const entry of space.tree.order) {
      if (slices.due) await slices.rest()
      const attributes = entry.type === 'document' ? known.get(entry.gitPath)?.page.attributes : undefined
      if (hasText(entry) && isIndexed(attributes ?? {})) found.push({ space, entry })
    }
  }
  return found
}

interface SitemapUrl {
  url: string
  lastmod?: string
  links: { lang: string; url: string }[]
}

async function* urlsOf(visit: Visit, pages: readonly IndexedPage[]): AsyncGenerator<SitemapUrl> {
  const { app, address } = visit
  const slices = new Slices()
  let at: ListedSpace | undefined
  let dates: Awaited<ReturnType<typeof datesAt>> | undefined
  let paths: Awaited<ReturnType<typeof variantPaths>> | undefined
  for (const { space, entry } of pages) {
    if (slices.due) await slices.rest()
    if (space !== at) {
      at = space
      const { revision } = space.pages
      dates = await datesAt(app, revision.space, revision.snapshot.commit)
      paths = await variantPaths(visit, space.siteSpace)
    }
    const path = pathOfPage(space.siteSpace, space.pages, entry)
    const { languages, newest } = paths?.(entry, path) ?? { languages: [] }
    if (newest !== undefined) continue
    const seconds = dates && entry.type === 'document' ? datesOf(dates, entry.gitPath)?.updated : undefined
    yield {
      url: address + path,
      links: languages.map((one) => ({ lang: one.lang, url: address + one.path })),
      ...(seconds === undefined ? {} : { lastmod: new Date(seconds * 1000).toISOString() }),
    }
  }
}

const xmlText = (value: string): string => value.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;')

/** Returns the OpenSearch description document, with which browsers offer the search in their address bar. */
async function openSearch(visit: Visit): Promise<SiteResponse> {
  const { title } = await visit.look()
  const name = xmlText(title ?? visit.visitor.site.doc.title)
  const template = `${xmlText(visit.address + SEARCH)}?q={searchTerms}`
  return {
    status: 200,
    type: 'application/opensearchdescription+xml; charset=utf-8',
    // The format allows 16 characters for the short name.
    body: `<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>${name.slice(0, 16).replace(/&[^;]*$/, '')}</ShortName>
<Description>${name}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Url type="text/html" template="${template}"/>
</OpenSearchDescription>
`,
    audience: visit.audience,
  }
}
