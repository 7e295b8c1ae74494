/** Decides where the links of imported pages lead once the pages and files have their places in the repository. */
import { relativeTarget, type ReferenceReplacement } from '../../content/edit/rewrite-references.js'
import type { PageReference } from './page-references.js'
import { keyOf, type SourcePage } from './source-page.js'

/** The places of everything that is imported. */
export interface Places {
  /** By the key of each address of a page. */
  pages: ReadonlyMap<string, SourcePage>
  paths: ReadonlyMap<SourcePage, string>
  /** Paths of files, by the key of their address. */
  files: ReadonlyMap<string, string>
  /** Whether a link with a query leads to the page without. */
  ignoresQueries: boolean
}

/** The pages by all their addresses. Where two claim one, the page whose own address it is has it. */
export function byAddress(pages: readonly SourcePage[]): Map<string, SourcePage> {
  const found = new Map(pages.map((page) => [keyOf(page.url), page]))
  for (const page of pages)
    for (const alias of page.aliases) if (!found.has(keyOf(alias))) found.set(keyOf(alias), page)
  return found
}

/** Links within an archive may leave out the extension, or name a folder. */
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
 * The new target of a reference in a page at `from`; null if it stays as it is. Links to what is not imported lead where they led: to the
 * absolute address, or within an archive to the same relative path.
 */
function newTarget(
  places: Places,
  page: SourcePage,
  from: string,
  { kind, target, url, fragment }: PageReference,
): string | null {
  const to = pageAt(places, url)
  const path = to && places.paths.get(to)
  // A bare address in the text is a link only as long as it is an address.
  if (kind === 'autolink') return null
  if (path !== undefined) return to === page && fragment !== '' ? fragment : relativeTarget(from, path) + fragment
  const file = places.files.get(keyOf(url))
  if (file !== undefined) return relativeTarget(from, file) + fragment
  if (url.startsWith('archive:'))
    return target.startsWith('archive:') ? relativeTarget(archivePath(page.url), archivePath(url)) + fragment : null
  return /^[a-z][a-z0-9+.-]*:/i.test(target) ? null : url + fragment
}

/** The replacements for all references of a page. */
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
