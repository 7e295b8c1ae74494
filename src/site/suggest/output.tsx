/** Shows the blocks of a page that readers may change, and takes their suggestions and the confirmations of guests. */
import { siteSuggestionAddress } from '../../domain/context/app-addresses.js'
import { type OfferedBlock, offeredBlocks } from '../../domain/suggestions/blocks.js'
import {
  confirmSuggestion,
  draftSuggestion,
  findUnconfirmed,
  guestSuggestion,
  isMisleading,
  takesGuests,
} from '../../domain/suggestions/receive.js'
import { findDestination, type ReadPage } from '../../domain/sites/visitor-paths.js'
import { ServiceError } from '../../kernel/errors.js'
import { MAX_SUGGESTED } from '../../model/index.js'
import type { SharedAssets } from '../assets.js'
import { HTML, jsonResponse, type SiteRequest, type SiteResponse, wantsJson } from '../exchange.js'
import { frameOf } from '../frame.js'
import { headOf } from '../head.js'
import { renderDocument } from '../layout/document.js'
import { SuggestLayout, type SuggestView } from '../layout/suggest.js'
import { fontHosts } from '../look/fonts.js'
import { navigationOf } from '../navigation.js'
import { isFromOwnPage } from '../own-request.js'
import type { Visit } from '../visit.js'
import type { SuggestData, SuggestFault } from './data.js'
import { formOf, guestOf, MAX_FORM_BYTES, STATUS, type SuggestForm } from './fields.js'

export const SUGGEST = '/~suggest'
const MAX_PATH = 2_000
const MAX_SECRET = 200

/** Whether readers of a page may suggest changes. */
export const takesSuggestions = ({ visitor, preview, offline }: Visit): boolean =>
  !preview && !offline && (visitor.site.doc.suggestions ?? 'off') !== 'off'

/** Makes the response for a request about a suggestion. Null if the site takes none, or the reader may not see the page. */
export async function suggestOutput(
  visit: Visit,
  request: SiteRequest,
  assets: SharedAssets,
): Promise<SiteResponse | null> {
  if (!takesSuggestions(visit)) return null
  const isForm = request.method === 'POST'
  if (isForm && !isFromOwnPage(request, visit.address))
    return plain(403, 'Suggestions can be sent only from a page of this site.')
  const fields = isForm ? await request.form(MAX_FORM_BYTES) : request.query
  if (!fields) return plain(413, 'This form is too long.')
  const secret = fields.get('confirm')
  if (secret !== null) return confirmation(visit, request, assets, secret)
  const page = await pageAt(visit, fields.get('page') ?? '')
  if (!page) return null
  const blocks = await offeredBlocks(visit.app, visit.visitor, page, visit.base)
  const asking: Asking = { visit, request, assets, page, blocks }
  return isForm ? take(asking, fields) : show(asking, fields.get('block'))
}

/** A request about a page, with the blocks that its reader may change. */
interface Asking {
  visit: Visit
  request: SiteRequest
  assets: SharedAssets
  page: ReadPage
  blocks: readonly OfferedBlock[]
}

async function pageAt({ app, visitor }: Visit, path: string): Promise<ReadPage | null> {
  if (!path.startsWith('/') || path.length > MAX_PATH) return null
  const found = await findDestination(app, visitor, path)
  return found?.kind === 'page' ? found : null
}

/** Shows the blocks of a page, or the form for one of them. */
async function show(asking: Asking, id: string | null): Promise<SiteResponse> {
  const { visit, request, blocks, page } = asking
  if (wantsJson(request)) {
    const { words } = await frameOf(visit, page.siteSpace)
    const data: SuggestData = {
      blocks: blocks.map(({ id: block, number, source }) => ({ id: block, number, source: withLineFeeds(source) })),
      guests: takesGuests(visit.app, visit.visitor.site.doc),
      words: words.suggest,
    }
    return json(200, data)
  }
  if (id === null) return document(asking, { kind: 'choose' })
  const block = blocks.find((one) => one.id === id)
  if (!block) return document(asking, { kind: 'choose', fault: 'stale' })
  return document(asking, { kind: 'form', form: { block: id, text: withLineFeeds(block.source), name: '', email: '' } })
}

const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n')

/** Takes a suggestion. The text of the reader stays in the response until it is stored. */
async function take(asking: Asking, fields: URLSearchParams): Promise<SiteResponse> {
  const { visit, request, page, blocks } = asking
  const form = formOf(fields)
  const block = blocks.find((one) => one.id === form.block)
  if (!block) return fail(asking, 'stale', form)
  if (form.text.length > MAX_SUGGESTED) return fail(asking, 'tooLong', form)
  if (isMisleading(form.text, block)) return fail(asking, 'misleading', form)
  const site = visit.visitor.site.doc
  const given = { site, page, block, text: form.text, ip: request.ip }
  try {
    if (fields.get('as') === 'guest' && takesGuests(visit.app, site)) {
      const guest = guestOf(form)
      if (!guest) return fail(asking, 'invalid', form)
      await guestSuggestion(visit.app, given, guest)
      return wantsJson(request) ? json(200, { sent: true }) : document(asking, { kind: 'sent' })
    }
    const to = siteSuggestionAddress(visit.app, await draftSuggestion(visit.app, given))
    // A redirect to another origin would break the policy for forms.
    return wantsJson(request) ? json(200, { to }) : document(asking, { kind: 'app', to })
  } catch (error) {
    if (!(error instanceof ServiceError) || (error.status !== 400 && error.status !== 429)) throw error
    return fail(asking, error.status === 429 ? 'tooMany' : 'unchanged', form)
  }
}

async function fail(asking: Asking, fault: SuggestFault, form: SuggestForm): Promise<SiteResponse> {
  const status = STATUS[fault]
  if (!wantsJson(asking.request))
    return { ...(await document(asking, { kind: fault === 'stale' ? 'stale' : 'form', fault, form })), status }
  const { words } = await frameOf(asking.visit, asking.page.siteSpace)
  return json(status, { fault, message: words.suggest[fault] })
}

/** Shows the button that confirms a suggestion, or confirms it. Programs that open links of mails confirm nothing. */
async function confirmation(
  visit: Visit,
  request: SiteRequest,
  assets: SharedAssets,
  secret: string,
): Promise<SiteResponse> {
  const { app, visitor } = visit
  const asking = { visit, assets }
  const isUsable = secret.length <= MAX_SECRET
  try {
    if (request.method === 'POST') {
      const isDone = isUsable && (await confirmSuggestion(app, visitor, secret, request.ip))
      return isDone ? document(asking, { kind: 'confirmed' }) : over(asking)
    }
    const found = isUsable ? await findUnconfirmed(app, visitor, secret) : null
    return found ? document(asking, { kind: 'confirm', secret, text: found.after }) : over(asking)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 429) throw error
    return { ...(await document(asking, { kind: 'fault', fault: 'tooMany' })), status: 429 }
  }
}

const over = async (asking: Pick<Asking, 'visit' | 'assets'>): Promise<SiteResponse> => ({
  ...(await document(asking, { kind: 'fault', fault: 'over' })),
  status: STATUS.over,
})

const json = (status: number, body: object): SiteResponse => jsonResponse(status, body, 'no one')

const plain = (status: number, body: string): SiteResponse => ({
  status,
  type: 'text/plain; charset=utf-8',
  body,
  audience: 'no one',
})

/** Makes a page of the dialog, in the frame of the site. */
async function document(
  { visit, assets, page, blocks = [] }: Pick<Asking, 'visit' | 'assets'> & Partial<Pick<Asking, 'page' | 'blocks'>>,
  view: SuggestView,
): Promise<SiteResponse> {
  const frame = await frameOf(visit, page?.siteSpace)
  const { action, confirmTitle } = frame.words.suggest
  const isAboutPage = page !== undefined
  const name = isAboutPage ? action : confirmTitle
  const head = await headOf(visit, frame, assets, { name, indexed: false, languages: [], breadcrumbs: [] })
  const navigation = page && (await navigationOf(visit, { siteSpace: page.siteSpace, pages: page.pages }, page.entry))
  const html = await renderDocument(
    assets,
    frame,
    head,
    <SuggestLayout
      frame={frame}
      model={{
        name,
        action: visit.base + SUGGEST,
        sheet: `${visit.base}/~assets/${assets.suggester.sheet.name}`,
        ...(page
          ? { page: { path: page.path || '/', href: `${visit.base}${page.path}` || '/', title: page.entry.title } }
          : {}),
        blocks: blocks.map(({ id, source }) => ({ id, source: withLineFeeds(source) })),
        takesGuests: takesGuests(visit.app, visit.visitor.site.doc),
        view,
        ...(navigation ? { navigation } : {}),
      }}
    />,
  )
  return { status: 200, type: HTML, body: html, audience: 'no one', fontHosts: fontHosts(frame.look) }
}
