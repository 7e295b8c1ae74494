/** Reads a website: the pages below one address, found through sitemaps and links. Pages are fetched one at a time. */
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

/** Maximum size of an HTML page in bytes. */
const MAX_PAGE_BYTES = 5 * 1024 * 1024
/**
 * Maximum number of links between a page and the first page or the sitemap. A book whose pages link to the next one is
 * deep; a crawler trap is endless.
 */
const MAX_DEPTH = 100
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const MAX_REDIRECTS = 5

/** A page to read. */
interface PageRequest {
  url: string
  depth: number
  /** Addresses that redirected here. */
  from: string[]
}

/** Reads a website. Throws `ImportRefused` if its first page cannot be read. */
export async function readWebsite(gathering: Gathering): Promise<SourceContent> {
  const { scope, robots, first } = await enter(gathering)
  const crawl = new Crawl(gathering, scope, robots, first)
  crawl.enqueue({ url: first.url, depth: 0, from: first.url === gathering.url ? [] : [gathering.url] })
  for (const url of await pagesOfSitemaps(gathering, scope, robots)) crawl.enqueue({ url, depth: 0, from: [] })
  await crawl.run()
  if (crawl.pages.length === 0)
    throw new ImportRefused(
      `${gathering.url} cannot be read: ${gathering.failures[0]?.reason ?? 'it has no page with text.'}`,
    )
  return { pages: treeOfWebsite(crawl.pages, scope, crawl.order), files: crawl.files, ignoresQueries: !scope.queries }
}

/**
 * Follows the redirects of the first address, such as `http` to `https` or `/docs` to `/docs/intro`, and determines the
 * scope.
 */
async function enter(gathering: Gathering): Promise<{ scope: Scope; robots: Robots; first: HttpResponse }> {
  let { url } = gathering
  let robots = await readRobots(gathering, new URL(url).origin)
  for (let hops = 0; ; hops++) {
    if (!(await robots.allows(url)))
      throw new ImportRefused(
        robots.unread === undefined
          ? `The robots.txt of ${new URL(url).host} does not allow programs to read ${url}. Its owner can allow "Bindery" there.`
          : `The robots.txt of ${new URL(url).host}, which lists the pages that programs may read, cannot be read. ${robots.unread}`,
      )
    const response = await orRefuse(
      gathering.fetcher.get(url, { redirects: 0, maxBytes: MAX_PAGE_BYTES, delayMs: robots.delayMs }),
      (reason) => `${url} cannot be read: ${reason}`,
    )
    const { location } = response.headers
    if (!REDIRECTS.has(response.status) || location === undefined || !URL.canParse(location, url)) {
      if (response.status >= 400)
        throw new ImportRefused(`${url} cannot be read: it returned status ${response.status}.`)
      if (!isHtml(response.headers['content-type'] ?? ''))
        throw new ImportRefused(
          `${url} cannot be read: it is not an HTML page (Content-Type: ${response.headers['content-type'] ?? 'none'}).`,
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
  /** Position of each page among the links of the first page, which lists them in reading order. */
  readonly order = new Map<string, number>()
  // bound: ten times the pages of an import
  readonly #seen = new Map<string, SourcePage | null>()
  readonly #byText = new Map<string, SourcePage>()
  readonly #queue: PageRequest[] = []
  /** The first page that exceeds the link depth. */
  #tooDeep = ''
  readonly #maxPages: number

  constructor(
    private readonly gathering: Gathering,
    private readonly scope: Scope,
    private readonly robots: Robots,
    /** The response of the first page, which was already fetched. */
    private readonly first: HttpResponse,
  ) {
    this.#maxPages = gathering.app.settings.imports.maxPages
  }

  enqueue(request: PageRequest): void {
    const key = keyOf(request.url)
    if (this.#seen.has(key) || this.#seen.size >= this.#maxPages * 10) return
    if (request.depth > MAX_DEPTH) return void (this.#tooDeep ||= request.url)
    this.#seen.set(key, null)
    this.#queue.push(request)
  }

  async run(): Promise<void> {
    const { gathering } = this
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      const stop = this.#stopReason()
      if (stop !== null) {
        gathering.fail(
          gathering.url,
          `${stop} ${this.#queue.length + 1} more pages were found but not read. Import them with a deeper address, or raise the limit.`,
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
        `It is more than ${MAX_DEPTH} links away from the first page. It was skipped, and so were the pages that only it links to.`,
      )
  }

  /** Returns the reason to end the crawl before its queue is empty. Null to continue. */
  #stopReason(): string | null {
    if (this.pages.length >= this.#maxPages) return `Only the first ${this.#maxPages} pages were imported.`
    if (this.gathering.late) return 'The time limit for reading was reached.'
    return this.gathering.fetcher.left === 0 ? 'The import has reached its limit of bytes.' : null
  }

  async #visit(request: PageRequest): Promise<void> {
    const { url, depth, from } = request
    if (!(await this.robots.allows(url)))
      throw new ResourceFailure('The robots.txt of the website does not allow programs to read it.')
    const isFirst = url === this.first.url
    const response = isFirst
      ? this.first
      : await this.gathering.fetcher.get(url, { redirects: 0, maxBytes: MAX_PAGE_BYTES, delayMs: this.robots.delayMs })
    const { location } = response.headers
    if (REDIRECTS.has(response.status) && location !== undefined) return this.#followRedirect(request, location)
    if (response.status < 200 || response.status > 299)
      throw new ResourceFailure(`It returned status ${response.status}.`)
    const contentType = response.headers['content-type'] ?? ''
    // A link to anything but a page stays unchanged.
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
    if (facts && facts.refresh !== '' && page.text.length < 500) return this.#followRedirect(request, facts.refresh)
    if (page.text === '') throw new ResourceFailure('The page has no text, or only scripts show it.')
    page.aliases.push(...from)
    this.#addPage(page, read.files)
  }

  #follow(link: ConvertedPage['links'][number], depth: number): void {
    const url = pageUrl(this.scope, link)
    if (url !== null) this.enqueue({ url, depth: depth + 1, from: [] })
  }

  /** Follows a redirect like a link. The redirecting address becomes an alias of the target page. */
  #followRedirect({ url, depth, from }: PageRequest, location: string): void {
    const target = URL.canParse(location, url) ? pageUrl(this.scope, new URL(location, url).href) : null
    if (target === null) throw new ResourceFailure('It redirects to an address outside of the imported part.')
    const known = this.#seen.get(keyOf(target))
    if (known) known.aliases.push(url, ...from)
    else if (from.length >= MAX_REDIRECTS) throw new ResourceFailure(`It redirects more than ${MAX_REDIRECTS} times.`)
    else if (keyOf(target) === keyOf(url) && !from.includes(target))
      this.#queue.unshift({ url: target, depth, from: [...from, target] })
    else if (known === null) {
      const queued = this.#queue.find((one) => keyOf(one.url) === keyOf(target))
      if (!queued) throw new ResourceFailure('It redirects to an address that could not be read.')
      queued.from.push(url, ...from)
    } else this.enqueue({ url: target, depth, from: [url, ...from] })
  }

  /** Adds a page, unless another address had the same content. */
  #addPage(page: SourcePage, files: ReadonlyMap<string, Uint8Array>): void {
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
