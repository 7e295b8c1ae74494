/**
 * Makes the outputs for pages as they were: `~/at/<commit or date>/<path>`, the lists of their versions, and the
 * redirects of a time gate (Memento, RFC 7089).
 */
import { decodePercent } from '../../content/paths.js'
import { datesAt, datesOf } from '../../domain/revisions/page-dates.js'
import { type PointInTime, readPoint } from '../../domain/revisions/main-line.js'
import { findPast, hasPast, hasPastAt, type PastPage } from '../../domain/sites/past-page.js'
import { findPastFile, isFilePath } from '../../domain/sites/visitor-file.js'
import { markdownFor } from '../../domain/sites/visitor-markdown.js'
import type { ReadPage } from '../../domain/sites/visitor-paths.js'
import type { SharedAssets } from '../assets.js'
import { type Audience, HTML, redirectTo, type SiteResponse } from '../exchange.js'
import { servesAgents } from '../markdown-output.js'
import { pastPageOutput } from '../page-output.js'
import { showsPast, TIME_MAP, VERSIONS } from '../page-record.js'
import { plainPage } from '../plain-page.js'
import type { Visit } from '../visit.js'
import { languageTag } from '../words/index.js'
import { mementoLinks, versionsOutput } from './versions.js'

const AT = /^\/~\/at\/([^/]+)(\/.*)?$/
const LIST = /^(\/~\/(?:versions|timemap))(\/.*)?$/
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

/** Returns the path of a page in an address of its past, as it is today; null for other addresses. */
export const pathInPast = (path: string): string | null => {
  const found = AT.exec(path) ?? LIST.exec(path)
  return found && (found[2] ?? '/')
}

/**
 * Makes the response for an address of the past of a page, or of the list of its versions. Null if there is no such page,
 * or the reader may not see it. Throws 503 if too many readers open the past.
 * @param now the current time, which is not recorded: a time that has passed stays so
 */
export async function pastOutput(
  visit: Visit,
  path: string,
  { assets, now }: { assets: SharedAssets; now: Date },
): Promise<SiteResponse | null> {
  const [, list, listed = '/'] = LIST.exec(path) ?? []
  if (list === VERSIONS || list === TIME_MAP) return versionsOutput(visit, list, listed, assets)
  const [, written = '', below = '/'] = AT.exec(path) ?? []
  const at = decodePercent(written) ?? ''
  const point = readPoint(at, 'end')
  if (!point) return badTime(visit, assets)
  if ('seconds' in point && point.seconds > now.getTime() / 1000)
    return redirectTo(`${visit.base}${below}`, 'no one', 302)
  const { app, visitor, audience, base } = visit
  if (isFilePath(below)) {
    const file = await findPastFile(app, visitor, below, point)
    return file ? { status: 200, type: '', body: '', audience, file } : null
  }
  const isMarkdown = /\.md$/i.test(below) && servesAgents(visit)
  const found = await findPast(app, visitor, isMarkdown ? below.slice(0, -'.md'.length) : below, point)
  if (!found) return null
  const above = `/~/at/${encodeURI(at)}`
  if (found.kind === 'redirect')
    return redirectTo(`${base}${above}${found.to}${isMarkdown ? '.md' : ''}`, audience, 302)
  const made = isMarkdown
    ? await pastMarkdown(visit, found, above)
    : await pastPageOutput(visit, { ...found, above, seconds: secondsOf(found, point) }, assets)
  return { ...made, ...cachingOf(visit, at), headers: { ...made.headers, ...mementoHeaders(visit, found, point) } }
}

/** The time of a past version: the one that was asked for, or that of the commit. */
const secondsOf = ({ commit }: PastPage, point: PointInTime): number =>
  'seconds' in point ? point.seconds : commit.seconds

async function pastMarkdown(visit: Visit, { then, text }: PastPage, above: string): Promise<SiteResponse> {
  const { app, visitor, address, audience } = visit
  const body = await markdownFor(app, visitor, then, text, address + above)
  return { status: 200, type: 'text/markdown; charset=utf-8', body, audience }
}

/** Only a whole commit ID always stands for the same version. Pages at a time are not kept, because times are countless. */
function cachingOf({ audience }: Visit, at: string): Pick<SiteResponse, 'audience' | 'isKept'> {
  const isCommit = /^[0-9a-f]{40}$/.test(at)
  const shared: Audience = isCommit ? 'past' : 'public'
  return { audience: audience === 'public' ? shared : audience, ...(isCommit ? {} : { isKept: false }) }
}

const mementoHeaders = (visit: Visit, past: PastPage, point: PointInTime): Record<string, string> => ({
  'X-Robots-Tag': 'noindex, nofollow',
  'Memento-Datetime': new Date(secondsOf(past, point) * 1000).toUTCString(),
  Link: `${mementoLinks(visit, past.now)}, <${visit.address}${past.now.path}>; rel="canonical"`,
})

async function badTime(visit: Visit, assets: SharedAssets): Promise<SiteResponse> {
  const { internationalization } = await visit.look()
  const body = plainPage('badTime', { locale: languageTag(internationalization.locale), assets })
  return { status: 400, type: HTML, body, audience: 'no one' }
}

/**
 * Adds to the response for the newest version of a page that earlier ones can be asked for with `Accept-Datetime`, or
 * returns the response to such a request: a redirect, or null if the reader may not see the version at that time. Throws
 * 503 if too many readers open the past.
 */
export async function atTimeGate(
  visit: Visit,
  page: ReadPage,
  { assets, now }: { assets: SharedAssets; now: Date },
  current: () => Promise<SiteResponse>,
): Promise<SiteResponse | null> {
  if (!showsPast(visit) || !(await hasPast(visit.app, page))) return current()
  const { datetime } = visit.request
  const to = datetime === '' ? null : await versionAt(visit, page, datetime, now)
  if (to === 'missing') return null
  const response = to === 'invalid' ? await badTime(visit, assets) : (to ?? (await current()))
  const link = [mementoLinks(visit, page), response.headers?.['Link']].filter((one) => one !== undefined).join(', ')
  return { ...response, vary: 'Accept-Datetime', headers: { ...response.headers, Link: link } }
}

/** Redirects to the version of a page at a time, or to its first version. Null for the newest one. */
async function versionAt(
  { app, visitor, base, audience }: Visit,
  page: ReadPage,
  datetime: string,
  now: Date,
): Promise<SiteResponse | null | 'invalid' | 'missing'> {
  const { pages, entry, path } = page
  const { revision } = pages
  const asked = HTTP_DATE.test(datetime) ? Date.parse(datetime) / 1000 : Number.NaN
  if (Number.isNaN(asked)) return 'invalid'
  if (asked >= Math.floor(now.getTime() / 1000) || entry.type !== 'document') return null
  const dates = datesOf(await datesAt(app, revision.space, revision.snapshot.commit), entry.gitPath)
  const seconds = Math.max(asked, dates?.created ?? asked)
  if (!(await hasPastAt(app, visitor, page, { seconds }))) return 'missing'
  const time = new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
  return redirectTo(`${base}/~/at/${time}${path || '/'}`, audience, 302)
}
