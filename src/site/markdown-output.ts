/** Makes the markdown of a page, at the address of the page with `.md` at the end or for clients that prefer markdown. */
import { stringify } from 'yaml'
import { lastChangeOf } from '../domain/revisions/last-change.js'
import { readPageText } from '../domain/sites/visitor-page.js'
import { markdownFor } from '../domain/sites/visitor-markdown.js'
import {
  encodedPath,
  findDestination,
  pathOfPage,
  pathOfSiteSpace,
  type ReadPage,
} from '../domain/sites/visitor-paths.js'
import { defined } from '../kernel/defined.js'
import { redirectTo, type SiteResponse } from './exchange.js'
import type { Visit } from './visit.js'

/** Whether the team lets programs read the site: its markdown, lists of pages and tools. A bundle has none of them. */
export const servesAgents = ({ visitor, offline }: Visit): boolean =>
  visitor.site.doc.agentsContext === 'included' && !offline

/** Returns the path of a page as markdown, below the address of the site. The first page of a space is its `index.md`. */
export function markdownPath({ siteSpace, pages, entry }: Omit<ReadPage, 'path'>): string {
  const above = pathOfSiteSpace(siteSpace)
  const path = pathOfPage(siteSpace, pages, entry)
  return path === above && !pages.revision.structure.byPath.has('index')
    ? `${above}/index.md`
    : `${above}/${encodedPath(entry.path)}.md`
}

/** Makes the response for a path that ends with `.md`. Null if the reader may see no such page. */
export async function markdownOutput(visit: Visit, path: string): Promise<SiteResponse | null> {
  if (!/\.md$/i.test(path) || !servesAgents(visit)) return null
  const page = await pageAt(visit, path)
  if (!page) return null
  const own = markdownPath(page)
  return own === path ? markdownOf(visit, page) : redirectTo(visit.base + own, visit.audience)
}

/** Finds the page at a path, at the path of its markdown, or at a path that redirects. Null if the reader may see none. */
export async function pageAt({ app, visitor }: Visit, path: string): Promise<ReadPage | null> {
  const plain = path.replace(/\.md$/i, '')
  const found =
    (await findDestination(app, visitor, plain)) ??
    (/\/index$/.test(plain) ? await findDestination(app, visitor, plain.slice(0, -'/index'.length) || '/') : null)
  if (found?.kind !== 'redirect') return found
  const to = found.to.replace(/#.*/s, '')
  const target = /^(?:\/|$)/.test(to) ? await findDestination(app, visitor, to || '/') : null
  return target?.kind === 'page' ? target : null
}

/** Makes the response with the markdown of a page. */
export async function markdownOf(visit: Visit, page: ReadPage): Promise<SiteResponse> {
  const { address, audience, base, visitor } = visit
  const isIndexed = visitor.site.doc.visibility === 'public'
  return {
    status: 200,
    type: 'text/markdown; charset=utf-8',
    body: await pageMarkdown(visit, page),
    audience,
    headers: {
      'Content-Location': base + markdownPath(page),
      ...(isIndexed ? { Link: `<${address}${page.path}>; rel="canonical"` } : { 'X-Robots-Tag': 'noindex' }),
    },
  }
}

/** Returns a page as markdown with front matter that names its address, its ID and its last commit. */
export async function pageMarkdown({ app, visitor, address }: Visit, page: ReadPage): Promise<string> {
  const text = await readPageText(app, page)
  const { space, snapshot } = page.pages.revision
  const change = text.gitPath === undefined ? null : await lastChangeOf(app, space, snapshot.commit, text.gitPath)
  const facts = defined({
    title: page.entry.title,
    description: text.attributes.description,
    canonical: text.attributes.metaLinks?.canonical ?? address + page.path,
    page: page.entry.id,
    commit: change?.commit,
    index: `${address}/llms.txt`,
  })
  return `---\n${stringify(facts, { lineWidth: 0 })}---\n\n${await markdownFor(app, visitor, page, text, address)}`
}
