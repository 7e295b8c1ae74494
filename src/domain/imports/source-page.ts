/** Types for the content of a source: an ordered tree of pages, and the files that came with them. */

/** A page that was read from a source. */
export interface SourcePage {
  /** Base address for the page's relative links: `https://…`, or `archive:///path` in an archive. */
  url: string
  /** Other addresses of the same page. */
  aliases: string[]
  title: string
  /** Preferred name of its file. */
  name: string
  /** The complete text, including front matter. */
  text: string
  children: SourcePage[]
  /** Set for a folder that has no page. */
  isFolder?: true
}

/** The complete content of a source. */
export interface SourceContent {
  /** The top-level pages. */
  pages: SourcePage[]
  /** Files that came with the pages, by address. Files that no page references are not imported. */
  files: Map<string, Uint8Array>
  /** Whether queries are ignored: a link with a query then points to the page without it. */
  ignoresQueries?: boolean
}

/** Lists all pages of a tree, parents first. */
export const allPages = (pages: readonly SourcePage[]): SourcePage[] =>
  pages.flatMap((page) => [page, ...allPages(page.children)])

/**
 * Returns a lookup key for an address: decoded and without the fragment. On a website, `/docs`, `/docs/` and
 * `/docs/index.html` have the same key.
 */
export function keyOf(url: string): string {
  if (!URL.canParse(url)) return url
  const { protocol, host, pathname, search } = new URL(url)
  let path = pathname
  try {
    // On a website, an encoded slash (%2F) is part of a name.
    path = decodeURIComponent(protocol === 'archive:' ? pathname : pathname.replace(/%2f/gi, '%252F'))
  } catch {
    // Not percent-encoded: use the path as written.
  }
  if (protocol !== 'archive:') path = path.replace(/\/index\.(html?|php)$/i, '/')
  return `${protocol}//${host}${path.normalize('NFC').replace(/(?<=[^/])\/+$/, '')}${search}`
}

/** Returns the address of a file in an archive or repository. */
export const archiveUrl = (path: string): string => `archive:///${path.split('/').map(encodeURIComponent).join('/')}`

/** Escapes a title for use as heading text, so that none of its characters is markup or starts a tag. */
const headingText = (title: string): string =>
  title
    .replace(/\s+/g, ' ')
    .replace(/[\\[\]*_`<>]/g, '\\$&')
    .replace(/\{(?=[{%])/g, '\\{')
    .replace(/\$(?=\$)/g, '\\$')

/** Returns a page's text with its title as the first heading. */
export const titled = (title: string, body: string): string => `# ${headingText(title)}\n\n${body.trim()}\n`
