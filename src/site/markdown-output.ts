/** Makes the markdown of a page, at the address of the page with `.md` at the end. */
import { readPageText } from '../domain/sites/visitor-page.js'
import { markdownFor } from '../domain/sites/visitor-markdown.js'
import { findDestination, pathOfSiteSpace, type ReadPage } from '../domain/sites/visitor-paths.js'
import { redirectTo, type SiteResponse } from './exchange.js'
import type { Visit } from './visit.js'

/** Returns the path of a page as markdown, below the address of the site. The first page has its own name. */
export const markdownPath = ({ siteSpace, entry }: ReadPage): string =>
  `${pathOfSiteSpace(siteSpace)}/${entry.path.split('/').map(encodeURIComponent).join('/')}.md`

/** Makes the response for a path that ends with `.md`. Null if no page that the reader may see has it. */
export async function markdownOutput(visit: Visit, path: string): Promise<SiteResponse | null> {
  const { app, visitor, base, address, audience } = visit
  if (!path.endsWith('.md')) return null
  let found = await findDestination(app, visitor, path.slice(0, -'.md'.length))
  if (found?.kind === 'redirect' && /^(?:\/|$)/.test(found.to))
    found = await findDestination(app, visitor, found.to || '/')
  if (found?.kind !== 'page') return null
  const own = markdownPath(found)
  if (own !== path) return redirectTo(base + own, audience)
  const text = await readPageText(app, found)
  const isIndexed = visitor.site.doc.visibility === 'public'
  return {
    status: 200,
    type: 'text/markdown; charset=utf-8',
    body: await markdownFor(app, visitor, found, text, address),
    audience,
    headers: isIndexed ? { Link: `<${address}${found.path}>; rel="canonical"` } : { 'X-Robots-Tag': 'noindex' },
  }
}
