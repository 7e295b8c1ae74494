/** Makes the list of the versions of a page, for readers and as a TimeMap (RFC 7089). */
import { MAX_VERSIONS, type PageVersions, versionsOf } from '../../domain/sites/page-versions.js'
import { findDestination, type ReadPage } from '../../domain/sites/visitor-paths.js'
import type { SharedAssets } from '../assets.js'
import { HTML, redirectTo, type SiteResponse } from '../exchange.js'
import { frameOf } from '../frame.js'
import { headOf } from '../head.js'
import { renderDocument } from '../layout/document.js'
import { VersionsLayout } from '../layout/versions.js'
import { fontHosts } from '../look/fonts.js'
import { navigationOf, shortTitle } from '../navigation.js'
import { TIME_MAP, type VERSIONS } from '../page-record.js'
import type { Visit } from '../visit.js'
import { formatDay } from '../words/index.js'

const LINKS = 'application/link-format'
const NOT_LISTED = { 'X-Robots-Tag': 'noindex, nofollow' }

/** Makes the response for the versions of the page at a path. Null if it has no past, or the reader may not see it. */
export async function versionsOutput(
  visit: Visit,
  list: typeof VERSIONS | typeof TIME_MAP,
  path: string,
  assets: SharedAssets,
): Promise<SiteResponse | null> {
  const { app, visitor, base, audience } = visit
  const found = await findDestination(app, visitor, path)
  if (found?.kind === 'redirect')
    return /^(?:\/|$)/.test(found.to) ? redirectTo(`${base}${list}${found.to}`, audience, 302) : null
  const versions = found && (await versionsOf(app, visitor, found))
  if (!versions) return null
  return list === TIME_MAP ? timeMap(visit, found, versions) : versionsPage(visit, found, versions, assets)
}

/** Returns the values of `Link` that lead from a page, or from one of its versions, to the others. */
export const mementoLinks = ({ address }: Visit, { path }: ReadPage): string =>
  `<${address}${path}>; rel="original timegate", <${address}${TIME_MAP}${path}>; rel="timemap"; type="${LINKS}"`

const httpDate = (seconds: number): string => new Date(seconds * 1000).toUTCString()

function timeMap({ address, audience }: Visit, { path }: ReadPage, { versions }: PageVersions): SiteResponse {
  const [newest, oldest] = [versions[0], versions.at(-1)]
  const range = newest && oldest ? `; from="${httpDate(oldest.seconds)}"; until="${httpDate(newest.seconds)}"` : ''
  const links = [
    `<${address}${path}>; rel="original timegate"`,
    `<${address}${TIME_MAP}${path}>; rel="self"; type="${LINKS}"${range}`,
    ...versions.map(
      ({ commit, seconds }) => `<${address}/~/at/${commit}${path}>; rel="memento"; datetime="${httpDate(seconds)}"`,
    ),
  ]
  return { status: 200, type: LINKS, body: `${links.join(',\n')}\n`, audience, headers: NOT_LISTED }
}

async function versionsPage(
  visit: Visit,
  page: ReadPage,
  { versions, current, hasMore }: PageVersions,
  assets: SharedAssets,
): Promise<SiteResponse> {
  const { base, audience } = visit
  const frame = await frameOf(visit, page.siteSpace)
  const { words, locale } = frame
  const name = words.past.versions
  const href = `${base}${page.path}` || '/'
  const head = await headOf(visit, frame, assets, { name, indexed: false, languages: [], breadcrumbs: [] })
  const model = {
    name,
    page: { title: shortTitle(page.entry.title), href },
    versions: versions.map(({ commit, seconds, author }) => ({
      href: commit === current ? href : `${base}/~/at/${commit}${page.path}`,
      date: new Date(seconds * 1000).toISOString(),
      day: formatDay(seconds, locale),
      author,
      commit: commit.slice(0, 7),
      isCurrent: commit === current,
    })),
    ...(hasMore ? { limit: MAX_VERSIONS } : {}),
    navigation: await navigationOf(visit, page, page.entry),
  }
  const html = await renderDocument(assets, frame, head, <VersionsLayout frame={frame} model={model} />)
  return { status: 200, type: HTML, body: html, audience, fontHosts: fontHosts(frame.look), headers: NOT_LISTED }
}
