/** Writes offline bundles of sites: ZIP files with the pages, the files that they load, and the texts for the search. */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { PageEntry } from '../../content/types.js'
import type { App } from '../../domain/context/app.js'
import { BundleFailure, type BundleFacts, type BundleRun, type Bundler } from '../../domain/context/bundler.js'
import { publishedSite } from '../../domain/sites/addresses.js'
import { findFile, isFilePath } from '../../domain/sites/visitor-file.js'
import { openForBundle, type Visitor } from '../../domain/sites/visitor.js'
import { required } from '../../kernel/defined.js'
import { asError } from '../../kernel/thrown.js'
import { loadAssets, type SharedAssets } from '../assets.js'
import { type ListedSpace, listedSpaces, pageIn } from '../listed-pages.js'
import { shortTitle } from '../navigation.js'
import { pageDocument } from '../page-output.js'
import { offlineVisit } from './offline-visit.js'
import { styleOf } from '../look/site-style.js'
import type { Visit } from '../visit.js'
import { addressFrom, ASSETS, FileNames } from './file-names.js'
import { offlineHtml, pathsIn } from './offline-html.js'
import { SearchScripts, sectionsOf } from './search-data.js'

/** Maximum number of pages, size of the content in bytes, and time for a bundle. */
const MAX_PAGES = 20_000
const MAX_BYTES = 2 * 1024 * 1024 * 1024
const MAX_MS = 30 * 60_000
/** Maximum size of one file in bytes. Pages link to larger ones on the site. */
const MAX_FILE = 100 * 1024 * 1024
/** The timestamp of files without a known time. It is constant, so that a bundle reveals nothing else. */
const NO_TIME = new Date(Date.UTC(2000, 0, 1))
/** Types of files that do not compress. */
const COMPRESSED = /\.(?:png|jpe?g|gif|webp|avif|woff2?|zip|gz|mp4|webm|mp3|ogg|pdf)$/i

/** Creates the bundler. It loads the assets when it writes its first bundle. */
export function createBundler(): Bundler<App> {
  let assets: SharedAssets | undefined
  return {
    async write(app, order, folder, { signal, progress }) {
      const visitor = await openForBundle(app, order)
      if (!visitor) throw new BundleFailure('The site is no longer published.')
      assets ??= loadAssets()
      const zip = new Zip(join(folder, 'site.zip'), signal)
      try {
        const pages = await new BundleWriter(app, visitor, assets, zip).write(progress)
        return { ...(await zip.end()), pages }
      } catch (error) {
        zip.cancel(error)
        throw error
      }
    },
  }
}

/** A ZIP file that is written while its entries are added. */
class Zip {
  readonly #zip = new ZipFile()
  readonly #hash = createHash('sha256')
  readonly #written: Promise<void>
  readonly #started = performance.now()
  #content = 0
  #bytes = 0

  constructor(
    path: string,
    private readonly signal: AbortSignal,
  ) {
    const count = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.#hash.update(chunk)
        this.#bytes += chunk.length
        done(null, chunk)
      },
    })
    const output = createWriteStream(path, { mode: 0o600 })
    this.#written = pipeline(this.#zip.outputStream, count, output, { signal })
    this.#written.catch(() => {})
    this.#zip.on('error', (error: Error) => this.cancel(error))
  }

  /** Ends the file without its directory, and releases it. */
  cancel(error: unknown): void {
    const { outputStream } = this.#zip
    if (outputStream instanceof Readable) outputStream.destroy(asError(error))
  }

  /** Adds a file, and waits until it is written. Throws `BundleFailure` if the bundle becomes too large. */
  async add(name: string, content: Readable | Buffer | string, mtime = NO_TIME): Promise<void> {
    this.signal.throwIfAborted()
    if (performance.now() - this.#started > MAX_MS)
      throw new BundleFailure(`The bundle takes longer than ${MAX_MS / 60_000} minutes.`)
    const source =
      content instanceof Readable
        ? content
        : Readable.from([typeof content === 'string' ? Buffer.from(content) : content])
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.#content += chunk.length
        if (this.#content <= MAX_BYTES) return done(null, chunk)
        done(new BundleFailure(`The bundle has more than ${MAX_BYTES / 1024 ** 3} GB.`))
      },
    })
    const read = pipeline(source, counted).then(() => finished(counted))
    this.#zip.addReadStream(counted, name, { compress: !COMPRESSED.test(name), mtime, mode: 0o100644 })
    // If the disk is full, nothing reads the source any more.
    await Promise.race([read, this.#written.then(() => read)])
  }

  async end(): Promise<Omit<BundleFacts, 'pages'>> {
    this.#zip.end()
    await this.#written
    return { bytes: this.#bytes, digest: this.#hash.digest('hex') }
  }
}

class BundleWriter {
  readonly #names = new FileNames()
  /** Names of the pages by their paths below the site. */
  // bound: MAX_PAGES
  readonly #pages = new Map<string, string>()
  /** Names of the files by their paths below the site; null if one is not in the bundle. */
  // bound: the files of the spaces
  readonly #files = new Map<string, string | null>()
  // bound: the files that pages load
  readonly #assets = new Set<string>()
  readonly #visit: Visit

  constructor(
    private readonly app: App,
    private readonly visitor: Visitor,
    private readonly assets: SharedAssets,
    private readonly zip: Zip,
  ) {
    const { organization, site } = visitor.view.address
    this.#visit = offlineVisit(app, visitor, publishedSite({ app, organization, site }) ?? '')
  }

  /** Writes all files, and returns the number of pages. */
  async write(progress: BundleRun['progress']): Promise<number> {
    const spaces = await listedSpaces(this.#visit)
    const pages = spaces.flatMap((space) => space.tree.order.map((entry) => pageIn(space, entry)))
    if (pages.length > MAX_PAGES) throw new BundleFailure(`The site has more than ${MAX_PAGES} pages.`)
    // The start file of the bundle. It is the first page if the site has no page at its root.
    const first = pages.some(({ path }) => path === '') ? undefined : pages[0]?.path
    for (const { path } of pages) this.#pages.set(path, this.#names.page(path === first ? '' : path))
    if (first !== undefined) this.#pages.set('', 'index.html')
    let written = 0
    for (const [number, space] of spaces.entries()) {
      const scripts = new SearchScripts(number)
      for (const entry of space.tree.order) {
        const script = await this.#page(space, entry, scripts)
        if (script) await this.zip.add(`${ASSETS}/${script.name}`, script.body)
        await progress(++written / pages.length)
      }
      const last = scripts.end()
      await this.zip.add(`${ASSETS}/${last.name}`, last.body)
    }
    return pages.length
  }

  /** Writes a page. Returns a script with texts if one is complete. */
  async #page(space: ListedSpace, entry: PageEntry, scripts: SearchScripts) {
    const page = pageIn(space, entry)
    const { html, rendered, frame, record } = await pageDocument(this.#visit, page, this.assets)
    const name = required(this.#pages.get(page.path))
    const paths = pathsIn(html)
    for (const path of paths) await this.#load(path)
    const style = await styleOf(this.assets, frame.look)
    await this.#sheet(style.sheet)
    const changed = record === null ? NO_TIME : new Date(`${record.date}T00:00:00Z`)
    await this.zip.add(
      name,
      offlineHtml(html, (path) => this.#addressOf(name, path)),
      changed,
    )
    const above = space.tree.above(entry.id)
    const isFound = [...above, entry].every(
      (one) => one.type !== 'document' || !space.pages.known.get(one.gitPath)?.page.attributes.noIndex,
    )
    if (!isFound) return null
    const place = above.map(({ title }) => shortTitle(title)).join(' › ')
    return scripts.add([rendered.title ?? entry.title, name, place, sectionsOf(rendered.html)])
  }

  /** Adds the file that a path names, unless the bundle has it. */
  async #load(path: string): Promise<void> {
    const plain = path.replace(/[?#].*$/s, '')
    const asset = /^\/~assets\/([\w.-]+)$/.exec(plain)?.[1]
    const found = asset === undefined ? undefined : this.assets.find(asset)
    if (found && !this.#assets.has(found.name)) {
      this.#assets.add(found.name)
      await this.zip.add(`${ASSETS}/${found.name}`, found.body)
    }
    if (isFilePath(plain) && !this.#files.has(plain)) this.#files.set(plain, await this.#file(plain))
  }

  async #file(path: string): Promise<string | null> {
    const file = await findFile(this.app, this.visitor, path)
    if (!file || file.size > MAX_FILE) return null
    const name = this.#names.file(file.name)
    await this.zip.add(name, await file.read())
    return name
  }

  /** Adds a style sheet with its fonts. */
  async #sheet({ name, body }: { name: string; body: Buffer }): Promise<void> {
    if (this.#assets.has(name)) return
    this.#assets.add(name)
    // Pages from a folder do not preload fonts.
    await this.zip.add(
      `${ASSETS}/${name}`,
      body.toString().replaceAll('font-display:optional', 'font-display:fallback'),
    )
    for (const [, font = ''] of body.toString().matchAll(/url\(([\w.-]+\.woff2)\)/g))
      await this.#load(`/~assets/${font}`)
  }

  /**
   * Returns the address of a path below the site as seen from a file. Files outside of the bundle have their address on
   * the site.
   */
  #addressOf(from: string, path: string): string {
    const [, plain = '', query = '', anchor = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(path) ?? []
    const asset = /^\/~assets\/([\w.-]+)$/.exec(plain)?.[1]
    if (asset !== undefined) return addressFrom(from, `${ASSETS}/${asset}`)
    if (plain === '/~search') return '#ui~finder'
    const known = this.#pages.get(plain === '/' ? '' : plain) ?? this.#files.get(plain)
    if (known === undefined || known === null) return this.#visit.address + plain + query + anchor
    return known === from && anchor !== '' ? anchor : addressFrom(from, known) + anchor
  }
}
