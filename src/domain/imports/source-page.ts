/** What a source reads: pages in their order and tree, and the files that came with them. */

/** A page that was read from a source. */
export interface SourcePage {
  /** Its address, to which relative links in it refer: `https://…`, or `archive:///path` in an archive. */
  url: string
  /** Other addresses of the same page. */
  aliases: string[]
  title: string
  /** The name that its file gets if it is free. */
  name: string
  /** The whole text, with front matter if it has one. */
  text: string
  children: SourcePage[]
  /** Nothing was read for it: it stands for a folder without a page. */
  isFolder?: true
}

/** All that a source has. */
export interface SourceContent {
  /** The pages of the top level. */
  pages: SourcePage[]
  /** Files that came with the pages, by address. Those that no page names are not imported. */
  files: Map<string, Uint8Array>
  /** Queries do not tell its pages apart: a link with one leads to the page without. */
  ignoresQueries?: boolean
}

/** All pages of a tree, each before those below it. */
export const allPages = (pages: readonly SourcePage[]): SourcePage[] =>
  pages.flatMap((page) => [page, ...allPages(page.children)])

/** An address without its fragment, decoded, so that it is found however it is written; of a website, `/docs`, `/docs/` and `/docs/index.html` are one. */
export function keyOf(url: string): string {
  if (!URL.canParse(url)) return url
  const { protocol, host, pathname, search } = new URL(url)
  let path = pathname
  try {
    // A slash that is written as %2F is part of a name on a website.
    path = decodeURIComponent(protocol === 'archive:' ? pathname : pathname.replace(/%2f/gi, '%252F'))
  } catch {
    // Not percent-encoding: taken as written.
  }
  if (protocol !== 'archive:') path = path.replace(/\/index\.(html?|php)$/i, '/')
  return `${protocol}//${host}${path.normalize('NFC').replace(/(?<=[^/])\/+$/, '')}${search}`
}

/** The address of a file in an archive or repository. */
export const archiveUrl = (path: string): string => `archive:///${path.split('/').map(encodeURIComponent).join('/')}`

/** A title as text of a heading: none of its characters is markup, nor begins a tag. */
const headingText = (title: string): string =>
  title
    .replace(/\s+/g, ' ')
    .replace(/[\\[\]*_`<>]/g, '\\$&')
    .replace(/\{(?=[{%])/g, '\\{')
    .replace(/\$(?=\$)/g, '\\$')

/** A page's text with its title as the first heading. */
export const titled = (title: string, body: string): string => `# ${headingText(title)}\n\n${body.trim()}\n`
