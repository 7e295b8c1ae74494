/** The source that is a website: its pages below one address, found by sitemaps and links, read politely one after the other. */
import { createHash } from 'node:crypto'
import type { ConvertedPage } from '../../../conversion/index.js'
import type { HttpResponse } from '../../../outbound/index.js'
import { ImportRefused, ResourceFailure } from '../failure.js'
import { orRefuse } from '../fetcher.js'
import type { Gathering } from '../gathering.js'
import { isHtml, nameFrom, readConverted } from '../read-document.js'
import { keyOf, type SourceContent, type SourcePage } from '../source-page.js'
import { readRobots, type Robots } from './robots.js'
import { pageUrl, type Scope, scopeOf } from './scope.js'
import { pagesOfSitemaps } from './sitemaps.js'
import { treeOfWebsite } from './website-tree.js'

/** Largest HTML page, in bytes. */
const MAX_PAGE_BYTES = 5 * 1024 * 1024
/** How many links away from the first page or the sitemap a page may be: a book whose pages lead to the next one is deep, a trap is endless. */
const MAX_DEPTH = 100
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const MAX_REDIRECTS = 5

/** A page to be read. */
interface PageRequest {
  url: string
  depth: number
  /** Addresses that led here by redirects. */
  from: string[]
}

/** Reads a website. Throws `ImportRefused` if its first page cannot be read. */
export async function readWebsite(gathering: Gathering): Promise<SourceContent> {
  const { scope, robots, first } = await enter(gathering)
  const crawl = new Crawl(gathering, scope, robots, first)
  crawl.want({ url: first.url, depth: 0, from: first.url === gathering.url ? [] : [gathering.url] })
  for (const url of await pagesOfSitemaps(gathering, scope, robots)) crawl.want({ url, depth: 0, from: [] })
  await crawl.run()
  if (crawl.pages.length === 0)
    throw new ImportRefused(
      `Nothing can be read from ${gathering.url}: ${gathering.failures[0]?.reason ?? 'it has no page with text.'}`,
    )
  return { pages: treeOfWebsite(crawl.pages, scope, crawl.order), files: crawl.files, ignoresQueries: !scope.queries }
}

/** Finds the scope, where the first address leads elsewhere: `http` to `https`, `/docs` to `/docs/intro`. */
async function enter(gathering: Gathering): Promise<{ scope: Scope; robots: Robots; first: HttpResponse }> {
  let { url } = gathering
  let robots = await readRobots(gathering, new URL(url).origin)
  for (let hops = 0; ; hops++) {
    if (!(await robots.allows(url)))
      throw new ImportRefused(
        robots.unread === undefined
          ? `The robots.txt of ${new URL(url).host} does not allow programs to read ${url}. Its owner can allow "Bindery" there.`
          : `The robots.txt of ${new URL(url).host}, which says what programs may read, cannot be read. ${robots.unread}`,
      )
    const response = await orRefuse(
      gathering.fetcher.get(url, { redirects: 0, maxBytes: MAX_PAGE_BYTES, delayMs: robots.delayMs }),
      (reason) => `Nothing can be read from ${url}: ${reason}`,
    )
    const { location } = response.headers
    if (!REDIRECTS.has(response.status) || location === undefined || !URL.canParse(location, url)) {
      if (response.status >= 400)
        throw new ImportRefused(`Nothing can be read from ${url}: it returned status ${response.status}.`)
      if (!isHtml(response.headers['content-type'] ?? ''))
        throw new ImportRefused(
          `Nothing can be read from ${url}: it is not an HTML page (Content-Type: ${response.headers['content-type'] ?? 'none'}).`,
        )
      const asked = scopeOf(gathering.url)
      const scope = pageUrl(asked, url) === null ? scopeOf(url) : asked
      return { scope, robots, first: { ...response, url: pageUrl(scope, url) ?? url } }
    }
    if (hops >= MAX_REDIRECTS) throw new ImportRefused(`${gathering.url} redirects more than ${MAX_REDIRECTS} times.`)
    const next = new URL(location, url)
    if (next.origin !== new URL(url).origin) robots = await readRobots(gathering, next.origin)
    url = next.href
  }
}

class Crawl {
  readonly pages: SourcePage[] = []
  readonly files = new Map<string, Uint8Array>()
  /** The place of each page among the links of the first page, which lists them as a reader should meet them. */
  readonly order = new Map<string, number>()
  // bound: ten times the pages of an import
  readonly #seen = new Map<string, SourcePage | null>()
  readonly #byText = new Map<string, SourcePage>()
  readonly #queue: PageRequest[] = []
  /** The first page that is too many links away. */
  #tooDeep = ''
  readonly #maxPages: number

  constructor(
    private readonly gathering: Gathering,
    private readonly scope: Scope,
    private readonly robots: Robots,
    /** The response of the first page, which is here already. */
    private readonly first: HttpResponse,
  ) {
    this.#maxPages = gathering.app.settings.imports.maxPages
  }

  want(wanted: PageRequest): void {
    const key = keyOf(wanted.url)
    if (this.#seen.has(key) || this.#seen.size >= this.#maxPages * 10) return
    if (wanted.depth > MAX_DEPTH) return void (this.#tooDeep ||= wanted.url)
    this.#seen.set(key, null)
    this.#queue.push(wanted)
  }

  async run(): Promise<void> {
    const { gathering } = this
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      const stop = this.#bound()
      if (stop !== null) {
        gathering.fail(
          gathering.url,
          `${stop} ${this.#queue.length + 1} more pages were found and not read. Import them with an address further down, or raise the limit.`,
        )
        return
      }
      try {
        await this.#visit(next)
      } catch (error) {
        if (!(error instanceof ResourceFailure)) throw error
        gathering.fail(next.url, error.message)
      }
      await gathering.progress('reading', this.pages.length, this.pages.length + this.#queue.length + gathering.failed)
    }
    if (this.#tooDeep !== '')
      gathering.fail(
        this.#tooDeep,
        `It is more than ${MAX_DEPTH} links away from the first page, and what it leads to was not read.`,
      )
  }

  /** Why the crawl ends before its queue does; null if it goes on. */
  #bound(): string | null {
    if (this.pages.length >= this.#maxPages) return `Only the first ${this.#maxPages} pages were imported.`
    if (this.gathering.late) return 'The time for reading ran out.'
    return this.gathering.fetcher.left === 0 ? 'The import has fetched as many bytes as it may.' : null
  }

  async #visit(wanted: PageRequest): Promise<void> {
    const { url, depth, from } = wanted
    if (!(await this.robots.allows(url)))
      throw new ResourceFailure('The robots.txt of the website does not allow programs to read it.')
    const isFirst = url === this.first.url
    const response = isFirst
      ? this.first
      : await this.gathering.fetcher.get(url, { redirects: 0, maxBytes: MAX_PAGE_BYTES, delayMs: this.robots.delayMs })
    const { location } = response.headers
    if (REDIRECTS.has(response.status) && location !== undefined) return this.#redirected(wanted, location)
    if (response.status < 200 || response.status > 299)
      throw new ResourceFailure(`It returned status ${response.status}.`)
    const contentType = response.headers['content-type'] ?? ''
    // A link to anything but a page stays a link.
    if (!isHtml(contentType)) return
    const read = await readConverted(
      this.gathering,
      'html',
      { url, content: response.body, contentType, name: nameFrom(url) },
      false,
    )
    const { page, facts } = read
    if (this.pages.length === 0 && facts) facts.links.forEach((link, at) => void this.order.set(keyOf(link), at))
    for (const link of facts?.links ?? []) this.#follow(link, depth)
    if (facts && facts.refresh !== '' && page.text.length < 500) return this.#redirected(wanted, facts.refresh)
    if (page.text === '') throw new ResourceFailure('The page has no text, or shows it by scripts alone.')
    page.aliases.push(...from)
    this.#keep(page, read.files)
  }

  #follow(link: ConvertedPage['links'][number], depth: number): void {
    const url = pageUrl(this.scope, link)
    if (url !== null) this.want({ url, depth: depth + 1, from: [] })
  }

  /** A redirect is a link; what it led from is another address of the page that it leads to. */
  #redirected({ url, depth, from }: PageRequest, location: string): void {
    const target = URL.canParse(location, url) ? pageUrl(this.scope, new URL(location, url).href) : null
    if (target === null) throw new ResourceFailure('It redirects to an address outside of what is imported.')
    const known = this.#seen.get(keyOf(target))
    if (known) known.aliases.push(url, ...from)
    else if (from.length >= MAX_REDIRECTS) throw new ResourceFailure(`It redirects more than ${MAX_REDIRECTS} times.`)
    else if (keyOf(target) === keyOf(url) && !from.includes(target))
      this.#queue.unshift({ url: target, depth, from: [...from, target] })
    else if (known === null) {
      const waiting = this.#queue.find((one) => keyOf(one.url) === keyOf(target))
      if (!waiting) throw new ResourceFailure('It redirects to an address that could not be read.')
      waiting.from.push(url, ...from)
    } else this.want({ url: target, depth, from: [url, ...from] })
  }

  /** Keeps a page, unless another address has shown the same. */
  #keep(page: SourcePage, files: ReadonlyMap<string, Uint8Array>): void {
    const digest = createHash('sha256').update(page.text).digest('base64')
    const same = this.#byText.get(digest)
    if (same) same.aliases.push(page.url, ...page.aliases)
    else {
      this.#byText.set(digest, page)
      this.pages.push(page)
      for (const [name, content] of files) this.files.set(name, content)
    }
    this.#seen.set(keyOf(page.url), same ?? page)
  }
}
