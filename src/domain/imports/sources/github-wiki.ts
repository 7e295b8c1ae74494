/** Reads the wiki of a Git host. Its pages are files in a separate repository. */
import { parseRemoteUrl, RemoteError } from '../../../git/index.js'
import { withPackLimit } from '../../context/quotas.js'
import { withoutRemoved } from '../../context/removed-objects.js'
import { ImportRefused } from '../failure.js'
import type { Gathering } from '../gathering.js'
import { allPages, type SourceContent, type SourcePage } from '../source-page.js'
import { readFiles } from './archive.js'

const MAX_FILES = 20_000
/** Wiki pages that are shown next to every page. */
const SIDE_PAGES = /(^|\/)_(sidebar|footer|header)\.\w+$/i
/** Wiki markup that cannot be converted. */
const OTHER_MARKUP = /\.(asciidoc|adoc|creole|mediawiki|wiki|org|pod|rdoc|rest|rst|textile)$/i

/**
 * Returns the address of a wiki's repository: `https://host/owner/repo/wiki` → `https://host/owner/repo.wiki.git`.
 * GitLab uses `-/wikis`.
 */
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

/** Reads a wiki by fetching its repository. Throws `ImportRefused`. */
export async function readWiki(gathering: Gathering): Promise<SourceContent> {
  const files = await filesOf(gathering)
  for (const path of files.keys())
    if (OTHER_MARKUP.test(path)) gathering.fail(path, 'Its markup is not markdown and cannot be converted.')
  const sidebar = [...files].find(([path]) => /(^|\/)_sidebar\.(md|markdown)$/i.test(path))
  const pages = new Map([...files].filter(([path]) => !SIDE_PAGES.test(path)))
  const names = new Map(
    [...pages.keys()].filter((path) => /\.(md|markdown)$/i.test(path)).map((path) => [nameKey(titleOf(path)), path]),
  )
  const linked = new Map(
    [...pages].map(([path, content]) => [
      path,
      /\.(md|markdown)$/i.test(path) ? wikiLinks(content, names, path) : content,
    ]),
  )
  // The sidebar is the wiki's table of contents. Its links name pages instead of files.
  if (sidebar) linked.set('SUMMARY.md', contentsOf(sidebar[1], names))
  const content = await readFiles(gathering, linked, titleOf)
  if (content.pages.length === 0) throw new ImportRefused(`The wiki at ${gathering.url} has no markdown page.`)
  for (const page of allPages(content.pages)) nameAddresses(gathering.url, page)
  return content
}

async function filesOf(gathering: Gathering): Promise<Map<string, Uint8Array>> {
  const { app, space, signal } = gathering
  const { settings } = app
  try {
    const { url } = parseRemoteUrl(wikiRepository(gathering.url), settings.allowedProtocols)
    const ref = await space.repo.remote.defaultBranch({ url })
    if (ref === null) throw new ImportRefused(`The wiki at ${gathering.url} has no page.`)
    const limits = {
      maxBlobBytes: settings.maxBlobBytes,
      maxEntries: MAX_FILES,
      timeoutMs: settings.remoteTimeoutMs,
      ...(await withoutRemoved(app, space.doc.id)),
    }
    // The fetched objects stay in the space's repository without a ref until they are pruned.
    const { head } = await withPackLimit(app, space.doc.organization, (maxPackBytes) =>
      space.repo.remote.fetch({ url }, ref, { ...limits, maxPackBytes }),
    )
    const snapshot = await space.repo.objects.snapshot(head)
    const entries = (await snapshot.walk()).filter(({ mode }) => mode === '100644' || mode === '100755')
    const sizes = await snapshot.sizes(entries.map(({ oid }) => oid))
    const files = new Map<string, Uint8Array>()
    let left = settings.imports.maxBytes
    for (const [at, { path, oid }] of entries.entries()) {
      const size = sizes[at] ?? 0
      if (size > Math.min(left, settings.maxFileBytes))
        gathering.fail(path, `It has ${size} bytes, which exceeds the import limit.`)
      else files.set(path, await snapshot.read(oid))
      if (files.has(path)) left -= size
      signal.throwIfAborted()
    }
    return files
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error
    throw new ImportRefused(
      `The wiki of ${gathering.url} cannot be read: ${error.message} Only public wikis can be imported.`,
      {
        cause: error,
      },
    )
  }
}

/** Returns the title of a wiki page, which is its file name: `Getting-Started.md`. */
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

/** Returns the file that a name in a link refers to, as a link target in the file `from`. Null if there is none. */
function targetOf(name: string, names: ReadonlyMap<string, string>, from: string): string | null {
  const [page = '', anchor] = name.split('#')
  let plain = page
  try {
    plain = decodeURIComponent(page)
  } catch {
    // Not percent-encoded: use the name as written.
  }
  const path = names.get(nameKey(plain.replace(/\.(md|markdown)$/i, '').replace(/^.*\//, '')))
  if (path === undefined) return null
  const up = '../'.repeat(from.split('/').length - 1)
  return `${up}${path.split('/').map(encodeURIComponent).join('/')}${anchor === undefined ? '' : `#${anchor}`}`
}

/** Maximum size in bytes of a page whose wiki links are converted. */
const MAX_LINKED_BYTES = 1024 * 1024

/** Converts wiki links (`[[Page]]`, `[[text|Page]]`, `[text](Page)`) to links to files. */
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

/** Converts the sidebar's links to names and to wiki addresses into links to files. */
const contentsOf = (content: Uint8Array, names: ReadonlyMap<string, string>): Uint8Array =>
  Buffer.from(
    Buffer.from(wikiLinks(content, names, 'SUMMARY.md'))
      .toString()
      .replace(/\]\(https?:\/\/[^()\s]+?\/wikis?(?:\/([^()\s]*))?\)/g, (whole, name?: string) => {
        const target = targetOf(name || 'Home', names, 'SUMMARY.md')
        return target === null ? whole : `](${target})`
      }),
  )

/** Adds the wiki addresses of a page as aliases, since pages also link to those. */
function nameAddresses(url: string, page: SourcePage): void {
  const base = url.replace(/(\/wikis?)(\/.*)?$/, '$1')
  const name = page.url.slice(page.url.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
  page.aliases.push(`${base}/${name}`, ...(/^home$/i.test(name) ? [base] : []))
}
