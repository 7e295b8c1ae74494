/** The source that is the wiki of a Git host: its pages are files of a repository beside the one of the code. */
import { parseRemoteUrl, RemoteError } from '../../../git/index.js'
import { ImportRefused } from '../failure.js'
import type { Gathering } from '../gathering.js'
import { allPages, type SourceContent, type SourcePage } from '../source-page.js'
import { readFiles } from './archive.js'

const MAX_FILES = 20_000
/** Pages of a wiki that every page shows beside itself. */
const BESIDE = /(^|\/)_(sidebar|footer|header)\.\w+$/i
/** Markup of wikis that is not converted. */
const OTHER_MARKUP = /\.(asciidoc|adoc|creole|mediawiki|wiki|org|pod|rdoc|rest|rst|textile)$/i

/** The address of a wiki's repository: `https://host/owner/repo/wiki` → `https://host/owner/repo.wiki.git`; `-/wikis` of GitLab. */
function wikiRepository(url: string): string {
  const { origin, pathname } = new URL(url)
  const [, repository] =
    /^(\/.+?)(?:\/-)?\/wikis?(?:\/.*)?$/.exec(pathname) ?? /^(\/.+)\.wiki\.git\/?$/.exec(pathname) ?? []
  if (repository === undefined)
    throw new ImportRefused(
      `${url} is not the address of a wiki. Open the wiki's first page and copy its address, such as https://github.com/owner/repository/wiki.`,
    )
  return `${origin}${repository.replace(/\.git$/, '')}.wiki.git`
}

/** Reads a wiki: clones its repository, and reads its files. Throws `ImportRefused`. */
export async function readWiki(gathering: Gathering): Promise<SourceContent> {
  const files = await filesOf(gathering)
  for (const path of files.keys())
    if (OTHER_MARKUP.test(path)) gathering.fail(path, 'Its markup is not markdown, and cannot be converted.')
  const sidebar = [...files].find(([path]) => /(^|\/)_sidebar\.(md|markdown)$/i.test(path))
  const pages = new Map([...files].filter(([path]) => !BESIDE.test(path)))
  const names = new Map(
    [...pages.keys()].filter((path) => /\.(md|markdown)$/i.test(path)).map((path) => [nameKey(titleOf(path)), path]),
  )
  const linked = new Map(
    [...pages].map(([path, content]) => [
      path,
      /\.(md|markdown)$/i.test(path) ? wikiLinks(content, names, path) : content,
    ]),
  )
  // The sidebar is the wiki's table of contents, with links to names instead of files.
  if (sidebar) linked.set('SUMMARY.md', contentsOf(sidebar[1], names))
  const content = await readFiles(gathering, linked, titleOf)
  if (content.pages.length === 0) throw new ImportRefused(`The wiki at ${gathering.url} has no page of markdown.`)
  for (const page of allPages(content.pages)) nameAddresses(gathering.url, page)
  return content
}

async function filesOf(gathering: Gathering): Promise<Map<string, Uint8Array>> {
  const { app, space, signal } = gathering
  const { settings } = app
  try {
    const { url } = parseRemoteUrl(wikiRepository(gathering.url), settings.allowedProtocols)
    const ref = await space.repo.remoteDefault({ url })
    if (ref === null) throw new ImportRefused(`The wiki at ${gathering.url} has no page.`)
    const limits = {
      maxBlobBytes: settings.maxBlobBytes,
      maxPackBytes: settings.maxPackBytes,
      maxEntries: MAX_FILES,
      timeoutMs: settings.remoteTimeoutMs,
    }
    // What is fetched stays in the repository of the space without a name, until it is pruned.
    const { head } = await space.repo.fetch({ url }, ref, limits)
    const snapshot = await space.repo.at(head)
    const entries = (await snapshot.walk()).filter(({ mode }) => mode === '100644' || mode === '100755')
    const sizes = await snapshot.sizes(entries.map(({ oid }) => oid))
    const files = new Map<string, Uint8Array>()
    let left = settings.imports.maxBytes
    for (const [at, { path, oid }] of entries.entries()) {
      const size = sizes[at] ?? 0
      if (size > Math.min(left, settings.maxFileBytes))
        gathering.fail(path, `It has ${size} bytes, which is more than may be imported.`)
      else files.set(path, await snapshot.read(oid))
      if (files.has(path)) left -= size
      signal.throwIfAborted()
    }
    return files
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error
    throw new ImportRefused(
      `The wiki of ${gathering.url} cannot be read: ${error.message} Only wikis that everybody may read can be imported.`,
      {
        cause: error,
      },
    )
  }
}

/** A wiki names its pages by their files: `Getting-Started.md`. */
const titleOf = (path: string): string =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.\w+$/, '')
    .replace(/-/g, ' ')

const nameKey = (name: string): string =>
  name
    .replace(/[\s_-]+/g, ' ')
    .trim()
    .toLowerCase()

/** The file that a name in a link means, as a target for a link in the file `from`; null if there is none. */
function targetOf(name: string, names: ReadonlyMap<string, string>, from: string): string | null {
  const [page = '', anchor] = name.split('#')
  let plain = page
  try {
    plain = decodeURIComponent(page)
  } catch {
    // Not percent-encoding: taken as written.
  }
  const path = names.get(nameKey(plain.replace(/\.(md|markdown)$/i, '').replace(/^.*\//, '')))
  if (path === undefined) return null
  const up = '../'.repeat(from.split('/').length - 1)
  return `${up}${path.split('/').map(encodeURIComponent).join('/')}${anchor === undefined ? '' : `#${anchor}`}`
}

/** Longest page, in bytes, in which links of wikis are looked for. */
const MAX_LINKED_BYTES = 1024 * 1024

/** Turns links of wikis (`[[Page]]`, `[[text|Page]]`, `[text](Page)`) into links to files. */
function wikiLinks(content: Uint8Array, names: ReadonlyMap<string, string>, from: string): Uint8Array {
  if (content.length > MAX_LINKED_BYTES) return content
  const text = Buffer.from(content)
    .toString()
    .replace(/\[\[([^[\]\n|]{1,300})(?:\|([^[\]\n|]{1,300}))?\]\]/g, (whole, first: string, second?: string) => {
      const target = targetOf((second ?? first).trim(), names, from)
      return target === null ? whole : `[${first.trim()}](${target})`
    })
    .replace(/\]\((?![a-z][a-z0-9+.-]*:|[#/<])([^()\s]{1,300})\)/gi, (whole, name: string) => {
      const target = /\.(png|jpe?g|gif|svg|webp|pdf|zip)$/i.test(name) ? null : targetOf(name, names, from)
      return target === null ? whole : `](${target})`
    })
  return Buffer.from(text)
}

/** The sidebar with its links to names as links to files; those to the wiki's own addresses too. */
const contentsOf = (content: Uint8Array, names: ReadonlyMap<string, string>): Uint8Array =>
  Buffer.from(
    Buffer.from(wikiLinks(content, names, 'SUMMARY.md'))
      .toString()
      .replace(/\]\(https?:\/\/[^()\s]+?\/wikis?(?:\/([^()\s]*))?\)/g, (whole, name?: string) => {
        const target = targetOf(name || 'Home', names, 'SUMMARY.md')
        return target === null ? whole : `](${target})`
      }),
  )

/** Pages link to each other by the addresses of the wiki as well. */
function nameAddresses(url: string, page: SourcePage): void {
  const base = url.replace(/(\/wikis?)(\/.*)?$/, '$1')
  const name = page.url.slice(page.url.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
  page.aliases.push(`${base}/${name}`, ...(/^home$/i.test(name) ? [base] : []))
}
