/** Outputs that belong to one page, by its ID: subpages in the navigation, PDF, social card, and statement of provenance. */
import { requestPdf } from '../domain/pdf/pdfs.js'
import { shownSiteSpaces } from '../domain/sites/view.js'
import { pagesFor } from '../domain/sites/visitor-pages.js'
import { provenanceOf } from '../domain/sites/provenance.js'
import { pathOfPage, pathOfSiteSpace } from '../domain/sites/visitor-paths.js'
import type { SharedAssets } from './assets.js'
import { cardOutput } from './card/output.js'
import { HTML, JSON_TYPE, redirectTo, type SiteResponse } from './exchange.js'
import { frameOf } from './frame.js'
import { withIcons } from './layout/document.js'
import { levelHtml } from './layout/tree.js'
import { type OpenSpace, subpagesOf } from './navigation.js'
import { connectedCommit, servesProvenance } from './page-record.js'
import { hasText } from '../domain/revisions/page-tree.js'
import type { Visit } from './visit.js'

const PART = /^(.*)\/~(nav|pdf|card|\/provenance)\/([A-Za-z0-9]+)(?:\/([0-9a-f]{12})\.png|(\.json))?$/
const PROVENANCE = '/provenance'

/** Makes the response for a path such as `/guides/~nav/<page ID>`. Null if there is no such page for the reader. */
export async function pagePart(visit: Visit, path: string, assets: SharedAssets): Promise<SiteResponse | null> {
  const [, above, part, id = '', picture, json] = PART.exec(path) ?? []
  const siteSpace = shownSiteSpaces(visit.visitor.view).find((one) => pathOfSiteSpace(one) === above)
  if (!siteSpace || (part === 'card') !== (picture !== undefined)) return null
  if ((part === PROVENANCE) !== (json !== undefined)) return null
  const space = { siteSpace, pages: await pagesFor(visit.app, visit.visitor, siteSpace) }
  if (part === 'card') return cardOutput(visit, space, id, assets)
  if (part === PROVENANCE) return provenancePart(visit, space, id)
  return part === 'nav' ? navigationPart(visit, space, id, assets) : pdfOf(visit, space, id)
}

/** Returns the subpages of a page as a list for the navigation. */
async function navigationPart(
  visit: Visit,
  space: OpenSpace,
  id: string,
  assets: SharedAssets,
): Promise<SiteResponse | null> {
  const level = await subpagesOf(visit, space, id)
  if (!level) return null
  const frame = await frameOf(visit, space.siteSpace)
  const body = await withIcons(assets, frame, levelHtml(level, frame.words))
  return { status: 200, type: HTML, body, audience: visit.audience, headers: { 'X-Robots-Tag': 'noindex' } }
}

/** Returns the signed statement about the file of a page. Null if the site or the page has none. */
async function provenancePart(visit: Visit, { siteSpace, pages }: OpenSpace, id: string): Promise<SiteResponse | null> {
  const { app, visitor, address, audience } = visit
  const entry = servesProvenance(visit) ? pages.find(id) : null
  if (!entry || !hasText(entry)) return null
  const page = { siteSpace, pages, entry, path: pathOfPage(siteSpace, pages, entry) }
  const found = await provenanceOf(app, {
    visitor,
    page,
    address,
    connectedCommit: (space, commit) => connectedCommit(app, space, commit),
  })
  return found && { status: 200, type: JSON_TYPE, body: JSON.stringify(found), audience }
}

/** Redirects to the PDF of a page. It has no conditional content, because a PDF may be passed on. */
async function pdfOf(visit: Visit, { siteSpace, pages }: OpenSpace, id: string): Promise<SiteResponse | null> {
  const { app } = visit
  const entry = pages.find(id)
  const { pdf } = await visit.look(siteSpace.entry.id)
  if (!entry || !hasText(entry) || !pdf.enabled || app.printer.missing() !== null) return null
  const revision = pages.revision.snapshot.commit
  const { url } = await requestPdf(app, { space: siteSpace.space.doc.id, revision, page: id, only: true })
  return redirectTo(url, 'private', 302)
}
