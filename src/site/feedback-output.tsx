/** Accepts feedback from readers: a rating, then an optional comment. */
import { commentFeedback, giveFeedback } from '../domain/sites/feedback.js'
import { findDestination, type ReadPage } from '../domain/sites/visitor-paths.js'
import { ServiceError } from '../kernel/errors.js'
import type { SharedAssets } from './assets.js'
import { HTML, type SiteRequest, type SiteResponse, redirectTo, jsonResponse, wantsJson } from './exchange.js'
import { frameOf } from './frame.js'
import { headOf } from './head.js'
import { fontHosts } from './look/fonts.js'
import { renderDocument } from './layout/document.js'
import { ThanksLayout } from './layout/thanks.js'
import { navigationOf } from './navigation.js'
import { isFromOwnPage } from './own-request.js'
import type { Visit } from './visit.js'

export const FEEDBACK = '/~feedback'
const ENTRY = /^[0-9A-Za-z]{20}$/
const MAX_PATH = 2_000

/** The result of a form: the entry that it created or completed, or the reason why it did not. */
type Outcome = { entry: string } | { status: 400 | 403 | 413 | 429; message: string }

/** Makes the response for a form with feedback, or for the page that follows it. Null if the reader cannot rate the page. */
export async function feedbackOutput(
  visit: Visit,
  request: SiteRequest,
  assets: SharedAssets,
): Promise<SiteResponse | null> {
  const isForm = request.method === 'POST'
  if (isForm && !isFromOwnPage(request, visit.address))
    return failure(request, 403, 'Feedback can be sent only from a page of this site.')
  const fields = isForm ? await request.form() : request.query
  if (!fields) return failure(request, 413, 'This form is too long.')
  const page = await ratedPage(visit, fields.get('page') ?? '')
  if (!page) return null
  if (!isForm) return thanksPage(visit, page, fields, assets)
  const outcome = await take(visit, page, fields, request.ip)
  if ('status' in outcome) return failure(request, outcome.status, outcome.message)
  if (wantsJson(request)) return json(200, { entry: outcome.entry })
  const query = new URLSearchParams({ page: page.path || '/', entry: outcome.entry })
  if (fields.has('comment')) query.set('done', '')
  return redirectTo(`${visit.base}${FEEDBACK}?${query}`, 'private', 303)
}

/** Returns the page that a reader rates. Null if they cannot read it, or if the site accepts no feedback about it. */
async function ratedPage(visit: Visit, path: string): Promise<ReadPage | null> {
  if (!path.startsWith('/') || path.length > MAX_PATH) return null
  const found = await findDestination(visit.app, visit.visitor, path)
  if (found?.kind !== 'page') return null
  return (await visit.look(found.siteSpace.entry.id)).feedback.enabled ? found : null
}

async function take(visit: Visit, page: ReadPage, fields: URLSearchParams, ip: string): Promise<Outcome> {
  const { app, visitor } = visit
  const site = visitor.site.doc.id
  const entry = fields.get('entry')
  const comment = fields.get('comment') ?? ''
  const helpful = fields.get('helpful')
  try {
    if (entry !== null) {
      // An unknown entry has the same response, so that responses reveal nothing about entries.
      if (ENTRY.test(entry)) await commentFeedback(app, site, entry, { comment, ip })
      return { entry }
    }
    if (helpful !== 'yes' && helpful !== 'no') return { status: 400, message: 'Choose `yes` or `no` for `helpful`.' }
    return { entry: await giveFeedback(app, site, page, { helpful: helpful === 'yes', comment, ip }) }
  } catch (error) {
    if (error instanceof ServiceError && error.status === 429) return { status: 429, message: error.message }
    throw error
  }
}

const json = (status: number, body: object): SiteResponse => jsonResponse(status, body, 'private')

function failure(request: SiteRequest, status: number, message: string): SiteResponse {
  const headers = status === 429 ? { 'Retry-After': '3600' } : {}
  return wantsJson(request)
    ? { ...json(status, { message }), headers }
    : { status, type: 'text/plain; charset=utf-8', body: message, audience: 'private', headers }
}

/** Makes the page that thanks the reader and asks for a comment. */
async function thanksPage(
  visit: Visit,
  page: ReadPage,
  fields: URLSearchParams,
  assets: SharedAssets,
): Promise<SiteResponse> {
  const frame = await frameOf(visit, page.siteSpace)
  const entry = fields.get('entry') ?? ''
  const head = await headOf(visit, frame, assets, {
    name: frame.words.feedback.thanks,
    indexed: false,
    languages: [],
    breadcrumbs: [],
  })
  const html = await renderDocument(
    assets,
    frame,
    head,
    <ThanksLayout
      frame={frame}
      model={{
        action: `${visit.base}${FEEDBACK}`,
        page: { path: page.path || '/', href: `${visit.base}${page.path}` || '/', title: page.entry.title },
        entry: ENTRY.test(entry) && !fields.has('done') ? entry : undefined,
        navigation: await navigationOf(visit, { siteSpace: page.siteSpace, pages: page.pages }, page.entry),
      }}
    />,
  )
  return { status: 200, type: HTML, body: html, audience: 'private', fontHosts: fontHosts(frame.look) }
}
