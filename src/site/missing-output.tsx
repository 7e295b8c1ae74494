/** Makes the page for missing addresses. Pages that are hidden from the reader have the same bytes. */
import { decodePercent } from '../content/paths.js'
import { isSiteDefault, type ShownSiteSpace, shownSiteSpaces } from '../domain/sites/view.js'
import { pagesFor } from '../domain/sites/visitor-pages.js'
import { pathOfSiteSpace } from '../domain/sites/visitor-paths.js'
import type { SharedAssets } from './assets.js'
import { HTML, type SiteResponse } from './exchange.js'
import { frameOf } from './frame.js'
import { headOf } from './head.js'
import { fontHosts } from './look/fonts.js'
import { renderDocument } from './layout/document.js'
import { MissingLayout } from './layout/missing.js'
import { navigationOf, shortTitle } from './navigation.js'
import { nearestPages, wordsOfPath } from './nearest.js'
import { spaceVariants } from './variants.js'
import type { Visit } from './visit.js'

/** Maximum length of a path that the page repeats. */
const MAX_SHOWN = 200

/** Makes the response for a missing path of a site. Null if the reader may see no space of the site. */
export async function missingOutput(visit: Visit, path: string, assets: SharedAssets): Promise<SiteResponse | null> {
  const { app, visitor } = visit
  const asked = decoded(path)
  const siteSpace = spaceAt(shownSiteSpaces(visitor.view), path)
  if (!siteSpace) return null
  const space = { siteSpace, pages: await pagesFor(app, visitor, siteSpace) }
  const frame = await frameOf(visit, siteSpace)
  const above = decoded(pathOfSiteSpace(siteSpace))
  const rest = (asked.startsWith(above) ? asked.slice(above.length) : asked).replace(/^\/+|\/+$/g, '')
  const head = await headOf(visit, frame, assets, {
    name: frame.words.missing.title,
    indexed: false,
    languages: [],
    breadcrumbs: [],
  })
  const html = await renderDocument(
    assets,
    frame,
    head,
    <MissingLayout
      frame={frame}
      model={{
        path: shortTitle(asked.slice(0, MAX_SHOWN)),
        query: wordsOfPath(rest.slice(rest.lastIndexOf('/') + 1))
          .slice(0, 8)
          .join(' ')
          .slice(0, 100),
        near: await nearestPages(visit, space, rest),
        navigation: await navigationOf(visit, space),
        variants: spaceVariants(visit, siteSpace),
      }}
    />,
  )
  return { status: 404, type: HTML, body: html, audience: visit.audience, fontHosts: fontHosts(frame.look) }
}

/** Returns the site space with the longest path that starts the given one; else the default one. */
function spaceAt(all: readonly ShownSiteSpace[], path: string): ShownSiteSpace | undefined {
  const above = all
    .filter((one) => `${path}/`.startsWith(`${pathOfSiteSpace(one)}/`))
    .sort((a, b) => pathOfSiteSpace(b).length - pathOfSiteSpace(a).length)
  return above[0] ?? all.find(isSiteDefault) ?? all[0]
}

/** Returns a path in readable form. */
const decoded = (path: string): string => (decodePercent(path) ?? path).replace(/[\p{Cc}\p{Cf}]/gu, '')
