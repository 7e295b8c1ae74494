/** Determines the targets of links in imported pages after pages and files have their paths in the repository. */
import { relativeTarget, type ReferenceReplacement } from '../../content/edit/rewrite-references.js'
import type { PageReference } from './page-references.js'
import { keyOf, type SourcePage } from './source-page.js'

/** The paths of all imported pages and files. */
export interface Places {
  /** Pages by the key of each of their addresses. */
  pages: ReadonlyMap<string, SourcePage>
  paths: ReadonlyMap<SourcePage, string>
  /** Paths of files by the key of their address. */
  files: ReadonlyMap<string, string>
  /** Whether a link with a query points to the page without the query. */
  ignoresQueries: boolean
}

/** Maps all addresses to pages. If an address belongs to several pages, the page with it as its main address wins. */
export function byAddress(pages: readonly SourcePage[]): Map<string, SourcePage> {
  const found = new Map(pages.map((page) => [keyOf(page.url), page]))
  for (const page of pages)
    for (const alias of page.aliases) if (!found.has(keyOf(alias))) found.set(keyOf(alias), page)
  return found
}

/** Suffixes to try for links in an archive. Such links may omit the extension or name a folder. */
const ENDINGS = ['', '.md', '.html', '/README.md', '/index.md', '/index.html']

function pageAt({ pages, ignoresQueries }: Places, address: string): SourcePage | undefined {
  const url = ignoresQueries ? address.replace(/\?.*/s, '') : address
  const key = keyOf(url)
  const endings = url.startsWith('archive:') ? ENDINGS : ['']
  for (const ending of endings) if (pages.has(key + ending)) return pages.get(key + ending)
  return undefined
}

const archivePath = (url: string): string => keyOf(url).replace(/^archive:\/\/\//, '')

/**
 * Returns the new target of a reference in a page at `from`. Null if it stays unchanged. A link to a page that is not
 * imported keeps its destination: the absolute address, or the same relative path in an archive.
 */
function newTarget(
  places: Places,
  page: SourcePage,
  from: string,
  { kind, target, url, fragment }: PageReference,
): string | null {
  const to = pageAt(places, url)
  const path = to && places.paths.get(to)
  // A bare address in the text is a link only while it is an address.
  if (kind === 'autolink') return null
  if (path !== undefined) return to === page && fragment !== '' ? fragment : relativeTarget(from, path) + fragment
  const file = places.files.get(keyOf(url))
  if (file !== undefined) return relativeTarget(from, file) + fragment
  if (url.startsWith('archive:'))
    return target.startsWith('archive:') ? relativeTarget(archivePath(page.url), archivePath(url)) + fragment : null
  return /^[a-z][a-z0-9+.-]*:/i.test(target) ? null : url + fragment
}

/** Returns the replacements for all references of a page. */
export const replacementsIn = (
  places: Places,
  page: SourcePage,
  from: string,
  references: readonly PageReference[],
): ReferenceReplacement[] =>
  references.flatMap((reference) => {
    const target = newTarget(places, page, from, reference)
    return target === null ? [] : [{ start: reference.start, end: reference.end, target }]
  })
